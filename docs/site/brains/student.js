// Teacher and student fill the same gap, as explorers/student.py answers.
import { loaded } from "../models/small/load.js";
import { largest, logSoftmax } from "../models/small/numbers.js";
import { tokenizer } from "../models/tokenizers/load.js";
import { answered, gaps } from "./lib/gaps.js";
import { answering, within } from "./lib/python.js";

const [COOLEST, HOTTEST] = [0.5, 8];

// extras: {network, vocabulary, n, students: {name: network}}
export default function brain(context) {
  const { network, vocabulary, n, students } = context.extras;
  return answering(500, async ({ text, hidden, place, temperature, student }) => {
    const one = await tokenizer(context, vocabulary);
    temperature = within(temperature, COOLEST, HOTTEST);
    if (!(student in students)) [student] = Object.keys(students);
    hidden = hidden.map(Math.trunc);
    const models = [await loaded(context, network), await loaded(context, students[student])];
    const found = gaps(models[0], one, text, hidden);
    const at = answered(found, place);
    let [rows, divergence] = [[], null];
    if (at !== null) {
      const [ours, theirs] = models.map((model) => logSoftmax(model.mlmLogits(model.hidden(found.ids)[at]), temperature));
      divergence = ours.reduce((sum, value, i) => sum + Math.exp(value) * (value - theirs[i]), 0);
      rows = largest(ours, n).map((id) => [one.vocab[id], Math.exp(ours[id]), Math.exp(theirs[id])]);
    }
    return {
      tokens: found.tokens, places: found.places, place: at ?? -1, hidden: hidden.filter((i) => found.places.includes(i)),
      rows, divergence, temperature, student, students: Object.keys(students), cut: found.cut,
    };
  });
}

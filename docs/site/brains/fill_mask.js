// What BERT puts into a gap, as explorers/fill_mask.py answers.
import { loaded } from "../models/small/load.js";
import { tokenizer } from "../models/tokenizers/load.js";
import { answered, fillings, gaps } from "./lib/gaps.js";
import { answering } from "./lib/python.js";

// extras: {network, vocabulary, n}
export default function brain(context) {
  const { network, vocabulary, n } = context.extras;
  return answering(500, async ({ text, hidden, place, left }) => {
    const [model, one] = [await loaded(context, network), await tokenizer(context, vocabulary)];
    hidden = hidden.map(Math.trunc);
    const found = gaps(model, one, text, hidden);
    const at = answered(found, place);
    const panels = [];
    if (at !== null) {
      panels.push({ name: "from both sides", ...fillings(model, one, found, at, n) });
      if (left) panels.push({ name: "from the left side only", ...fillings(model, one, found, at, n, true) });
    }
    const { tokens, places, cut } = found;
    return { tokens, places, place: at ?? -1, hidden: hidden.filter((i) => places.includes(i)), panels, cut };
  });
}

// Pictures that fit a phrase, as explorers/emoji_finder.py finds them: no picture was read with its name.
import { large } from "../models/large.js";
import { CONTEXT, sentenceEncoder } from "../models/minilm.js";
import { safetensors } from "../models/safetensors.js";
import { largest } from "../models/small/numbers.js";
import { tokenizer } from "../models/tokenizers/load.js";
import { number, products, timed } from "./lib/meaning.js";
import { answering, round, words } from "./lib/python.js";

// extras: {vocabulary, k, concepts}, and under "large" the names of MiniLM and of the pictures' vectors
export default async function brain(context) {
  const { vocabulary, k, concepts } = context.extras;
  const [weights, file] = await large(context, ...context.large);
  const one = await tokenizer(context, vocabulary);
  const encoder = sentenceEncoder(context, weights);
  const { vectors } = safetensors(file).tensors;

  async function find(text) {
    const { ids } = one.encode(text);
    const read = ids.length > CONTEXT ? [...ids.slice(0, CONTEXT - 1), ids.at(-1)] : ids;
    const scores = products(vectors, await encoder.vector(read, [...read.keys()]));
    return largest(scores, k).map((picture) => [picture, round(1e4 * scores[picture]) / 1e4]);
  }

  const answered = answering(300, ({ text, n }) => timed(async () => {
    const best = new Map(); // of each concept the best picture
    for (const hit of words(text).length ? await find(text) : []) {
      if (!best.has(concepts[hit[0]])) best.set(concepts[hit[0]], hit);
    }
    return { hits: [...best.values()].slice(0, number(n)), asked: text };
  }));
  return { ...answered, close: () => encoder.close() };
}

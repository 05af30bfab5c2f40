// MiniLM: texts as vectors of meaning.
import { Beside } from "./beside.js";
import { large } from "./large.js";
import { safetensors } from "./safetensors.js";
import { BERT } from "./small/bert.js";

export const CONTEXT = 512; // tokens

export class SentenceEncoder {
  #model;

  // weights: the file "minilm" of large_files.py
  constructor(weights) {
    const { metadata, tensors } = safetensors(weights);
    this.#model = new BERT(JSON.parse(metadata.config), tensors);
  }

  // The vector of length 1 of ids at their places: the mean of their last hidden states.
  vector(ids, places) {
    const hidden = this.#model.hidden(ids, places);
    const sum = new Float64Array(this.#model.config.d_model);
    for (const row of hidden) row.forEach((value, i) => { sum[i] += value; });
    const length = Math.hypot(...sum);
    return Float32Array.from(sum, (value) => value / length);
  }

  // Who looks at whom while {ids, segments} are read, as BERT tells it.
  attention(input, broken) {
    return this.#model.attention(input, broken);
  }

  get config() {
    return this.#model.config;
  }

  close() {}
}

// The same beside a page. weights: the first of the files that context, what a brain is given, has under "large"
export function sentenceEncoder(context, weights) {
  if (!globalThis.Worker) return new SentenceEncoder(weights); // Node, which tests it
  let first = [weights]; // handed over; a reader who comes back to the page has them from the browser
  const load = async () => {
    const parts = first ?? (await large(context, context.large[0]));
    first = null;
    return parts;
  };
  return new Beside(`${context.base}models/workers/minilm.js`, load, ["vector", "attention"]);
}

// MiniLM: texts as vectors of meaning. It needs more than 100 ms for a long text, so on a page it runs beside it, in a worker.
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

  close() {}
}

// The same in a worker; whoever asks waits for the answer before asking again.
class Beside {
  #context;
  #failed = null; // of what was asked last
  #worker;

  constructor(context, weights) {
    this.#context = context;
    this.#begin(weights);
    // Its memory is given back with the page, also while the browser keeps the page for the way back.
    globalThis.addEventListener("pagehide", () => this.close());
  }

  vector(...given) {
    return this.#ask("vector", given);
  }

  attention(...given) {
    return this.#ask("attention", given);
  }

  close() {
    this.#worker?.terminate();
    this.#worker = null;
    this.#failed?.(new Error("the page was left"));
  }

  #begin(weights) {
    this.#worker = new Worker(`${this.#context.base}models/workers/minilm.js`);
    this.#worker.postMessage({ weights }, [weights]); // handed over, not copied
  }

  async #ask(method, given) {
    if (!this.#worker) this.#begin(...(await large(this.#context, this.#context.large[0])));
    return new Promise((done, failed) => {
      this.#failed = failed;
      this.#worker.onmessage = ({ data }) => done(data);
      this.#worker.onerror = ({ message }) => failed(new Error(message));
      this.#worker.postMessage({ method, given });
    });
  }
}

// weights: the first of the files that context, what a brain is given, has under "large"
export function sentenceEncoder(context, weights) {
  return globalThis.Worker ? new Beside(context, weights) : new SentenceEncoder(weights);
}

// MiniLM: texts as vectors of meaning. It needs more than 100 ms for a long text, so on a page it runs beside it, in a worker.
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

// The same in a worker; what is asked waits for the answer before it asks again.
class Beside {
  #worker;

  constructor(address, weights) {
    this.#worker = new Worker(address);
    this.#worker.postMessage({ weights }, [weights]); // handed over, not copied
  }

  vector(...given) {
    return this.#ask("vector", given);
  }

  attention(...given) {
    return this.#ask("attention", given);
  }

  #ask(method, given) {
    return new Promise((done, failed) => {
      this.#worker.onmessage = ({ data }) => done(data);
      this.#worker.onerror = ({ message }) => failed(new Error(message));
      this.#worker.postMessage({ method, given });
    });
  }

  close() {
    this.#worker.terminate();
  }
}

export function sentenceEncoder({ base }, weights) {
  return globalThis.Worker ? new Beside(`${base}models/workers/minilm.js`, weights) : new SentenceEncoder(weights);
}

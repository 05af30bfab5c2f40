// Models that need more than 100 ms for an answer run beside a page, in a worker, so that the page still moves.

// What a model in a worker does, with promises: each of its methods that are named.
export class Beside {
  #address;
  #load;
  #worker = null; // a promise of the worker with its weights
  #waiting = new Map(); // number of a question -> [done, failed]
  #asked = 0;

  // address: a script that calls `answers`; load() -> a promise of the ArrayBuffers that its model is made of.
  constructor(address, load, methods) {
    [this.#address, this.#load] = [address, load];
    for (const method of methods) this[method] = async (...given) => this.#post(await this.ready(), method, given);
    // Its memory is given back with the page, also while the browser keeps the page for the way back.
    globalThis.addEventListener("pagehide", () => this.close());
  }

  // Fetches the weights, unless they are there: when a brain is made, or the reader comes back to the page.
  ready() {
    this.#worker ??= this.#begin().catch((error) => {
      this.#worker = null; // the next question tries again
      throw error;
    });
    return this.#worker;
  }

  close() {
    this.#worker?.then((worker) => worker.terminate(), () => {});
    this.#worker = null;
    this.#fail("the page was left");
  }

  async #begin() {
    const parts = await this.#load();
    const worker = new Worker(this.#address);
    worker.onmessage = ({ data: { number, result, error } }) => this.#answer(number, result, error);
    worker.onerror = ({ message }) => {
      worker.terminate();
      this.#worker = null;
      this.#fail(message ?? "the worker cannot be loaded");
    };
    try {
      this.config = await this.#post(worker, "open", parts, parts); // handed over, not copied
    } catch (error) {
      worker.terminate();
      throw error;
    }
    return worker;
  }

  #post(worker, method, given, handed = []) {
    const number = this.#asked++;
    return new Promise((...both) => {
      this.#waiting.set(number, both);
      worker.postMessage({ number, method, given }, handed);
    });
  }

  #answer(number, result, error) {
    const [done, failed] = this.#waiting.get(number);
    this.#waiting.delete(number);
    if (error) failed(new Error(error));
    else done(result);
  }

  #fail(why) {
    for (const number of this.#waiting.keys()) this.#answer(number, null, why);
  }
}

// The worker's side. open(...parts) -> the model, whose `config` the page is told.
export function answers(open) {
  let model = null;

  function answer(method, given) {
    if (method !== "open") return model[method](...given);
    model = open(...given);
    return model.config;
  }

  self.addEventListener("message", ({ data: { number, method, given } }) => {
    try {
      self.postMessage({ number, result: answer(method, given) });
    } catch ({ message }) {
      self.postMessage({ number, error: message });
    }
  });
}

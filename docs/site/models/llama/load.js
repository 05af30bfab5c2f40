// A Llama for the brains of a page. A token takes it a tenth of a second, so on a page it runs beside it, in a worker.
import { large } from "../large.js";
import { facts, unpacked } from "./packed.js";

// What a Llama does, with promises.
class Beside {
  #address;
  #load;
  #worker = null; // a promise of the worker with its weights
  #waiting = new Map(); // number of a question -> [done, failed]
  #asked = 0;

  // load() -> a promise of the parts of its file
  constructor(address, load) {
    [this.#address, this.#load] = [address, load];
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

  read(...given) { return this.#ask("read", given); }
  states(...given) { return this.#ask("states", given); }
  logits(...given) { return this.#ask("logits", given); }
  logitsOf(...given) { return this.#ask("logitsOf", given); }
  attention(...given) { return this.#ask("attention", given); }

  close() {
    this.#worker?.then((worker) => worker.terminate(), () => {});
    this.#worker = null;
    this.#fail("the page was left");
  }

  async #begin() {
    const parts = await this.#load();
    this.config = facts(parts[0]).config;
    const worker = new Worker(this.#address);
    worker.onmessage = ({ data: { number, result, error } }) => this.#answer(number, result, error);
    worker.onerror = ({ message }) => {
      worker.terminate();
      this.#worker = null;
      this.#fail(message ?? "the worker cannot be loaded");
    };
    try {
      await this.#post(worker, "open", [parts], parts); // handed over, not copied
    } catch (error) {
      worker.terminate();
      throw error;
    }
    return worker;
  }

  async #ask(method, given) {
    return this.#post(await this.ready(), method, given);
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

const found = new Map();

// The Llama of a name. context: what a brain is given, with the Llama's files under "large".
export async function llama(context, name) {
  const load = () => large(context, ...context.large);
  if (!globalThis.Worker) return unpacked(await load(), null); // Node, which tests it
  if (!found.has(name)) found.set(name, new Beside(`${context.base}models/workers/llama.js`, load));
  await found.get(name).ready();
  return found.get(name);
}

// A Llama for the brains of a page. A token takes it a tenth of a second, so on a page it runs beside it, in a worker.
import { large } from "../large.js";
import { config, unpacked } from "./packed.js";

// What a Llama does, with promises.
class Beside {
  #start; // () -> a promise of {worker, config}
  #started = null;
  #waiting = new Map(); // number of a question -> [done, failed]
  #asked = 0;

  constructor(address, load) {
    this.#start = async () => {
      const parts = await load();
      this.config = config(parts[0]);
      const worker = new Worker(address);
      worker.addEventListener("message", ({ data: { number, result, error } }) => this.#answer(number, result, error));
      worker.addEventListener("error", ({ message }) => [...this.#waiting.keys()].forEach((number) => this.#answer(number, null, message ?? "the worker stopped")));
      worker.postMessage({ parts }, parts); // handed over, not copied
      return worker;
    };
    // Its memory is given back with the page, also while the browser keeps the page for the way back.
    globalThis.addEventListener("pagehide", () => this.close());
  }

  // Fetches the weights: when a brain is made, or the reader comes back to the page.
  ready() {
    this.#started ??= this.#start().catch((error) => {
      this.#started = null; // the next question tries again
      throw error;
    });
    return this.#started;
  }

  read(...given) { return this.#ask("read", given); }
  states(...given) { return this.#ask("states", given); }
  logits(...given) { return this.#ask("logits", given); }
  logitsOf(...given) { return this.#ask("logitsOf", given); }
  attention(...given) { return this.#ask("attention", given); }

  async close() {
    const started = this.#started;
    this.#started = null;
    (await started)?.terminate();
    for (const number of this.#waiting.keys()) this.#answer(number, null, "the page was left");
  }

  async #ask(method, given) {
    const worker = await this.ready();
    const number = this.#asked++;
    return new Promise((...both) => {
      this.#waiting.set(number, both);
      worker.postMessage({ number, method, given });
    });
  }

  #answer(number, result, error) {
    const [done, failed] = this.#waiting.get(number) ?? [];
    this.#waiting.delete(number);
    if (error) failed?.(new Error(error));
    else done?.(result);
  }
}

const found = new Map();

// The Llama of a name. context: what a brain is given, with its files under "large".
export async function llama(context, name) {
  const load = () => large(context, ...context.large);
  if (!globalThis.Worker) return unpacked(await load(), null); // Node, which tests it
  if (!found.has(name)) found.set(name, new Beside(`${context.base}models/workers/llama.js`, load));
  await found.get(name).ready();
  return found.get(name);
}

// What the generation explorer asks of a model, as explorers/generation_writer.py does it: a prompt read, then one token after
// another. Tokens are drawn with numbers of the seed, as there; PyTorch makes other numbers of it, so that other tokens come.
import { logSoftmax, rows, softmax } from "../../models/small/numbers.js";
import { drawn, filtered, greedy } from "./sampling.js";
import { Twister } from "./python.js";

const LONGEST_LETTER = 4; // bytes; what has not become a letter by then never will

export class Writer {
  written = [];
  cached = true;
  seed = 0;
  #half = [];
  #twister;

  // network: {config, read(ids, cached), states(ids), logits(states)}, which may be promises; stop: ids that end a text.
  // scored: whether the prompt's own probability is wanted.
  constructor(network, tokenizer, { start, stop, scored }) {
    Object.assign(this, { network, tokenizer, start, stop, scored });
  }

  // Begins anew with a prompt, without the characters that the model does not know.
  async read(prompt) {
    this.unknown = this.#unknown(prompt);
    this.prompt = [...prompt].filter((character) => !this.unknown.includes(character)).join("");
    this.promptIds = this.tokenizer.encode(this.prompt || this.start);
    await this.reset();
    [this.promptLogP, this.promptScored] = await this.#score();
  }

  // Forgets what was written and begins the random numbers of `seed` again.
  async reset() {
    this.#twister = Twister.torch(this.seed);
    this.written = [];
    this.ended = false;
    this.#half = [];
    this.ids = [...this.promptIds];
    this.promptMs = await this.#next();
  }

  async useCache(cached) {
    this.cached = cached;
    this.promptMs = await this.#next();
  }

  // Chooses the next token and lets the model read it; settings: {temperature, topK, topP}.
  async write(settings) {
    const { logits } = this;
    this.chosenFrom = logits;
    const left = softmax(filtered(logits, settings));
    const id = settings.temperature === 0 ? greedy(logits) : drawn(left, this.#twister.rand());
    let rank = 0;
    for (let i = 0; i < logits.length; i++) if (logits[i] > logits[id] || (logits[i] === logits[id] && i < id)) rank++;
    this.ids.push(id);
    const ms = await this.#next();
    const [text, label] = [this.#letters(id), this.label(id)];
    this.written.push({ id, text, label, logP: logSoftmax(logits)[id], drawn: left[id], rank, settings, ms, cached: this.cached });
    this.ended = this.stop.includes(id);
  }

  // The logits that written token `index` was chosen from; those of an earlier one are computed again.
  async logitsBefore(index) {
    if (index === this.written.length - 1) return this.chosenFrom;
    return this.network.read(this.#seen(this.ids.slice(0, this.promptIds.length + index)), this.cached);
  }

  // A token by itself; where the model has more ids than the tokenizer, its number.
  label(id) {
    return this.#decoded([id]) ?? `<${id}>`;
  }

  // What a model still sees of a text that is longer than its context.
  #seen(ids) {
    return ids.slice(-this.network.config.context);
  }

  async #next() {
    const started = performance.now();
    this.logits = await this.network.read(this.#seen(this.ids), this.cached);
    return performance.now() - started;
  }

  // The text a token completes: nothing while the bytes so far are half a letter.
  #letters(id) {
    this.#half.push(id);
    const text = this.#decoded(this.#half) ?? this.#half.map((each) => this.label(each)).join("");
    if (text.endsWith("\ufffd") && this.#half.length < LONGEST_LETTER) return "";
    this.#half = [];
    return text;
  }

  #decoded(ids) {
    try {
      return this.tokenizer.decode(ids);
    } catch {
      return null;
    }
  }

  // The sum of log p of the prompt's tokens that had one before them, and those.
  async #score() {
    const seen = this.scored && this.prompt ? this.#seen(this.promptIds) : [];
    if (seen.length < 2) return [0, []];
    const state = (await this.network.states(seen)).at(-1);
    const given = state.subarray(0, state.length - this.network.config.d_model);
    const logits = rows(await this.network.logits(given), seen.length - 1);
    const scored = seen.slice(1);
    return [scored.reduce((sum, id, i) => sum + logSoftmax(logits[i])[id], 0), scored];
  }

  // The characters of a text that cannot be encoded, in order, each once.
  #unknown(text) {
    const encoded = (part) => {
      try {
        return this.tokenizer.encode(part);
      } catch {
        return null;
      }
    };
    return encoded(text) ? [] : [...new Set(text)].filter((character) => !encoded(character)?.length);
  }
}

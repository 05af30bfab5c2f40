// A text that grows token by token, as explorers/generation.py answers.
import { networkOf } from "../models/networks.js";
import { largest } from "../models/small/numbers.js";
import { characterTables, tokenizer } from "../models/tokenizers/load.js";
import { clean, within } from "./lib/python.js";
import { descending } from "./lib/sampling.js";
import { Writer } from "./lib/writer.js";

const PATIENCE = 100; // milliseconds for one request
const LARGEST_SEED = 2 ** 31 - 1;
const pause = () => new Promise((done) => setTimeout(done)); // for the page to draw

// extras: {network, vocabulary, start, stop}
export default async function brain(context) {
  const { network, vocabulary, start, stop } = context.extras;
  let [writer, characters] = [null, null];
  if (context.large.length) await networkOf(context, network); // what the reader has just been asked about

  async function begin({ prompt, seed, cached, simple }) {
    characters = await characterTables(context);
    const options = { start, stop, scored: !simple }; // a newcomer sees no number of the prompt
    const made = new Writer(await networkOf(context, network), await tokenizer(context, vocabulary), options);
    Object.assign(made, { seed, cached });
    await read(made, prompt);
    writer = made;
  }

  // A large network needs seconds for a long prompt.
  async function read(by, prompt) {
    if (context.large.length) context.busy("Reading the prompt ...");
    try {
      await by.read(prompt);
    } finally {
      context.busy(null);
    }
  }

  async function take(news, state) {
    if ("prompt" in news) await read(writer, state.prompt);
    if ("cached" in news) await writer.useCache(state.cached);
    if ("seed" in news) {
      writer.seed = state.seed;
      await writer.reset();
    }
    const { action, tokens = 1, number = 0 } = news.request ?? {};
    if (action === "reset") await writer.reset();
    if (action === "write") await write(within(Math.trunc(tokens), 1, state.limits.burst), state);
    return number;
  }

  const full = (limits) => writer.written.length >= limits.written;

  async function write(tokens, { temperature, top_k: topK, top_p: topP, limits }) {
    await pause();
    const until = performance.now() + PATIENCE;
    for (let i = 0; i < tokens && !writer.ended && !full(limits); i++) {
      await writer.write({ temperature, topK, topP });
      if (performance.now() > until) return;
    }
  }

  // All logits, highest first, as bytes, and the labels of the first ones.
  function outlook(logits, { bars }) {
    const labels = largest(logits, bars).map((id) => writer.label(id));
    return { logits: new DataView(descending(logits).buffer), labels };
  }

  function answer(number, limits) {
    return {
      number,
      prompt: writer.prompt,
      start: writer.prompt ? "" : writer.start,
      unknown: writer.unknown.map((sign) => named(sign, characters)),
      unseen: Math.max(0, writer.ids.length - limits.context),
      prompt_tokens: writer.promptIds.length,
      prompt_ms: writer.promptMs,
      prompt_scored: [writer.promptLogP, writer.promptScored.length],
      prompt_letters: [...writer.tokenizer.decode(writer.promptScored)].length,
      written: writer.written.map((token) => [token.text, token.label, token.logP, token.drawn, token.ms, token.cached]),
      ended: writer.ended,
      full: full(limits),
      next: outlook(writer.logits, limits),
      timed: "in this browser",
    };
  }

  async function choose(selected, limits) {
    if (!writer.written.length) return {};
    const index = selected >= 0 ? selected : writer.written.length - 1;
    const { rank, label, settings: { temperature, topK, topP } } = writer.written[index];
    const before = outlook(await writer.logitsBefore(index), limits);
    return { ...before, index, rank, label, settings: [temperature, topK, topP] };
  }

  return {
    async receive(news, traits) {
      const kept = inside(traits);
      const state = { ...traits, ...kept };
      const { limits } = state;
      const back = Object.fromEntries(Object.entries(kept).filter(([name, value]) => !Object.is(value, traits[name])));
      if (!["prompt", "seed", "cached", "request", "selected"].some((name) => name in news)) return back;
      const { prompt, seed, cached, ...rest } = news;
      const left = writer ? news : rest; // it begins with all that is set
      if (!writer) await begin(state);
      try {
        const number = await take(left, state);
        const only = Object.keys(news).every((name) => name === "selected"); // an earlier token is looked at
        const selected = only ? within(state.selected, -1, writer.written.length - 1) : -1;
        const said = only ? {} : { answer: answer(number, limits) };
        return { ...back, ...said, selected, chosen: await choose(selected, limits), error: "" };
      } catch (error) {
        return { ...back, error: `${error.name}: ${error.message}` };
      }
    },
    close: () => writer?.network.close?.(),
  };
}

// The controls, within what they may be.
function inside({ prompt, temperature, top_k: topK, top_p: topP, seed, limits }) {
  return {
    prompt: clean(prompt, limits.prompt),
    temperature: within(temperature, 0, limits.temperature),
    top_k: within(topK, 0, limits.vocabulary),
    top_p: within(topP, 0.01, 1),
    seed: within(seed, 0, LARGEST_SEED),
  };
}

// A character with its number, so that invisible ones can be told apart; the page has no list of their names.
function named(character, characters) {
  const code = character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
  return `${characters.isPrintable(character) ? character : "\ufffd"} (U+${code})`;
}

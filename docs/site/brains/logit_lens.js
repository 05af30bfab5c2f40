// What a language model would say next after each of its layers, as explorers/logit_lens.py answers.
import { networkOf } from "../models/networks.js";
import { largest, rows } from "../models/small/numbers.js";
import { tokenizer } from "../models/tokenizers/load.js";
import { halves } from "./lib/halves.js";
import { tokenName } from "./lib/labels.js";
import { answering, range } from "./lib/python.js";

const MOST_TOKENS = 16; // of a text
const MOST_LISTED = 5;

// The logarithm of the sum of exp(logits).
function logSum(logits) {
  const top = logits.reduce((most, logit) => Math.max(most, logit), -Infinity);
  return top + Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - top), 0));
}

// extras: {network, vocabulary}
export default async function brain(context) {
  const { network, vocabulary } = context.extras;
  let [model, one, lens] = [null, null, null]; // lens: {states: L + 1 of (T, D), sums (L + 1, T)}
  if (context.large.length) model = await networkOf(context, network); // what the reader has just been asked about
  const named = (ids) => ids.map((id) => tokenName(one.decode([id])));

  async function prepared() {
    model ??= await networkOf(context, network);
    one ??= await tokenizer(context, vocabulary);
  }

  // Reads ids layer by layer: {ids and shares of the likeliest tokens, (L + 1, T, n)}.
  async function read(ids) {
    const states = await model.states(ids);
    const [sums, likeliest, shares] = [[], [], []];
    for (const [layer, state] of states.entries()) {
      context.busy(`Reading: ${layer} of ${states.length - 1} layers ...`);
      for (const logits of rows(await model.logits(state), ids.length)) {
        const best = largest(logits, MOST_LISTED);
        sums.push(logSum(logits));
        likeliest.push(...best);
        shares.push(...best.map((id) => Math.exp(logits[id] - sums.at(-1))));
      }
    }
    context.busy(null);
    lens = { states, sums };
    return { likeliest, shares };
  }

  async function table(ids) {
    const { likeliest, shares } = await read(ids);
    const words = [...new Set(likeliest)].sort((a, b) => a - b);
    const places = new Map(words.map((id, place) => [id, place]));
    return {
      layers: lens.states.length,
      listed: likeliest.length / lens.sums.length,
      words: named(words),
      ids: words,
      next: [...ids.slice(1), -1],
      places: new DataView(Int32Array.from(likeliest, (id) => places.get(id)).buffer),
      shares: halves(shares),
    };
  }

  // How likely one token is next after each layer and position; {} for an id outside the vocabulary.
  async function followed(id) {
    if (!lens || !range(0, model.config.vocab_size).includes(id)) return {};
    const logits = [];
    for (const state of lens.states) logits.push(...await model.logitsOf(id, state));
    return { id, name: tokenName(one.decode([id])), shares: halves(logits.map((logit, i) => Math.exp(logit - lens.sums[i]))) };
  }

  const answered = answering(500, async ({ text }) => {
    const ids = one.encode(text);
    const kept = ids.slice(0, Math.min(MOST_TOKENS, model.config.context));
    lens = null;
    const found = kept.length ? await table(kept) : { layers: 0 };
    return { tokens: named(kept), left_out: ids.length - kept.length, ...found };
  });

  return {
    async receive({ request, follow }, state) {
      await prepared();
      const said = {};
      if (request || !lens) Object.assign(said, await answered.receive({ request: state.request }));
      return { ...said, followed: await followed(state.follow) };
    },
    close: () => model?.close?.(),
  };
}

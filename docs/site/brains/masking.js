// One text masked again and again, as explorers/masking.py and masking_draws.py do it, draw for draw.
import { tokenizer } from "../models/tokenizers/load.js";
import { maskTokens } from "./lib/masking.js";
import { Twister, answering, within } from "./lib/python.js";

const MOST_DRAWS = 1000;
const FATES = { mask: ["[MASK]", 0.8], random: ["a random token", 0.1], same: ["the same", 0.1] };

class Draws {
  constructor(one, text, share, seed) {
    this.one = one;
    this.share = share;
    const encoding = one.encode(text);
    [this.ids, this.tokens] = [encoding.ids, encoding.tokens];
    this.special = [one.padId, one.unkId, one.clsId, one.sepId, one.maskId];
    this.candidates = this.ids.filter((id) => !this.special.includes(id)).length;
    this.twister = Twister.torch(seed);
    this.shown = this.tokens;
    this.fates = this.tokens.map(() => "");
    this.counts = { draws: 0, candidates: 0, chosen: 0, mask: 0, random: 0, same: 0 };
  }

  draw(times) {
    if (!this.candidates) return;
    const { one, ids, special, share, twister, counts } = this;
    counts.draws += times;
    counts.candidates += times * this.candidates;
    for (const row of maskTokens(ids, times, { maskId: one.maskId, vocabSize: one.vocabSize, special, share, twister })) {
      this.shown = row.ids.map((id) => one.vocab[id]);
      this.fates = ids.map((id, i) => {
        if (!row.chosen[i]) return "";
        if (row.ids[i] === one.maskId) return "mask";
        return row.ids[i] === id ? "same" : "random";
      });
      for (const fate of this.fates) if (fate) counts[fate] += 1;
    }
    counts.chosen = counts.mask + counts.random + counts.same;
  }

  // [name, measured, target], as figures/chapter06_bert/mask_results.py has them.
  shares() {
    const { counts, share } = this;
    if (!counts.chosen) return [];
    const fates = Object.entries(FATES).map(([fate, [name, target]]) => [`${name}, of the chosen`, counts[fate] / counts.chosen, target]);
    return [["chosen, of all", counts.chosen / counts.candidates, share], ...fates];
  }
}

// extras: {vocabulary, first: the request that the first state answers}: what it drew is drawn again, to go on from.
export default function brain(context) {
  let [drawn, draws] = [null, null];

  async function answer({ text, share, seed, times }) {
    const one = await tokenizer(context, context.extras.vocabulary);
    [share, seed] = [within(share, 0.01, 1), Math.trunc(seed)];
    const key = JSON.stringify([text, share, seed]);
    if (drawn !== key) [drawn, draws] = [key, new Draws(one, text, share, seed)];
    draws.draw(within(Math.trunc(times), 1, MOST_DRAWS));
    return {
      tokens: draws.shown.map((shown, i) => [shown, draws.tokens[i], draws.fates[i]]),
      counts: { ...draws.counts }, shares: draws.shares(),
    };
  }

  const asked = answering(500, answer);
  return {
    async receive(news) {
      if (!draws) await answer(context.extras.first);
      return asked.receive(news);
    },
  };
}

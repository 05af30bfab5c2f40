// The same text in many passes, as explorers/masking_passes.py hides its tokens, draw for draw.
import { tokenizer } from "../models/tokenizers/load.js";
import { maskTokens } from "./lib/masking.js";
import { Twister, answering, range, within } from "./lib/python.js";

const [MOST_PASSES, MOST_TOKENS] = [40, 48];

// extras: {vocabulary}
export default function brain(context) {
  return answering(500, async ({ text, share, passes, anew, seed }) => {
    const one = await tokenizer(context, context.extras.vocabulary);
    [share, passes] = [within(share, 0.01, 1), within(Math.trunc(passes), 1, MOST_PASSES)];
    const all = one.encode(text).ids.slice(1, -1);
    const ids = all.slice(0, MOST_TOKENS);
    const twister = Twister.torch(((Math.trunc(seed) % 2 ** 31) + 2 ** 31) % 2 ** 31);
    const options = { maskId: one.maskId, vocabSize: one.vocabSize, special: [one.unkId, one.padId, one.clsId, one.sepId], share, twister };
    const rows = [];
    for (let pass = 0; pass < passes; pass++) {
      if (!ids.length) rows.push([]);
      else if (pass && !anew) rows.push(rows[0]);
      else rows.push(range(0, ids.length).filter(((chosen) => (i) => chosen[i])(maskTokens(ids, 1, options)[0].chosen)));
    }
    const asked = new Set(rows.flat());
    const real = ids.map((id) => id !== one.unkId);
    return {
      tokens: ids.map((id) => one.vocab[id]), rows,
      never: range(0, ids.length).filter((i) => real[i] && !asked.has(i)),
      of: real.filter(Boolean).length, expected: (1 - share) ** (anew ? passes : 1),
      cut: all.length - ids.length,
    };
  });
}

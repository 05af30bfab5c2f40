// Hiding tokens as objectives/masking.py does it, draw for draw.
import { range, round } from "./python.js";

const f = Math.fround; // torch counts in float32

// Which of a row's candidates are chosen: their share, at least one; order: one random number a token.
function choose(candidates, share, order) {
  const count = candidates.reduce((sum, is) => sum + is, 0);
  const wanted = Math.min(Math.max(round(f(count * f(share))), 1), count);
  const ranked = range(0, candidates.length).filter((i) => candidates[i]).sort((a, b) => order[a] - order[b] || a - b);
  const chosen = candidates.map(() => false);
  for (const i of ranked.slice(0, wanted)) chosen[i] = true;
  return chosen;
}

// mask_tokens for `times` equal rows of ids: [{ids, chosen}], with a Twister that goes on from draw to draw.
export function maskTokens(ids, times, { maskId, vocabSize, special, share, twister }) {
  const fixed = new Set([...special, maskId]);
  const candidates = ids.map((id) => !fixed.has(id));
  if (!candidates.includes(true)) throw Object.assign(new Error("no token to choose: every one is special or padding"), { name: "ValueError" });
  const ordinary = range(0, vocabSize).filter((id) => !fixed.has(id));
  const drawn = (next) => range(0, times).map(() => ids.map(next));
  const [orders, fates] = [drawn(() => twister.rand()), drawn(() => twister.rand())];
  const others = drawn(() => ordinary[twister.next() % ordinary.length]);
  const [mostly, often] = [f(0.8), f(0.9)];
  return orders.map((order, row) => {
    const chosen = choose(candidates, share, order);
    const changed = ids.map((id, i) => {
      if (!chosen[i]) return id;
      if (fates[row][i] < mostly) return maskId;
      return fates[row][i] < often ? others[row][i] : id;
    });
    return { ids: changed, chosen };
  });
}

// From the scores of the next token to one token, as decoding/sampling.py does it: filters on logits, then a draw.
import { softmax } from "../../models/small/numbers.js";

// The logits from the highest down; of equal ones nothing can be told.
export const descending = (logits) => Float32Array.from(logits).sort().reverse();

export function greedy(logits) {
  let best = 0;
  for (let i = 1; i < logits.length; i++) if (logits[i] > logits[best]) best = i;
  return best;
}

// logits / value, in single precision; where that overflows, the maximum is taken off first.
function warmed(logits, value) {
  const by = Math.fround(value);
  const divided = logits.map((logit) => logit / by);
  if (divided.every(Number.isFinite)) return divided;
  const top = logits[greedy(logits)];
  return logits.map((logit) => (logit === top ? 0 : (logit - top) / by));
}

// The k highest, and what equals the last of them.
function highest(logits, k) {
  const lowest = descending(logits)[k - 1];
  return logits.map((logit) => (logit < lowest ? -Infinity : logit));
}

// The smallest set that holds probability p or more: the token that crosses p stays, of equal ones the lower id comes first.
function likeliest(logits, p) {
  const probabilities = softmax(logits);
  const order = Uint32Array.from(logits, (_, id) => id).sort((a, b) => logits[b] - logits[a] || a - b);
  const kept = logits.slice().fill(-Infinity);
  let before = 0;
  for (const id of order) {
    if (before >= p && id !== order[0]) break;
    kept[id] = logits[id];
    before += probabilities[id];
  }
  return kept;
}

// Logits (V) after temperature, top-k and top-p; all but the best are -Infinity at temperature 0.
export function filtered(logits, { temperature, topK, topP }) {
  if (temperature === 0) {
    const best = logits.slice().fill(-Infinity);
    best[greedy(logits)] = 0;
    return best;
  }
  let left = warmed(logits, temperature);
  if (topK) left = highest(left, Math.min(topK, left.length));
  return topP < 1 ? likeliest(left, topP) : left;
}

// Which of some probabilities, laid end to end, holds a number from 0 to 1.
export function drawn(probabilities, number) {
  let [last, rest] = [0, number];
  for (let i = 0; i < probabilities.length; i++) {
    if (!probabilities[i]) continue;
    last = i;
    rest -= probabilities[i];
    if (rest < 0) break;
  }
  return last;
}

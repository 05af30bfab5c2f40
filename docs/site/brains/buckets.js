// The buckets of T5's distances, as explorers/buckets.py and positions.t5_bucket find them.
import { answering, range, within } from "./lib/python.js";

const FARTHEST = 150;
const f = Math.fround; // torch counts in float32

function bucket(offset, { n_buckets, max_distance, causal }) {
  const exact = Math.floor(Math.floor(n_buckets / (causal ? 1 : 2)) / 2);
  const distance = causal ? Math.max(-offset, 0) : Math.abs(offset);
  const first = !causal && offset > 0 ? 2 * exact : 0;
  if (distance < exact) return first + distance;
  const growth = f(f(Math.log(f(Math.max(distance, 1) / exact))) / f(Math.log(max_distance / exact)));
  return first + Math.min(exact + Math.trunc(f(growth * exact)), 2 * exact - 1);
}

function runs(buckets, first) {
  const found = [];
  buckets.forEach((number, i) => {
    const last = found.at(-1);
    if (last?.[0] === number) last[2] = first + i;
    else found.push([number, first + i, first + i]);
  });
  return found;
}

// extras: {learned: [{options, weight (H, n_buckets)}, the same for causal]}, or nothing without a model.
export default function brain({ extras }) {
  return answering(500, ({ distance, n_buckets, max_distance, causal }) => {
    const sides = causal ? 1 : 2;
    const many = within(Math.floor(Math.trunc(n_buckets) / 4) * 4, 4, 64);
    const sizes = {
      n_buckets: many,
      max_distance: within(Math.trunc(max_distance), Math.floor(Math.floor(many / sides) / 2) + 1, 512),
      causal: Boolean(causal),
    };
    const last = causal ? 0 : FARTHEST;
    const at = within(Math.trunc(distance), -FARTHEST, last);
    const distances = range(-FARTHEST, last + 1);
    const buckets = distances.map((offset) => bucket(offset, sizes));
    const chosen = buckets[at + FARTHEST];
    const same = distances.filter((_, i) => buckets[i] === chosen);
    const learned = extras.learned?.[Number(sizes.causal)];
    const fits = learned && Object.keys(sizes).every((name) => learned.options[name] === sizes[name]);
    return {
      ...sizes, distance: at, bucket: chosen, shared: [same[0], same.at(-1)], runs: runs(buckets, -FARTHEST),
      added: fits ? learned.weight.map((row) => row[chosen]) : [],
      curves: fits ? learned.weight.map((row) => buckets.map((number) => row[number])) : [],
      first: -FARTHEST, given: Boolean(learned),
    };
  });
}

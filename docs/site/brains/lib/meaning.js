// What the brains share that look for meaning.
import { round } from "./python.js";

// How many are shown, from 1 to 20, as explorers/asking.py keeps it.
export const number = (n) => Math.min(Math.max(Math.trunc(n) || 1, 1), 20);

// The scalar product of `vector` with each of the vectors in `table`, one after another.
export function products(table, vector, scale = 1) {
  const width = vector.length;
  return Float32Array.from({ length: table.length / width }, (_, row) => {
    let sum = 0;
    for (let i = 0; i < width; i++) sum += table[row * width + i] * vector[i];
    return sum * scale;
  });
}

// look() with how long it took.
export async function timed(look) {
  const start = performance.now();
  return { ...(await look()), milliseconds: round(performance.now() - start) };
}

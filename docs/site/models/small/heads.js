// The heads of one pass through a network: what each looked at, and one of them broken, as interpret/interventions.py breaks it.
import { attend } from "./numbers.js";

class Heads {
  #broken;
  #mixed = []; // of each layer, what the heads of each row mixed (D)
  #weights = []; // of each layer, what they looked at: for each row, a list for each head

  constructor(broken) {
    this.#broken = broken;
  }

  // As attend in numbers.js, in a layer and for one row.
  at(layer) {
    const [mixed, weights] = [this.#mixed[layer] = [], this.#weights[layer] = []];
    return (query, keys, values, heads, row) => {
      [mixed[row], weights[row]] = attend(query, keys, values, heads);
      if (layer === this.#broken.layer) {
        const even = attend(new Float32Array(query.length), keys, values, heads); // a query of zeros looks at all alike
        this.#break([mixed[row], weights[row]], even, row);
      }
      return [mixed[row], weights[row]];
    };
  }

  #break([mixed, weights], [evenly, even], row) {
    const { how, head, output } = this.#broken;
    const own = this.#own(mixed, weights, head);
    if (how === "zero") own.fill(0);
    if (how === "patch") own.set(output[row]);
    if (how === "uniform") {
      own.set(this.#own(evenly, weights, head));
      weights[head] = even[head];
    }
  }

  // One head's part of the numbers of all.
  #own(numbers, weights, head) {
    const width = numbers.length / weights.length;
    return numbers.subarray(head * width, (head + 1) * width);
  }

  // What one head mixed, row by row.
  output(layer, head) {
    return this.#mixed[layer].map((mixed, row) => this.#own(mixed, this.#weights[layer][row], head));
  }

  // All weights, (L, H, T, T): 0 where nobody may look.
  maps() {
    const [layers, n] = [this.#weights.length, this.#weights[0].length];
    const heads = this.#weights[0][0].length;
    const maps = new Float32Array(layers * heads * n * n);
    this.#weights.forEach((rows, layer) => rows.forEach((each, row) => each.forEach((shares, head) => {
      maps.set(shares, ((layer * heads + head) * n + row) * n);
    })));
    return { maps, shape: [layers, heads, n, n] };
  }
}

// What read(input, heads) finds, with {maps, shape}. broken: {} or {how: "zero", "uniform" or "patch", layer, head, from};
// patch puts in what the head mixed for the input `from`.
export function watched(read, input, { from, ...broken } = {}) {
  if (broken.how === "patch") {
    const other = new Heads({});
    read(from, other);
    broken.output = other.output(broken.layer, broken.head);
  }
  const heads = new Heads(broken);
  return { ...read(input, heads), ...heads.maps() };
}

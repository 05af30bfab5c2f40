// The parts of layers with LayerNorm, as tutorial_lib/models/blocks.py has them; `block` and `fed` have it before each part.
import { activated, added, attend, linear, normalised, rows } from "./numbers.js";

export class Blocks {
  #config;
  #tensors;

  constructor(config, tensors) {
    this.#config = config;
    this.#tensors = tensors;
  }

  // x + attention, x + feed-forward: [n rows (D), weights (n, H, n)].
  block(x, n, name, attending) {
    const [found, weights] = this.lookedAround(this.normed(x, n, `${name}.attention_norm`), n, `${name}.attention`, attending);
    return [this.fed(added(x, found), n, name), weights];
  }

  // What n rows (D) that all look at each other gather, as `looked` says it.
  lookedAround(x, n, name, attending) {
    return this.looked(this.queries(x, n, name), ...this.keysAndValues(x, n, name), name, attending);
  }

  // n rows (D) of queries, as the attention `name` asks with rows that are normed.
  queries(x, n, name) {
    return rows(this.#part(x, n, name, 0, 1), n);
  }

  // n rows (D) of keys, and as many of values.
  keysAndValues(x, n, name) {
    const both = rows(this.#part(x, n, name, 1, 3), n).map((row) => rows(row, 2));
    return [0, 1].map((part) => both.map((row) => row[part]));
  }

  // Queries, keys and values are three maps in one matrix: its parts from `first` to `last`.
  #part(x, n, name, first, last) {
    const width = x.length / n;
    const [weight, bias] = ["weight", "bias"].map((part) => this.#tensors[`${name}.qkv.${part}`]);
    return linear(x, n, weight.subarray(first * width * width, last * width * width), bias.subarray(first * width, last * width));
  }

  // What n queries gather from keys and values: [n rows (D), weights (n, H, S)]. attending: `attend`, or one that changes it.
  looked(queries, keys, values, name, attending = attend) {
    const width = queries[0].length;
    const mixed = new Float32Array(queries.length * width);
    const weights = queries.map((query, i) => {
      const [found, shares] = attending(query, keys, values, this.#config.n_heads, i);
      mixed.set(found, i * width);
      return shares;
    });
    return [this.linear(mixed, queries.length, `${name}.output`), weights];
  }

  fed(x, n, name) {
    return added(x, this.feedForward(this.normed(x, n, `${name}.feed_forward_norm`), n, `${name}.feed_forward`));
  }

  feedForward(x, n, name) {
    return this.linear(activated(this.linear(x, n, `${name}.hidden`), this.#config.activation), n, `${name}.output`);
  }

  linear(x, n, name) {
    return linear(x, n, this.#tensors[`${name}.weight`], this.#tensors[`${name}.bias`]);
  }

  normed(x, n, name) {
    return normalised(x, n, this.#tensors[`${name}.weight`], this.#tensors[`${name}.bias`], this.#config.eps);
  }
}

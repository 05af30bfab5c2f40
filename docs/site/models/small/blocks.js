// The layers of networks with LayerNorm before each part, as tutorial_lib/models/blocks.py does them.
import { activated, added, attend, linear, normalised, rows } from "./numbers.js";

export class Blocks {
  #config;
  #tensors;

  constructor(config, tensors) {
    this.#config = config;
    this.#tensors = tensors;
  }

  // x + attention, x + feed-forward, n rows (D) that all look at each other: [rows, weights (n, H, n)].
  block(x, n, name) {
    const [queries, keys, values] = this.projected(this.normed(x, n, `${name}.attention_norm`), n, `${name}.attention`);
    const [found, weights] = this.looked(queries, keys, values, `${name}.attention`);
    return [this.fed(added(x, found), n, name), weights];
  }

  // Queries, keys and values, each n rows (D), of what is normed.
  projected(x, n, name) {
    const parts = rows(this.linear(x, n, `${name}.qkv`), n).map((row) => rows(row, 3));
    return [0, 1, 2].map((part) => parts.map((row) => row[part]));
  }

  // The same where queries and keys come of different rows: "queries" alone, or "keys" and values.
  projectedFrom(x, n, name, which) {
    const width = x.length / n;
    const [weight, bias] = ["weight", "bias"].map((part) => this.#tensors[`${name}.qkv.${part}`]);
    if (which === "queries") return rows(linear(x, n, weight.subarray(0, width * width), bias.subarray(0, width)), n);
    const parts = rows(linear(x, n, weight.subarray(width * width), bias.subarray(width)), n).map((row) => rows(row, 2));
    return [0, 1].map((part) => parts.map((row) => row[part]));
  }

  // What n queries gather from keys and values: [n rows (D), weights (n, H, S)].
  looked(queries, keys, values, name) {
    const width = queries[0].length;
    const mixed = new Float32Array(queries.length * width);
    const weights = queries.map((query, i) => {
      const [found, shares] = attend(query, keys, values, this.#config.n_heads);
      mixed.set(found, i * width);
      return shares;
    });
    return [this.linear(mixed, queries.length, `${name}.output`), weights];
  }

  fed(x, n, name) {
    const hidden = this.linear(this.normed(x, n, `${name}.feed_forward_norm`), n, `${name}.feed_forward.hidden`);
    return added(x, this.linear(activated(hidden, this.#config.activation), n, `${name}.feed_forward.output`));
  }

  linear(x, n, name) {
    return linear(x, n, this.#tensors[`${name}.weight`], this.#tensors[`${name}.bias`]);
  }

  normed(x, n, name) {
    return normalised(x, n, this.#tensors[`${name}.weight`], this.#tensors[`${name}.bias`], this.#config.eps);
  }
}

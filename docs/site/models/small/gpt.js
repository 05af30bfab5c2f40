// ModernGPT, as tutorial_lib/models/modern_gpt.py does it: for one text, which may grow.
import { activated, added, attend, linear, rescaled, rows, turned } from "./numbers.js";

export class ModernGPT {
  #tensors;
  #ids = []; // what `read` has read
  #kept; // of each layer, the keys and values (D) of these tokens

  constructor(config, tensors) {
    this.config = config;
    this.#tensors = tensors;
    this.#kept = this.#nothing();
  }

  // The logits (V) of the token after ids; with `cached`, what was read before is not read again.
  async read(ids, cached = true) {
    const n = ids.length;
    let same = 0;
    while (cached && same < n && ids[same] === this.#ids[same]) same++;
    const start = Math.min(same, n - 1);
    if (cached && same < n) this.#ids = [...ids];
    const state = this.#through(ids.slice(start), start, cached ? this.#kept : this.#nothing()).at(-1);
    return this.logits(this.#normed(rows(state, n - start).at(-1), "final_norm"));
  }

  // What the final norm makes of what enters the first layer, and of what leaves each: L + 1 of (T, D).
  async states(ids) {
    return this.#through(ids, 0, this.#nothing()).map((state) => this.#normed(state, "final_norm"));
  }

  // The logits (n, V) of n rows (D) that have passed the final norm.
  async logits(normed) {
    return linear(normed, normed.length / this.config.d_model, this.#tensors["token_embedding.weight"]);
  }

  // The logit of one token in each of n such rows: n numbers.
  async logitsOf(id, normed) {
    const width = this.config.d_model;
    return linear(normed, normed.length / width, this.#tensors["token_embedding.weight"].subarray(id * width, (id + 1) * width));
  }

  #nothing() {
    return Array.from({ length: this.config.n_layers }, () => ({ keys: [], values: [] }));
  }

  // Ids, the first at position `start`, through the layers; kept: the keys and values of what stands before them.
  #through(ids, start, kept) {
    const width = this.config.d_model;
    const x = new Float32Array(ids.length * width);
    ids.forEach((id, place) => x.set(this.#tensors["token_embedding.weight"].subarray(id * width, (id + 1) * width), place * width));
    const states = [x];
    kept.forEach((each, layer) => states.push(this.#block(states.at(-1), start, each, `blocks.${layer}`)));
    return states;
  }

  #block(x, start, { keys, values }, name) {
    const { d_model: width, n_heads: heads } = this.config;
    const n = x.length / width;
    const mixed = new Float32Array(x.length);
    rows(this.#linear(this.#normed(x, `${name}.attention_norm`), n, `${name}.attention.qkv`), n).forEach((row, i) => {
      const [query, key, value] = rows(row, 3);
      const place = start + i;
      [keys[place], values[place]] = [turned(key, place, heads), value];
      const seen = [keys, values].map((all) => all.slice(0, place + 1));
      mixed.set(attend(turned(query, place, heads), ...seen, heads)[0], i * width);
    });
    x = added(x, this.#linear(mixed, n, `${name}.attention.output`));
    const inside = activated(this.#linear(this.#normed(x, `${name}.feed_forward_norm`), n, `${name}.feed_forward.hidden`), this.config.activation);
    return added(x, this.#linear(inside, n, `${name}.feed_forward.output`));
  }

  #linear(x, n, name) {
    return linear(x, n, this.#tensors[`${name}.weight`], this.#tensors[`${name}.bias`]);
  }

  #normed(x, name) {
    return rescaled(x, this.#tensors[`${name}.weight`], this.config.eps);
  }
}

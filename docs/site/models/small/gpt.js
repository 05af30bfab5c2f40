// ModernGPT, as tutorial_lib/models/modern_gpt.py does it: for one text, which may grow.
import { watched } from "./heads.js";
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
    return this.#next(this.#through(ids.slice(start), start, cached ? this.#kept : this.#nothing()).at(-1));
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

  // Who looks at whom while ids are read, and what comes next: {logits (V), maps, shape}. broken: as for `watched`.
  async attention(ids, broken) {
    return watched((read, heads) => ({ logits: this.#next(this.#through(read, 0, this.#nothing(), heads).at(-1)) }), ids, broken);
  }

  // The logits (V) of what comes after rows (D) of numbers.
  #next(state) {
    return linear(this.#normed(state.subarray(-this.config.d_model), "final_norm"), 1, this.#tensors["token_embedding.weight"]);
  }

  #nothing() {
    return Array.from({ length: this.config.n_layers }, () => ({ keys: [], values: [] }));
  }

  // Ids, the first at position `start`, through the layers; kept: the keys and values of what stands before them.
  // heads: who watches them, if anybody does.
  #through(ids, start, kept, heads) {
    const width = this.config.d_model;
    const x = new Float32Array(ids.length * width);
    ids.forEach((id, place) => x.set(this.#tensors["token_embedding.weight"].subarray(id * width, (id + 1) * width), place * width));
    const states = [x];
    kept.forEach((each, layer) => {
      const attending = heads?.at(layer) ?? attend;
      states.push(this.#block(states.at(-1), start, each, `blocks.${layer}`, attending));
    });
    return states;
  }

  #block(x, start, { keys, values }, name, attending) {
    const { d_model: width, n_heads: heads } = this.config;
    const n = x.length / width;
    const mixed = new Float32Array(x.length);
    rows(this.#linear(this.#normed(x, `${name}.attention_norm`), n, `${name}.attention.qkv`), n).forEach((row, i) => {
      const [query, key, value] = rows(row, 3);
      const place = start + i;
      [keys[place], values[place]] = [turned(key, place, heads), value];
      const seen = [keys, values].map((all) => all.slice(0, place + 1));
      mixed.set(attending(turned(query, place, heads), ...seen, heads, i)[0], i * width);
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

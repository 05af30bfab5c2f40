// Llama, as tutorial_lib/models/llama.py does it, for one text, which may grow, on packed weights.
import { watched } from "../small/heads.js";
import { added, attend, linear, rescaled, rows, turned } from "../small/numbers.js";

export class Llama {
  #products;
  #tensors;
  #vectors = {}; // those of the norms, by their names
  #ids = []; // what `read` has read
  #kept; // of each layer, the keys and values of these tokens

  // tensors: {name: {kind, shape, at}} by the names of llama.cpp; products: of products.js.
  constructor(config, tensors, products) {
    this.config = config;
    this.#tensors = tensors;
    this.#products = products;
    this.#kept = this.#nothing();
  }

  // The logits (V) of the token after ids; with `cached`, what was read before is not read again.
  read(ids, cached = true) {
    let start = 0;
    while (cached && start < ids.length - 1 && this.#ids[start] === ids[start]) start++;
    const states = this.#through(ids, start, cached ? this.#kept : this.#nothing());
    if (cached) this.#ids = [...ids];
    return this.#next(states.at(-1));
  }

  // What the final norm makes of what enters the first layer, and of what leaves each: L + 1 of (T, D).
  states(ids) {
    return this.#through(ids, 0, this.#nothing()).map((state) => this.#normed(state, "output_norm"));
  }

  // The logits (n, V) of n rows (D) that have passed the final norm.
  logits(normed) {
    return this.#product(normed, this.#tensors["output.weight"] ? "output" : "token_embd");
  }

  // The logits (n) of one id, for the same.
  logitsOf(id, normed) {
    const vector = this.#products.row(this.#tensors["output.weight"] ?? this.#tensors["token_embd.weight"], id);
    return linear(normed, normed.length / vector.length, vector);
  }

  // Who looks at whom while ids are read, and what comes next: {logits (V), maps, shape}. broken: as for `watched`.
  attention(ids, broken) {
    return watched((read, heads) => ({ logits: this.#next(this.#through(read, 0, this.#nothing(), heads).at(-1)) }), ids, broken);
  }

  // The logits (V) of what comes after rows (D) of numbers.
  #next(state) {
    return this.logits(this.#normed(state.subarray(-this.config.d_model), "output_norm"));
  }

  #nothing() {
    return Array.from({ length: this.config.n_layers }, () => ({ keys: [], values: [] }));
  }

  // What enters the first layer and what leaves each, L + 1 of (n, D), of the ids from `start` on.
  // kept: the keys and values of what stands before them; heads: who watches them, if anybody does.
  #through(ids, start, kept, heads) {
    const [width, n] = [this.config.d_model, ids.length - start];
    const x = new Float32Array(n * width);
    for (let i = 0; i < n; i++) x.set(this.#products.row(this.#tensors["token_embd.weight"], ids[start + i]), i * width);
    const states = [x];
    kept.forEach((each, layer) => {
      const attending = heads?.at(layer) ?? attend;
      states.push(this.#block(states.at(-1), start, each, `blk.${layer}`, attending));
    });
    return states;
  }

  #block(x, start, { keys, values }, name, attending) {
    const { d_model: width, n_heads: heads, n_kv_heads: shared, base } = this.config;
    const [n, normed] = [x.length / width, this.#normed(x, `${name}.attn_norm`)];
    const [q, k, v] = ["q", "k", "v"].map((part) => rows(this.#product(normed, `${name}.attn_${part}`), n));
    const mixed = new Float32Array(x.length);
    q.forEach((query, i) => {
      const place = start + i;
      [keys[place], values[place]] = [turned(k[i], place, shared, base), v[i]];
      const seen = [keys, values].map((all) => all.slice(0, place + 1));
      mixed.set(attending(turned(query, place, heads, base), ...seen, heads, i)[0], i * width);
    });
    x = added(x, this.#product(mixed, `${name}.attn_output`));
    return added(x, this.#gated(this.#normed(x, `${name}.ffn_norm`), name));
  }

  // The feed-forward network with a gate: (SiLU(x W_g) * x W_h) W_o.
  #gated(x, name) {
    const [gate, hidden] = ["gate", "up"].map((part) => this.#product(x, `${name}.ffn_${part}`));
    for (let i = 0; i < gate.length; i++) hidden[i] *= gate[i] / (1 + Math.exp(-gate[i]));
    return this.#product(hidden, `${name}.ffn_down`);
  }

  #product(x, name) {
    const tensor = this.#tensors[`${name}.weight`];
    return this.#products.multiply(tensor, x, x.length / tensor.shape[1]);
  }

  #normed(x, name) {
    this.#vectors[name] ??= this.#products.row(this.#tensors[`${name}.weight`]);
    return rescaled(x, this.#vectors[name], this.config.eps);
  }
}

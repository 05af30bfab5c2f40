// Llama, as tutorial_lib/models/llama.py does it, on packed weights.
import { Decoder } from "../small/decoder.js";
import { added, linear, rescaled, rows, turned } from "../small/numbers.js";

export class Llama extends Decoder {
  #products;
  #tensors;
  #vectors = {}; // those of the norms, by their names

  // tensors: {name: {kind, shape, at}} by the names of llama.cpp; products: of products.js.
  constructor(config, tensors, products) {
    super(config);
    this.#tensors = tensors;
    this.#products = products;
  }

  row(id) {
    return this.#products.row(this.#tensors["token_embd.weight"], id);
  }

  logits(normed) {
    return this.#product(normed, this.#tensors["output.weight"] ? "output" : "token_embd");
  }

  // The logits (n) of one id, for n rows (D) that have passed the final norm.
  logitsOf(id, normed) {
    const vector = this.#products.row(this.#tensors["output.weight"] ?? this.#tensors["token_embd.weight"], id);
    return linear(normed, normed.length / vector.length, vector);
  }

  block(x, start, { keys, values }, layer, attending) {
    const { d_model: width, n_heads: heads, n_kv_heads: shared, base } = this.config;
    const name = `blk.${layer}`;
    const [n, normed] = [x.length / width, this.normed(x, `${name}.attn_norm`)];
    const [q, k, v] = ["q", "k", "v"].map((part) => rows(this.#product(normed, `${name}.attn_${part}`), n));
    const mixed = new Float32Array(x.length);
    q.forEach((query, i) => {
      const place = start + i;
      [keys[place], values[place]] = [turned(k[i], place, shared, base), v[i]];
      const seen = [keys, values].map((all) => all.slice(0, place + 1));
      mixed.set(attending(turned(query, place, heads, base), ...seen, heads, i)[0], i * width);
    });
    x = added(x, this.#product(mixed, `${name}.attn_output`));
    return added(x, this.#gated(this.normed(x, `${name}.ffn_norm`), name));
  }

  normed(x, name = "output_norm") {
    this.#vectors[name] ??= this.#products.row(this.#tensors[`${name}.weight`]);
    return rescaled(x, this.#vectors[name], this.config.eps);
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
}

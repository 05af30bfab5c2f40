// Llama, as tutorial_lib/models/llama.py does it, for one text, which may grow, on packed weights.
import { added, linear, rescaled, rows, softmax, turned } from "../small/numbers.js";

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
    const hidden = this.#hidden(ids, start, cached ? this.#kept : this.#nothing());
    if (cached) this.#ids = [...ids];
    return this.logits(rows(hidden, ids.length - start).at(-1));
  }

  // What the final norm makes of what enters the first layer, and of what leaves each: L + 1 of (T, D).
  states(ids) {
    const states = [];
    this.#hidden(ids, 0, this.#nothing(), { state: (x) => states.push(this.#normed(x, "output_norm")) });
    return states;
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

  // {weights: of each layer and head T rows, logits (V) of the next token}.
  // broken: {how, layer, head} as in explorers/attention_model.py; how: zero, uniform, or patch, from the ids of another text.
  attention(ids, broken = null, other = null) {
    const here = (layer, head) => layer === broken?.layer && head === broken.head;
    const patches = []; // what the head mixes at each place of the other text
    if (broken?.how === "patch") {
      this.#hidden(other, 0, this.#nothing(), { head: (layer, head, _, mixed) => here(layer, head) && patches.push(mixed.slice()) });
    }
    const weights = Array.from({ length: this.config.n_layers }, () => Array.from({ length: this.config.n_heads }, () => []));
    const hidden = this.#hidden(ids, 0, this.#nothing(), {
      scores: (layer, head, scores) => here(layer, head) && broken.how === "uniform" && scores.fill(0),
      head: (layer, head, row, mixed) => {
        weights[layer][head].push(row);
        if (here(layer, head) && broken.how === "zero") mixed.fill(0);
        if (here(layer, head) && broken.how === "patch") mixed.set(patches[row.length - 1]);
      },
    });
    return { weights, logits: this.logits(rows(hidden, ids.length).at(-1)) };
  }

  #nothing() {
    return Array.from({ length: this.config.n_layers }, () => ({ keys: [], values: [] }));
  }

  // The last hidden states (n, D) of the ids from `start` on; kept: keys and values of those before them.
  // watch: what is shown each state between layers, each head's scores, and what it mixes; the last two may be changed.
  #hidden(ids, start, kept, watch = {}) {
    const { d_model: width, n_heads: heads, n_kv_heads: shared, base } = this.config;
    const n = ids.length - start;
    let x = new Float32Array(n * width);
    for (let i = 0; i < n; i++) x.set(this.#products.row(this.#tensors["token_embd.weight"], ids[start + i]), i * width);
    watch.state?.(x);
    kept.forEach(({ keys, values }, layer) => {
      const name = `blk.${layer}`;
      const inputs = this.#normed(x, `${name}.attn_norm`);
      const [q, k, v] = ["q", "k", "v"].map((part) => rows(this.#product(inputs, `${name}.attn_${part}`), n));
      const mixed = new Float32Array(n * width);
      for (let i = 0; i < n; i++) {
        const place = start + i;
        [keys[place], values[place]] = [turned(k[i], place, shared, base), v[i]];
        const query = turned(q[i], place, heads, base);
        for (let head = 0; head < heads; head++) this.#attend(query, place + 1, keys, values, layer, head, mixed.subarray(i * width, (i + 1) * width), watch);
      }
      x = added(x, this.#product(mixed, `${name}.attn_output`));
      x = added(x, this.#gated(this.#normed(x, `${name}.ffn_norm`), name));
      watch.state?.(x);
    });
    return this.#normed(x, "output_norm");
  }

  // What one head of a query (D) mixes from the first `seen` values: n_heads / n_kv_heads heads share keys and values.
  #attend(query, seen, keys, values, layer, head, mixed, watch) {
    const { n_heads: heads, n_kv_heads: shared } = this.config;
    const size = query.length / heads;
    const [from, to] = [head * size, Math.floor((head * shared) / heads) * size];
    const scores = new Float64Array(seen);
    for (let s = 0; s < seen; s++) {
      const key = keys[s];
      let sum = 0;
      for (let i = 0; i < size; i++) sum += query[from + i] * key[to + i];
      scores[s] = sum;
    }
    watch.scores?.(layer, head, scores);
    const weights = softmax(scores, Math.sqrt(size));
    for (let s = 0; s < seen; s++) {
      const [value, share] = [values[s], weights[s]];
      for (let i = 0; i < size; i++) mixed[from + i] += share * value[to + i];
    }
    watch.head?.(layer, head, weights, mixed.subarray(from, from + size));
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

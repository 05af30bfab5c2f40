// Llama, as tutorial_lib/models/llama.py does it, one text at a time, on packed weights.
import { added, softmax } from "../small/numbers.js";

const FIRST = 128; // places for keys and values to begin with

// Keys and values of one layer: rows of G heads, one for each token that was read.
class Cache {
  #width;
  #room = 0;
  keys = new Float32Array(0);
  values = new Float32Array(0);

  constructor(width) {
    this.#width = width;
  }

  put(place, keys, values) {
    const needed = place + keys.length / this.#width;
    if (needed > this.#room) {
      this.#room = Math.max(FIRST, 2 ** Math.ceil(Math.log2(needed)));
      for (const name of ["keys", "values"]) {
        const wider = new Float32Array(this.#room * this.#width);
        wider.set(this[name]);
        this[name] = wider;
      }
    }
    this.keys.set(keys, place * this.#width);
    this.values.set(values, place * this.#width);
  }
}

export class Llama {
  #products;
  #tensors;
  #vectors = {}; // those of the norms, by their names
  #read = []; // the ids whose keys and values are kept
  #caches;

  // tensors: {name: {kind, shape, at}} by the names of llama.cpp; products: of products.js.
  constructor(config, tensors, products) {
    this.config = config;
    this.#tensors = tensors;
    this.#products = products;
    this.#caches = this.#emptyCaches();
  }

  // The logits (V) of the token after ids; with `cached`, what was read before is not read again.
  read(ids, cached = true) {
    let known = 0;
    while (cached && known < ids.length - 1 && this.#read[known] === ids[known]) known += 1;
    const x = this.#hidden(ids, known, cached ? this.#caches : this.#emptyCaches());
    if (cached) this.#read = [...ids];
    return this.logits(x.subarray(-this.config.d_model));
  }

  // What each layer hands on, L + 1 times (T, D), after the final norm: what the logit lens reads.
  states(ids) {
    const states = [];
    this.#hidden(ids, 0, this.#emptyCaches(), { layer: (x) => states.push(this.#normed(x, "output_norm")) });
    return states;
  }

  // Logits (n, V) of n states after the final norm.
  logits(states) {
    return this.#product(states, this.#tensors["output.weight"] ? "output" : "token_embd");
  }

  // The logits (V) of one token for n states.
  logit(states, id) {
    const vector = this.#products.row(this.#tensors["output.weight"] ?? this.#tensors["token_embd.weight"], id);
    const width = vector.length;
    return Float32Array.from({ length: states.length / width }, (_, i) => vector.reduce((sum, value, j) => sum + value * states[i * width + j], 0));
  }

  // {weights: of each layer and head T rows (T), logits (V)}.
  // broken: {how, layer, head} as in explorers/attention_model.py; how: zero, uniform or patch, from the text `other`.
  attention(ids, broken = null, other = null) {
    const weights = Array.from({ length: this.config.n_layers }, () => Array.from({ length: this.config.n_heads }, () => []));
    const said = []; // by the head that is patched, at each place of the other text
    if (broken?.how === "patch") {
      this.#hidden(other, 0, this.#emptyCaches(), {
        head: (layer, head, _, mixed) => { if (layer === broken.layer && head === broken.head) said.push(mixed.slice()); },
      });
    }
    const x = this.#hidden(ids, 0, this.#emptyCaches(), {
      scores: (layer, head, scores) => { if (broken?.how === "uniform" && layer === broken.layer && head === broken.head) scores.fill(0); },
      head: (layer, head, row, mixed) => {
        weights[layer][head].push(row);
        if (layer !== broken?.layer || head !== broken.head) return;
        if (broken.how === "zero") mixed.fill(0);
        if (broken.how === "patch") mixed.set(said[row.length - 1]);
      },
    });
    return { weights, logits: this.logits(x.subarray(-this.config.d_model)) };
  }

  #emptyCaches() {
    const { d_model, n_heads, n_kv_heads, n_layers } = this.config;
    return Array.from({ length: n_layers }, () => new Cache((d_model / n_heads) * n_kv_heads));
  }

  // The last hidden states (n, D) of the ids from `start` on; those before are in the caches.
  // watch: layer(x) is shown what each layer hands on; scores and head, what each head computes, and may change it.
  #hidden(ids, start, caches, watch = {}) {
    const [width, n] = [this.config.d_model, ids.length - start];
    let x = new Float32Array(n * width);
    for (let i = 0; i < n; i++) x.set(this.#products.row(this.#tensors["token_embd.weight"], ids[start + i]), i * width);
    watch.layer?.(x);
    for (let layer = 0; layer < this.config.n_layers; layer++) {
      const name = `blk.${layer}`;
      const [q, k, v] = ["q", "k", "v"].map((part) => this.#product(this.#normed(x, `${name}.attn_norm`), `${name}.attn_${part}`));
      this.#turn(q, n, start);
      this.#turn(k, n, start);
      caches[layer].put(start, k, v);
      const mixed = new Float32Array(q.length);
      for (let i = 0; i < n; i++) this.#attend(q.subarray(i * width, (i + 1) * width), start + i + 1, layer, caches[layer], mixed.subarray(i * width, (i + 1) * width), watch);
      x = added(x, this.#product(mixed, `${name}.attn_output`));
      const normed = this.#normed(x, `${name}.ffn_norm`);
      const [gate, hidden] = [this.#product(normed, `${name}.ffn_gate`), this.#product(normed, `${name}.ffn_up`)];
      for (let i = 0; i < gate.length; i++) gate[i] *= hidden[i] / (1 + Math.exp(-gate[i])); // SiLU(gate) * hidden
      x = added(x, this.#product(gate, `${name}.ffn_down`));
      watch.layer?.(x);
    }
    return this.#normed(x, "output_norm");
  }

  // Rotary positions: in each head of n rows, numbers 2i and 2i + 1 turn by place / base ** (2i / K).
  #turn(x, n, start) {
    const [size, heads] = [this.config.d_model / this.config.n_heads, x.length / n / (this.config.d_model / this.config.n_heads)];
    for (let i = 0; i < size; i += 2) {
      const speed = this.config.base ** (-i / size);
      for (let row = 0; row < n; row++) {
        const [cosine, sine] = [Math.cos((start + row) * speed), Math.sin((start + row) * speed)];
        for (let head = 0; head < heads; head++) {
          const at = (row * heads + head) * size + i;
          const [a, b] = [x[at], x[at + 1]];
          x[at] = a * cosine - b * sine;
          x[at + 1] = a * sine + b * cosine;
        }
      }
    }
  }

  // What the heads of one query (D) mix from the first `seen` keys and values; n_heads / n_kv_heads heads share them.
  #attend(query, seen, layer, { keys, values }, mixed, watch) {
    const { n_heads: heads, n_kv_heads: shared } = this.config;
    const size = query.length / heads;
    const width = size * shared;
    for (let head = 0; head < heads; head++) {
      const [from, to] = [head * size, Math.floor((head * shared) / heads) * size];
      const scores = new Float64Array(seen);
      for (let s = 0; s < seen; s++) {
        let sum = 0;
        for (let i = 0; i < size; i++) sum += query[from + i] * keys[s * width + to + i];
        scores[s] = sum;
      }
      watch.scores?.(layer, head, scores);
      const weights = softmax(scores, Math.sqrt(size));
      const result = mixed.subarray(from, from + size);
      for (let s = 0; s < seen; s++) for (let i = 0; i < size; i++) result[i] += weights[s] * values[s * width + to + i];
      watch.head?.(layer, head, weights, result);
    }
  }

  #product(x, name) {
    const tensor = this.#tensors[`${name}.weight`];
    return this.#products.multiply(tensor, x, x.length / tensor.shape[1]);
  }

  // RMSNorm of each row.
  #normed(x, name) {
    const weight = (this.#vectors[name] ??= this.#products.row(this.#tensors[`${name}.weight`]));
    const [width, result] = [weight.length, new Float32Array(x.length)];
    for (let start = 0; start < x.length; start += width) {
      let squares = 0;
      for (let i = start; i < start + width; i++) squares += x[i] ** 2;
      const scale = 1 / Math.sqrt(squares / width + this.config.eps);
      for (let i = 0; i < width; i++) result[start + i] = x[start + i] * scale * weight[i];
    }
    return result;
  }
}

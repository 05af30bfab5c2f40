// What decoders of one text share: keys and values are kept, so that a text which grows is not read anew.
import { watched } from "./heads.js";
import { attend } from "./numbers.js";

// A network adds row(id), the vector of a token; block(x, start, {keys, values}, layer, attending), one layer;
// normed(x), the final norm; and logits(normed), (n, V) of rows (D) that have passed it.
export class Decoder {
  #ids = []; // what `read` has read
  #kept; // of each layer, the keys and values of these tokens

  constructor(config) {
    this.config = config;
    this.#kept = this.#nothing();
  }

  // The logits (V) of the token after ids; with `cached`, what was read before is not read again.
  read(ids, cached = true) {
    const n = ids.length;
    let same = 0;
    while (cached && same < n && ids[same] === this.#ids[same]) same++;
    const states = this.#through(ids, Math.min(same, n - 1), cached ? this.#kept : this.#nothing());
    if (cached && same < n) this.#ids = [...ids];
    return this.#next(states.at(-1));
  }

  // What the final norm makes of what enters the first layer, and of what leaves each: L + 1 of (T, D).
  states(ids) {
    return this.#through(ids, 0, this.#nothing()).map((state) => this.normed(state));
  }

  // Who looks at whom while ids are read, and what comes next: {logits (V), maps, shape}. broken: as for `watched`.
  attention(ids, broken) {
    return watched((read, heads) => ({ logits: this.#next(this.#through(read, 0, this.#nothing(), heads).at(-1)) }), ids, broken);
  }

  // The logits (V) of what comes after rows (D) of numbers.
  #next(state) {
    return this.logits(this.normed(state.subarray(-this.config.d_model)));
  }

  #nothing() {
    return Array.from({ length: this.config.n_layers }, () => ({ keys: [], values: [] }));
  }

  // What enters the first layer and what leaves each, L + 1 of (n, D), of the ids from `start` on.
  // kept: the keys and values of what stands before them; heads: who watches them, if anybody does.
  #through(ids, start, kept, heads) {
    const read = ids.slice(start);
    const x = new Float32Array(read.length * this.config.d_model);
    read.forEach((id, place) => x.set(this.row(id), place * this.config.d_model));
    const states = [x];
    kept.forEach((each, layer) => states.push(this.block(states.at(-1), start, each, layer, heads?.at(layer) ?? attend)));
    return states;
  }
}

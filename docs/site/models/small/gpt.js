// ModernGPT, as tutorial_lib/models/modern_gpt.py does it.
import { Decoder } from "./decoder.js";
import { activated, added, linear, rescaled, rows, turned } from "./numbers.js";

export class ModernGPT extends Decoder {
  #tensors;

  constructor(config, tensors) {
    super(config);
    this.#tensors = tensors;
  }

  row(id) {
    const width = this.config.d_model;
    return this.#tensors["token_embedding.weight"].subarray(id * width, (id + 1) * width);
  }

  logits(normed) {
    return linear(normed, normed.length / this.config.d_model, this.#tensors["token_embedding.weight"]);
  }

  // The logit of one token in each of n rows (D) that have passed the final norm: n numbers.
  logitsOf(id, normed) {
    return linear(normed, normed.length / this.config.d_model, this.row(id));
  }

  block(x, start, { keys, values }, layer, attending) {
    const { d_model: width, n_heads: heads } = this.config;
    const [n, name] = [x.length / width, `blocks.${layer}`];
    const mixed = new Float32Array(x.length);
    rows(this.#linear(this.normed(x, `${name}.attention_norm`), n, `${name}.attention.qkv`), n).forEach((row, i) => {
      const [query, key, value] = rows(row, 3);
      const place = start + i;
      [keys[place], values[place]] = [turned(key, place, heads), value];
      const seen = [keys, values].map((all) => all.slice(0, place + 1));
      mixed.set(attending(turned(query, place, heads), ...seen, heads, i)[0], i * width);
    });
    x = added(x, this.#linear(mixed, n, `${name}.attention.output`));
    const inside = activated(this.#linear(this.normed(x, `${name}.feed_forward_norm`), n, `${name}.feed_forward.hidden`), this.config.activation);
    return added(x, this.#linear(inside, n, `${name}.feed_forward.output`));
  }

  normed(x, name = "final_norm") {
    return rescaled(x, this.#tensors[`${name}.weight`], this.config.eps);
  }

  #linear(x, n, name) {
    return linear(x, n, this.#tensors[`${name}.weight`], this.#tensors[`${name}.bias`]);
  }
}

// BERT, ELECTRA and DistilBERT, as tutorial_lib/models does them, for one text at a time.
import { watched } from "./heads.js";
import { activated, added, attend, linear, normalised, rows } from "./numbers.js";

export class BERT {
  #tensors;

  constructor(config, tensors, facts = {}) {
    this.config = config;
    this.facts = facts;
    this.#tensors = tensors;
  }

  // The last hidden states of ids (T) at their places: T rows of D numbers. heads: who watches them, if anybody does.
  hidden(ids, places = ids.map((_, i) => i), segments = ids.map(() => 0), heads = null) {
    const [t, n, width] = [this.#tensors, ids.length, this.config.d_model];
    let x = new Float32Array(n * width);
    ids.forEach((id, row) => {
      for (let i = 0; i < width; i++) {
        x[row * width + i] = t["token_embedding.weight"][id * width + i] + t["position_embedding.weight"][places[row] * width + i] + (t["segment_embedding.weight"]?.[segments[row] * width + i] ?? 0);
      }
    });
    x = this.#normed(x, n, "embedding_norm");
    for (let layer = 0; layer < this.config.n_layers; layer++) x = this.#block(x, n, `blocks.${layer}`, heads?.at(layer));
    return rows(x, n);
  }

  // Who looks at whom while {ids, segments} are read: {hidden (T rows of D), maps, shape}. broken: as for `watched`.
  attention(input, broken) {
    return watched(({ ids, segments }, heads) => ({ hidden: this.hidden(ids, undefined, segments, heads) }), input, broken);
  }

  // Which token a position holds, from its hidden state (D): logits (V).
  mlmLogits(hidden) {
    const x = activated(this.#linear(hidden, 1, "mlm_head.transform"), "gelu");
    return linear(this.#normed(x, 1, "mlm_head.norm"), 1, this.#tensors["token_embedding.weight"], this.#tensors["mlm_head.bias"]);
  }

  // How surely a token was replaced, from its hidden state (D): one logit.
  replacedLogit(hidden) {
    return this.#linear(activated(this.#linear(hidden, 1, "replaced_head.transform"), "gelu"), 1, "replaced_head.output")[0];
  }

  #block(x, n, name, attending = attend) {
    const width = x.length / n;
    const parts = rows(this.#linear(x, n, `${name}.attention.qkv`), n);
    const part = (number) => parts.map((row) => row.subarray(number * width, (number + 1) * width));
    const [queries, keys, values] = [part(0), part(1), part(2)];
    const mixed = new Float32Array(x.length);
    queries.forEach((query, i) => mixed.set(attending(query, keys, values, this.config.n_heads, i)[0], i * width));
    x = this.#normed(added(x, this.#linear(mixed, n, `${name}.attention.output`)), n, `${name}.attention_norm`);
    const inside = activated(this.#linear(x, n, `${name}.feed_forward.hidden`), this.config.activation);
    return this.#normed(added(x, this.#linear(inside, n, `${name}.feed_forward.output`)), n, `${name}.feed_forward_norm`);
  }

  #linear(x, n, name) {
    return linear(x, n, this.#tensors[`${name}.weight`], this.#tensors[`${name}.bias`]);
  }

  #normed(x, n, name) {
    return normalised(x, n, this.#tensors[`${name}.weight`], this.#tensors[`${name}.bias`], this.config.eps);
  }
}

// BERT, ELECTRA and DistilBERT, as tutorial_lib/models does them, for one text at a time.
import { Blocks } from "./blocks.js";
import { watched } from "./heads.js";
import { activated, added, linear, rows } from "./numbers.js";

export class BERT {
  #parts;
  #tensors;

  constructor(config, tensors, facts = {}) {
    this.config = config;
    this.facts = facts;
    this.#parts = new Blocks(config, tensors);
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
    x = this.#parts.normed(x, n, "embedding_norm");
    for (let layer = 0; layer < this.config.n_layers; layer++) x = this.#block(x, n, `blocks.${layer}`, heads?.at(layer));
    return rows(x, n);
  }

  // Who looks at whom while {ids, segments} are read: {hidden (T rows of D), maps, shape}. broken: as for `watched`.
  attention(input, broken) {
    return watched(({ ids, segments }, heads) => ({ hidden: this.hidden(ids, undefined, segments, heads) }), input, broken);
  }

  // Which token a position holds, from its hidden state (D): logits (V).
  mlmLogits(hidden) {
    const x = activated(this.#parts.linear(hidden, 1, "mlm_head.transform"), "gelu");
    return linear(this.#parts.normed(x, 1, "mlm_head.norm"), 1, this.#tensors["token_embedding.weight"], this.#tensors["mlm_head.bias"]);
  }

  // How surely a token was replaced, from its hidden state (D): one logit.
  replacedLogit(hidden) {
    return this.#parts.linear(activated(this.#parts.linear(hidden, 1, "replaced_head.transform"), "gelu"), 1, "replaced_head.output")[0];
  }

  // LayerNorm comes after each part.
  #block(x, n, name, attending) {
    const [found] = this.#parts.lookedAround(x, n, `${name}.attention`, attending);
    x = this.#parts.normed(added(x, found), n, `${name}.attention_norm`);
    return this.#parts.normed(added(x, this.#parts.feedForward(x, n, `${name}.feed_forward`)), n, `${name}.feed_forward_norm`);
  }
}

// The Transformer, as tutorial_lib/models/transformer.py does it, for one text at a time.
import { Blocks } from "./blocks.js";
import { added, linear } from "./numbers.js";

const range = (n) => Array.from({ length: n }, (_, i) => i);

export class Transformer {
  #blocks;
  #table;

  constructor(config, tensors, facts = {}) {
    this.config = config;
    this.facts = facts;
    this.#blocks = new Blocks(config, tensors);
    this.#table = tensors["source_embedding.weight"]; // both languages share it
  }

  // What the decoder looks at while it writes: of each of its layers, keys and values of the source's ids.
  encode(ids) {
    const { d_model: width, n_layers: layers, n_decoder_layers: decoders } = this.config;
    const n = ids.length;
    let x = new Float32Array(n * width);
    ids.forEach((id, place) => x.set(this.#embedded(id, place), place * width));
    for (const layer of range(layers)) [x] = this.#blocks.block(x, n, `encoder_blocks.${layer}`);
    const memory = this.#blocks.normed(x, n, "encoder_norm");
    return range(decoders ?? layers).map((layer) => this.#blocks.keysAndValues(memory, n, `decoder_blocks.${layer}.cross_attention`));
  }

  // Reads one token more: {logits (V) of the next one, cross (L, H, S), and what it kept of all tokens so far}.
  // source: what encode gave; before: what reading the last token gave, which stays as it is.
  decode(source, id, before = { kept: source.map(() => [[], []]), length: 0 }) {
    const blocks = this.#blocks;
    let x = this.#embedded(id, before.length);
    const [kept, cross] = [[], []];
    source.forEach((memory, layer) => {
      const [own, other] = ["attention", "cross_attention"].map((part) => `decoder_blocks.${layer}.${part}`);
      const normed = blocks.normed(x, 1, `${own}_norm`);
      kept[layer] = blocks.keysAndValues(normed, 1, own).map((news, part) => [...before.kept[layer][part], ...news]);
      x = added(x, blocks.looked(blocks.queries(normed, 1, own), ...kept[layer], own)[0]);
      const asked = blocks.queries(blocks.normed(x, 1, `${other}_norm`), 1, other);
      const [found, [weights]] = blocks.looked(asked, ...memory, other);
      cross[layer] = weights;
      x = blocks.fed(added(x, found), 1, `decoder_blocks.${layer}`);
    });
    const logits = linear(blocks.normed(x, 1, "decoder_norm"), 1, this.#table);
    return { logits, cross, kept, length: before.length + 1 };
  }

  // A token's vector, times sqrt(D), with the sines and cosines of its place.
  #embedded(id, place) {
    const width = this.config.d_model;
    const x = new Float32Array(width);
    for (let i = 0; i < width; i += 2) {
      const angle = place / 10_000 ** (i / width);
      x[i] = this.#table[id * width + i] * Math.sqrt(width) + Math.sin(angle);
      x[i + 1] = this.#table[id * width + i + 1] * Math.sqrt(width) + Math.cos(angle);
    }
    return x;
  }
}

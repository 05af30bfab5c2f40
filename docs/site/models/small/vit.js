// ViT, as tutorial_lib/models/vit.py does it, for one grey picture: learned positions and [CLS].
import { Blocks } from "./blocks.js";
import { watched } from "./heads.js";
import { added } from "./numbers.js";

// Squares of `size` pixels, each a row of numbers; they share `overlap` pixels, and beyond the picture lie zeros.
function patches(picture, side, size, overlap) {
  const stride = size - overlap;
  const across = Math.ceil((side - overlap) / stride);
  const margin = Math.floor((across * stride + overlap - side) / 2);
  const cut = new Float32Array(across * across * size * size);
  let at = 0;
  for (let row = 0; row < across; row++) {
    for (let column = 0; column < across; column++) {
      for (let down = 0; down < size; down++) {
        for (let right = 0; right < size; right++, at++) {
          const [y, x] = [row * stride + down - margin, column * stride + right - margin];
          if (y >= 0 && y < side && x >= 0 && x < side) cut[at] = picture[y * side + x];
        }
      }
    }
  }
  return { across, cut };
}

export class ViT {
  #blocks;
  #tensors;

  constructor(config, tensors) {
    this.config = config;
    this.#blocks = new Blocks(config, tensors);
    this.#tensors = tensors;
  }

  // Who looks at whom in a picture, and what it shows: {logits, maps, shape, across}. broken: as for `watched`.
  async attention(picture, broken) {
    return watched((other, heads) => this.read(other, heads), picture, broken);
  }

  // Of a picture of side x side numbers: {logits, maps (L, T, H, T), across: patches in a row}.
  read(picture, heads) {
    const { image_size: side, patch_size: size, overlap, d_model: width, n_layers: layers } = this.config;
    const { across, cut } = patches(picture, side, size, overlap);
    const n = 1 + across * across;
    let x = new Float32Array(n * width);
    x.set(this.#tensors["patch_embedding.class_token"]);
    x.set(this.#blocks.linear(cut, n - 1, "patch_embedding.projection"), width);
    x = added(x, this.#tensors["position_embedding.weight"]);
    const maps = [];
    for (let layer = 0; layer < layers; layer++) [x, maps[layer]] = this.#blocks.block(x, n, `blocks.${layer}`, heads?.at(layer));
    const whole = this.#blocks.normed(x.subarray(0, width), 1, "final_norm");
    return { logits: this.#blocks.linear(whole, 1, "classifier"), maps, across };
  }
}

// The decoder of a VQ-VAE, as tutorial_lib/models/vq.py does it: a grid of codes becomes a picture.

// A map is {rows, columns, values}: channels of rows x columns numbers, one after another.

// A convolution that keeps the size; weight (O, I, K, K), K odd, zeros around the map.
export function convolved({ rows, columns, values }, weight, bias, size) {
  const [cells, half] = [rows * columns, (size - 1) / 2];
  const [inputs, outputs] = [values.length / cells, bias.length];
  const result = new Float32Array(outputs * cells);
  for (let out = 0; out < outputs; out++) {
    const made = result.subarray(out * cells, (out + 1) * cells).fill(bias[out]);
    for (let each = 0; each < inputs; each++) {
      for (let down = -half; down <= half; down++) {
        for (let right = -half; right <= half; right++) {
          const w = weight[((out * inputs + each) * size + down + half) * size + right + half];
          for (let row = Math.max(0, -down); row < Math.min(rows, rows - down); row++) {
            const from = each * cells + (row + down) * columns + right;
            for (let column = Math.max(0, -right); column < Math.min(columns, columns - right); column++) {
              made[row * columns + column] += w * values[from + column];
            }
          }
        }
      }
    }
  }
  return { rows, columns, values: result };
}

// A transposed convolution that doubles the size: weight (I, O, 4, 4), stride 2, padding 1.
export function doubled({ rows, columns, values }, weight, bias) {
  const [cells, wide, high] = [rows * columns, 2 * columns, 2 * rows];
  const [inputs, outputs] = [values.length / cells, bias.length];
  const result = new Float32Array(outputs * high * wide);
  for (let out = 0; out < outputs; out++) {
    const made = result.subarray(out * high * wide, (out + 1) * high * wide).fill(bias[out]);
    for (let each = 0; each < inputs; each++) {
      const start = (each * outputs + out) * 16;
      for (let row = 0; row < rows; row++) {
        for (let down = 0; down < 4; down++) {
          const y = 2 * row + down - 1;
          if (y < 0 || y >= high) continue;
          for (let right = 0; right < 4; right++) {
            const w = weight[start + 4 * down + right];
            for (let column = 0; column < columns; column++) {
              const x = 2 * column + right - 1;
              if (x >= 0 && x < wide) made[y * wide + x] += w * values[each * cells + row * columns + column];
            }
          }
        }
      }
    }
  }
  return { rows: high, columns: wide, values: result };
}

const rectified = (map) => ({ ...map, values: map.values.map((value) => Math.max(value, 0)) });

export class VQAutoencoder {
  #tensors;

  constructor(config, tensors) {
    this.config = config;
    this.#tensors = tensors;
  }

  // What is painted from side x side codes: {rows, columns, values} of numbers from 0 to 1.
  decode(codes) {
    const { width, halvings, image_size: pixels, n_residual: residual } = this.config;
    const [side, book] = [pixels / 2 ** halvings, this.#tensors["book.vectors"]];
    const values = new Float32Array(width * side * side);
    codes.forEach((code, cell) => {
      for (let i = 0; i < width; i++) values[i * side * side + cell] = book[code * width + i];
    });
    let map = this.#convolved({ rows: side, columns: side, values }, "0", 3);
    for (let layer = 1; layer <= residual; layer++) {
      const found = this.#convolved(rectified(this.#convolved(rectified(map), `${layer}.near`, 3)), `${layer}.mixed`, 1);
      map = { ...map, values: map.values.map((value, i) => value + found.values[i]) };
    }
    for (let n = 0; n < halvings; n++) {
      const name = `decoder.${residual + 2 + 2 * n}`; // a ReLU stands before each
      map = doubled(rectified(map), this.#tensors[`${name}.weight`], this.#tensors[`${name}.bias`]);
    }
    return { ...map, values: map.values.map((value) => 1 / (1 + Math.exp(-value))) };
  }

  #convolved(map, name, size) {
    return convolved(map, this.#tensors[`decoder.${name}.weight`], this.#tensors[`decoder.${name}.bias`], size);
  }
}

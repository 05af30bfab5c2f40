// Weights as llama.cpp packs them, read in place: rows unpacked, and products with vectors.
// A tensor is {kind, shape: [rows, width], at: its first byte}; a vector has one row, and widths are multiples of 32.

export const BLOCK = 32; // numbers that share a scale
export const BYTES = { F32: 4 * BLOCK, Q4_1: 20, Q8_0: 34 }; // of a block
const AT_ONCE = 16; // vectors that share an unpacked row
const PAGE = 1 << 16; // bytes

const rowBytes = ({ kind, shape: [, width] }) => (width / BLOCK) * BYTES[kind];

// A number of half precision (IEEE 754).
function half(bits) {
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  const size = exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return bits >> 15 ? -size : size;
}

const UNPACK = {
  F32(bytes, line) {
    new Uint8Array(line.buffer).set(bytes);
  },
  // A scale and 32 signed bytes.
  Q8_0(bytes, line) {
    for (let i = 0; i < line.length; i += BLOCK) {
      const at = (i / BLOCK) * BYTES.Q8_0;
      const scale = half(bytes[at] | (bytes[at + 1] << 8));
      for (let j = 0; j < BLOCK; j++) line[i + j] = scale * ((bytes[at + 2 + j] << 24) >> 24);
    }
  },
  // A scale, a shift, the low halves of sixteen bytes, then their high halves.
  Q4_1(bytes, line) {
    for (let i = 0; i < line.length; i += BLOCK) {
      const at = (i / BLOCK) * BYTES.Q4_1;
      const scale = half(bytes[at] | (bytes[at + 1] << 8));
      const shift = half(bytes[at + 2] | (bytes[at + 3] << 8));
      for (let j = 0; j < BLOCK / 2; j++) {
        const pair = bytes[at + 4 + j];
        line[i + j] = Math.fround(scale * (pair & 15)) + shift;
        line[i + j + BLOCK / 2] = Math.fround(scale * (pair >> 4)) + shift;
      }
    }
  },
};

// In plain JavaScript: for browsers without SIMD, and to see what products.wat does.
export class Products {
  #bytes;

  // bytes: where the weights lie, a Uint8Array, which may be filled later.
  constructor(bytes) {
    this.#bytes = bytes;
  }

  // A part of the file, from a byte on.
  fill(at, part) {
    this.#bytes.set(new Uint8Array(part), at);
  }

  // A row of a matrix, or a vector, unpacked.
  row(tensor, number = 0) {
    const size = rowBytes(tensor);
    const packed = this.#bytes.subarray(tensor.at + number * size, tensor.at + (number + 1) * size);
    const line = new Float32Array(tensor.shape[1]);
    UNPACK[tensor.kind](packed, line);
    return line;
  }

  // x (n, width) times each row of a matrix: (n, rows).
  multiply(tensor, x, n) {
    const [rows, width] = tensor.shape;
    const result = new Float32Array(n * rows);
    for (let row = 0; row < rows; row++) {
      const line = this.row(tensor, row);
      for (let i = 0; i < n; i++) {
        let sum = 0;
        for (let j = 0; j < width; j++) sum += line[j] * x[i * width + j];
        result[i * rows + row] = sum;
      }
    }
    return result;
  }
}

// The same by products.wat.
export class FastProducts extends Products {
  #multiply;
  #memory;
  #input;
  #output;

  // code: products.wat, assembled; size: of all weights, in bytes; tensors: what there is to multiply.
  constructor(code, size, tensors) {
    const [most, longest] = [0, 1].map((axis) => Math.max(...Object.values(tensors).map(({ shape }) => shape[axis])));
    const input = 4 * longest; // after a line of unpacked numbers
    const output = input + 4 * longest * AT_ONCE;
    const weights = output + 4 * most * AT_ONCE;
    const memory = new WebAssembly.Memory({ initial: Math.ceil((weights + size) / PAGE) });
    super(new Uint8Array(memory.buffer, weights, size));
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(code), { page: { memory } });
    this.#multiply = ({ kind, shape, at }, n) => exports.multiply(
      kind === "Q8_0" ? 1 : 0, weights + at, rowBytes({ kind, shape }), ...shape, input, n, output,
    );
    [this.#memory, this.#input, this.#output] = [memory.buffer, input, output];
  }

  multiply(tensor, x, n) {
    const [rows, width] = tensor.shape;
    const result = new Float32Array(n * rows);
    for (let first = 0; first < n; first += AT_ONCE) {
      const some = Math.min(AT_ONCE, n - first);
      new Float32Array(this.#memory, this.#input).set(x.subarray(first * width, (first + some) * width));
      this.#multiply(tensor, some);
      result.set(new Float32Array(this.#memory, this.#output, some * rows), first * rows);
    }
    return result;
  }
}

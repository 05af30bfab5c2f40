// A Llama from the parts of its file, as large_files.py packs it: safetensors with rows of bytes.
import { Llama } from "./llama.js";
import { BLOCK, BYTES, FastProducts, Products } from "./products.js";

// parts: ArrayBuffers that make up the file; code: products.wat, assembled, or null for plain JavaScript.
export function unpacked(parts, code) {
  const size = Number(new DataView(parts[0]).getBigUint64(0, true));
  const { __metadata__: metadata, ...entries } = JSON.parse(new TextDecoder().decode(new Uint8Array(parts[0], 8, size)));
  const kinds = JSON.parse(metadata.kinds);
  const tensors = Object.fromEntries(Object.entries(entries).map(([name, { shape: [rows, bytes], data_offsets: [at] }]) => {
    const kind = kinds[name];
    return [name, { kind, shape: [rows, (bytes / BYTES[kind]) * BLOCK], at: at + 8 + size }];
  }));
  const total = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const products = code && WebAssembly.validate(code) ? new FastProducts(code, total, tensors) : new Products(new Uint8Array(total));
  let at = 0;
  for (const part of parts) {
    products.fill(at, part);
    at += part.byteLength;
  }
  return new Llama(JSON.parse(metadata.config), tensors, products);
}

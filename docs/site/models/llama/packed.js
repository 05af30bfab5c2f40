// A Llama from the parts of its file, as large_files.py packs it: safetensors with rows of bytes.
import { header } from "../safetensors.js";
import { Llama } from "./llama.js";
import { BLOCK, BYTES, FastProducts, Products } from "./products.js";

// The sizes of the Llama whose first part this is.
export const config = (part) => JSON.parse(header(part).metadata.config);

// parts: ArrayBuffers that make up the file; code: products.wat, assembled, or null for plain JavaScript.
export function unpacked(parts, code) {
  const { metadata, entries, start } = header(parts[0]);
  const kinds = JSON.parse(metadata.kinds);
  const tensors = Object.fromEntries(Object.entries(entries).map(([name, { shape: [rows, bytes], data_offsets: [at] }]) => {
    const kind = kinds[name];
    return [name, { kind, shape: [rows, (bytes / BYTES[kind]) * BLOCK], at: start + at }];
  }));
  const total = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const fast = code && WebAssembly.validate(code);
  const products = fast ? new FastProducts(code, total, tensors) : new Products(new Uint8Array(total));
  let at = 0;
  for (const part of parts) {
    products.fill(at, part);
    at += part.byteLength;
  }
  return new Llama(config(parts[0]), tensors, products);
}

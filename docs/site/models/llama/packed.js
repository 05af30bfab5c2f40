// A Llama from the parts of its file, as large_files.py packs it: safetensors with rows of bytes.
import { header } from "../safetensors.js";
import { Llama } from "./llama.js";
import { BLOCK, BYTES, FastProducts, Products } from "./products.js";

// What the first part says of the Llama: its sizes, and how its tensors are packed.
const facts = (part) => JSON.parse(header(part).metadata.facts);

// parts: ArrayBuffers that make up the file; code: products.wat, assembled, or null for plain JavaScript.
export function unpacked(parts, code) {
  const { config, kinds } = facts(parts[0]);
  const { entries, start } = header(parts[0]);
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
  return new Llama(config, tensors, products);
}

// A Llama from the parts of its file, as large_files.py packs it: safetensors with rows of bytes.
import { Llama } from "./llama.js";
import { BLOCK, BYTES, FastProducts, Products } from "./products.js";

// What the file says of itself, {config, kinds, entries}, and where its numbers begin.
function head(part) {
  const size = Number(new DataView(part).getBigUint64(0, true));
  const { __metadata__: { config, kinds }, ...entries } = JSON.parse(new TextDecoder().decode(new Uint8Array(part, 8, size)));
  return { config: JSON.parse(config), kinds: JSON.parse(kinds), entries, start: 8 + size };
}

// The sizes of the Llama whose first part this is.
export const config = (part) => head(part).config;

// parts: ArrayBuffers that make up the file; code: products.wat, assembled, or null for plain JavaScript.
export function unpacked(parts, code) {
  const { config, kinds, entries, start } = head(parts[0]);
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

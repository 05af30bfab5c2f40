// Files of tensors (safetensors): eight bytes of length, a header in JSON, then the numbers one after another.
import { widened } from "./small/numbers.js";

const READERS = {
  F32: (buffer, start, end) => new Float32Array(buffer.slice(start, end)),
  F16: (buffer, start, end) => widened(new Uint16Array(buffer.slice(start, end))),
  I8: (buffer, start, end) => new Int8Array(buffer.slice(start, end)),
};

// What a file says before its numbers: metadata, entries {name: {dtype, shape, data_offsets}}, and where the numbers start.
export function header(buffer) {
  const size = Number(new DataView(buffer).getBigUint64(0, true));
  const { __metadata__: metadata = {}, ...entries } = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, size)));
  return { metadata, entries, start: 8 + size };
}

// {metadata, tensors: {name: numbers}}; metadata: strings by name.
export function safetensors(buffer) {
  const { metadata, entries, start } = header(buffer);
  const tensors = {};
  for (const [name, { dtype, data_offsets: [from, to] }] of Object.entries(entries)) {
    tensors[name] = READERS[dtype](buffer, start + from, start + to);
  }
  return { metadata, tensors };
}

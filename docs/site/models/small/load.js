// Small networks by the names of export_small.py, each read once.
import { BERT } from "./bert.js";
import { ModernGPT } from "./gpt.js";
import { widened } from "./numbers.js";
import { VQAutoencoder } from "./pictures.js";
import { Transformer } from "./transformer.js";
import { ViT } from "./vit.js";

const KINDS = { BERT, ELECTRA: BERT, DistilBERT: BERT, ModernGPT, Transformer, ViT, VQAutoencoder };
const found = new Map();

// {name: numbers} of what export_small.py wrote.
export function tensors({ data, dtype, tensors: shapes }) {
  const signs = atob(data);
  const bytes = new Uint8Array(signs.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = signs.charCodeAt(i);
  const numbers = dtype === "float16" ? widened(new Uint16Array(bytes.buffer)) : new Float32Array(bytes.buffer);
  let at = 0;
  return Object.fromEntries(shapes.map(([name, shape]) => {
    const size = shape.reduce((a, b) => a * b, 1);
    at += size;
    return [name, numbers.subarray(at - size, at)];
  }));
}

export const network = (stored) => new KINDS[stored.kind](stored.config, tensors(stored), stored.facts);

// The network of a name; context: what a brain is given.
export async function loaded(context, name) {
  if (!found.has(name)) {
    const stored = () => globalThis.tl?.networks?.[name];
    context.busy("Loading a small network, at most 3 MB ...");
    if (!stored()) await context.script(`models/small/${name}.js`);
    found.set(name, network(stored()));
    context.busy(null);
  }
  return found.get(name);
}

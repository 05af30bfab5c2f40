// A Llama for the brains of a page.
import { Beside } from "../beside.js";
import { large } from "../large.js";
import { unpacked } from "./packed.js";

const METHODS = ["read", "states", "logits", "logitsOf", "attention"];
const found = new Map();

// The Llama of a name. context: what a brain is given, with the Llama's files under "large".
export async function llama(context, name) {
  const load = () => large(context, ...context.large);
  if (!globalThis.Worker) return unpacked(await load(), null); // Node, which tests it
  if (!found.has(name)) found.set(name, new Beside(`${context.base}models/workers/llama.js`, load, METHODS));
  await found.get(name).ready();
  return found.get(name);
}

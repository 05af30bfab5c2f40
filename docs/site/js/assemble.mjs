// Assembles a module of WebAssembly from its text.
import { readFileSync } from "node:fs";
import wabt from "wabt";

export async function assembled(path) {
  const parsed = (await wabt()).parseWat(path, readFileSync(path, "utf8"));
  const { buffer } = parsed.toBinary({});
  parsed.destroy();
  return buffer;
}

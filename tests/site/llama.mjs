// Asks a Llama what a test asks: reads {files, wat, jobs: [[method, ...given]]}; wat: the products to assemble, or null for plain JavaScript.
import { readFileSync } from "node:fs";
import { unpacked } from "../../docs/site/models/llama/packed.js";

const revived = (_, value) => (value?.floats ? Float32Array.from(value.floats) : value);
const { files, wat, jobs } = JSON.parse(readFileSync(0, "utf8"), revived);
const parts = files.map((file) => new Uint8Array(readFileSync(file)).buffer);
const code = wat && await (await import("../../docs/site/js/assemble.mjs")).assembled(wat);
const model = unpacked(parts, code);
const plain = (_, value) => (ArrayBuffer.isView(value) ? Array.from(value) : value);
process.stdout.write(JSON.stringify(jobs.map(([method, ...given]) => model[method](...given)), plain));

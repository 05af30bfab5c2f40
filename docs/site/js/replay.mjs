// Gives a brain the messages that a test has for it: reads {brain, state, extras, messages}, writes what it sends back to each.
// base: the folder of what the build puts beside the pages.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runInThisContext } from "node:vm";
import { Model, revive } from "./model.js";

const wrap = (value) => {
  if (ArrayBuffer.isView(value)) return { __bytes__: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64") };
  if (Array.isArray(value)) return value.map(wrap);
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, wrap(inner)]));
  return value;
};

const { brain, state, extras, messages, base = "" } = JSON.parse(readFileSync(0, "utf8"));
const { default: make } = await import(pathToFileURL(brain));
const answers = [];
const script = async (path) => { runInThisContext(readFileSync(join(base, path), "utf8")); };
globalThis.fetch = async (path) => new Response(readFileSync(path));
const card = extras.large ? JSON.parse(readFileSync(join(base, "models/large/card.json"), "utf8")) : {};
const large = (extras.large ?? []).flatMap((name) => card[name]);
const model = new Model(revive(state), () => make({ extras, base: `${base}/`, script, large, busy() {}, ask() {} }));
model.failed = (error) => { throw error; };
const receive = model.receive.bind(model);
let sent;
model.receive = (values) => {
  Object.assign(sent, values);
  receive(values);
};
for (const message of messages) {
  sent = {};
  model.set(revive(message));
  model.save_changes();
  while (!model.idle) await new Promise((done) => setImmediate(done));
  answers.push(wrap(sent));
}
process.stdout.write(JSON.stringify(answers));

// Gives tokenizers the texts that a test has for them: reads {base, jobs: [{load, name, merges, texts}]}.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runInThisContext } from "node:vm";

const { load, base, jobs } = JSON.parse(readFileSync(0, "utf8"));
const { characterTables, tokenizer } = await import(pathToFileURL(load));
const context = { busy() {}, script: async (path) => { runInThisContext(readFileSync(join(base, path), "utf8")); } };
const ways = {
  async characters({ patterns, texts }) {
    const tables = await characterTables(context);
    const [bert, ...others] = patterns.map((pattern) => tables.translated(pattern));
    return texts.map((text) => [
      tables.bertWords(text, true, bert), tables.bertWords(text, false, bert), ...others.map((pattern) => text.match(pattern) ?? []),
      tables.isPrintable(text),
    ]);
  },
  async tokens({ name, merges, allowed, pairs, texts }) {
    const one = await tokenizer(context, name, merges);
    const errors = (work) => { try { return work(); } catch (error) { return `${error.name}: ${error.message}`; } };
    return texts.map((text, i) => errors(() => {
      const found = pairs ? one.encode(text, pairs[i]) : one.encode(text, allowed);
      const ids = found.ids ?? found;
      return [ids, found.segments ?? null, found.tokens ?? ids.map((id) => Buffer.from(one.tokenBytes(id)).toString("hex")), one.decode(ids)];
    }));
  },
};
const answers = [];
for (const job of jobs) answers.push(await ways[job.way](job));
process.stdout.write(JSON.stringify(answers));

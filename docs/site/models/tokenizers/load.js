// Tokenizers by the names of export_vocabularies.py, each read once.
import { BPETokenizer } from "./bpe.js";
import { CharacterTokenizer, Characters } from "./characters.js";
import { WordPieceTokenizer } from "./wordpiece.js";

const KINDS = { bpe: BPETokenizer, characters: CharacterTokenizer, wordpiece: WordPieceTokenizer };
const found = new Map();
let characters = null;

async function content(context, name) {
  const stored = () => globalThis.tl?.vocabularies?.[name];
  if (!stored()) await context.script(`models/vocabularies/${name}.js`);
  return stored();
}

// The tables of characters, which every tokenizer needs, and how many bytes each vocabulary has.
async function tables(context) {
  const { sets, sizes } = await content(context, "characters");
  characters ??= new Characters(sets);
  return { characters, sizes };
}

// The tokenizer of a name; merges: how many of a BPE's merges count. context: what a brain is given.
export async function tokenizer(context, name, merges) {
  const key = `${name} ${merges ?? ""}`;
  if (!found.has(key)) {
    const { characters, sizes } = await tables(context);
    if (!globalThis.tl.vocabularies[name]) context.busy(`Loading a vocabulary, ${megabytes(sizes[name])} ...`);
    const vocabulary = await content(context, name);
    found.set(key, new KINDS[vocabulary.kind](vocabulary, characters, { merges }));
    context.busy(null);
  }
  return found.get(key);
}

export async function characterTables(context) {
  return (await tables(context)).characters;
}

const megabytes = (bytes) => (bytes < 100_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

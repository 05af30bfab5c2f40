// A text under several tokenizers, as explorers/tokens.py cuts it.
import { tokenizer } from "../models/tokenizers/load.js";
import { encoded } from "../models/tokenizers/characters.js";
import { answering } from "./lib/python.js";

const LIMIT = 2000;
const MARKS = { " ": "·", "\r": "␍", "\n": "↵", "\t": "→" };

export const visible = (token) => token.replace(/[ \r\n\t]/g, (blank) => MARKS[blank]);
const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");

function fromBytes(raw, id) {
  let shown;
  try {
    shown = visible(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(raw));
  } catch {
    shown = Array.from(raw, (byte) => (byte > 32 && byte < 127 ? String.fromCharCode(byte) : `<${hex([byte]).toUpperCase()}>`)).join("");
  }
  return [shown, id, hex(raw)];
}

function row(name, one, text) {
  const encoding = one.encode(text);
  return {
    name,
    tokens: encoding.tokens
      ? encoding.tokens.map((token, i) => [visible(token), encoding.ids[i], hex(encoded(token))])
      : encoding.map((id) => fromBytes(one.tokenBytes(id), id)),
    characters: [...text].length,
    bytes: encoded(text).length,
  };
}

// extras: {tokenizers: [{name, vocabulary, merges}]}
export default function brain(context) {
  return answering(LIMIT, async ({ text }) => {
    const rows = [];
    for (const { name, vocabulary, merges } of context.extras.tokenizers) {
      try {
        rows.push(row(name, await tokenizer(context, vocabulary, merges), text));
      } catch (error) {
        rows.push({ name, error: `${error.name}: ${error.message}` });
      }
    }
    return { rows };
  });
}

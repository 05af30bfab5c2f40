// What Python asks about characters, from the tables of the Python that built the site: browsers differ in their
// version of Unicode, and tokens must not depend on that. Texts are strings, ids numbers; lengths count characters.

// "2 3 4 1" in base 36: two left out, three in, four left out, one in. Returns [[first, last], ...].
function runs(packed) {
  const numbers = packed.split(" ").map((part) => parseInt(part, 36));
  const found = [];
  for (let i = 0, at = 0; i < numbers.length; i += 2) {
    at += numbers[i] + numbers[i + 1];
    found.push([at - numbers[i + 1], at - 1]);
  }
  return found;
}

const escaped = (code) => `\\u{${code.toString(16)}}`;

export class Characters {
  #sources = new Map();
  #sets;
  #found = new Map();

  // sets: {name: runs} as export_vocabularies.py packs them.
  constructor(sets) {
    this.#sets = sets;
  }

  // What stands for a set inside the [] of a pattern with the flag u.
  source(name) {
    if (!this.#sources.has(name)) {
      this.#sources.set(name, runs(this.#sets[name]).map(([first, last]) => `${escaped(first)}-${escaped(last)}`).join(""));
    }
    return this.#sources.get(name);
  }

  // A pattern of our own, in which <name> stands for a set; made once.
  pattern(text, flags = "gu") {
    const key = `${flags} ${text}`;
    if (!this.#found.has(key)) this.#found.set(key, new RegExp(text.replace(/<(\w+)>/g, (_, name) => this.source(name)), flags));
    return this.#found.get(key);
  }

  // A pattern of Python's module regex, with \p{..}, \s and \S, as the tokenizers have them.
  translated(python) {
    let inside = false;
    const text = python.replace(/\\p\{(\w)\}|\\(s)|\\(S)|\\.|[[\]]/g, (part, property, blank, other) => {
      if (part === "[" || part === "]") inside = part === "[";
      if (other) return `[^${this.source("s")}]`;
      const name = property ?? blank;
      if (!name) return part;
      return inside ? this.source(name) : `[${this.source(name)}]`;
    });
    return new RegExp(text, "gu");
  }

  // unicodedata.normalize("NFD", text): characters that Python does not know stay as they are.
  decomposed(text) {
    if (/^[\0-\x7f]*$/.test(text)) return text;
    return text.split(this.pattern("([<unknown>]+)", "u")).map((part, i) => (i % 2 ? part : part.normalize("NFD"))).join("");
  }

  // str.isprintable()
  isPrintable(text) {
    return !this.pattern("[<unprintable>]", "u").test(text);
  }

  // bert_words: words, punctuation marks and ideographs of a text.
  bertWords(text, lowercase, pattern) {
    if (!/^[ -~]*$/.test(text)) {
      text = text
        .replace(/[\t\n\r]/g, " ")
        .replace(this.pattern("[<dropped>]+"), "")
        .replace(this.pattern("[<blanks>]"), " ")
        .replace(this.pattern("[<ideographs>]"), " $& ");
    }
    if (lowercase) {
      // Letter by letter: a whole string's toLowerCase() would write a Greek sigma in two ways.
      const known = this.pattern("[^<unknown>]");
      text = this.decomposed(text).replace(this.pattern("[<marks>]+"), "").replace(known, (letter) => letter.toLowerCase());
    }
    return text.match(pattern) ?? [];
  }
}

// text with each half of a surrogate pair, which UTF-8 cannot write, as U+FFFD.
export const withoutHalfPairs = (text) => text.replace(/\p{Cs}/gu, "\ufffd");

// Cut text at special tokens: [text, name, text, name, text]; of two that fit the longer wins.
export function splitAt(names, text) {
  if (!names.length) return [text];
  const longest = [...names].sort((a, b) => [...b].length - [...a].length);
  const pattern = longest.map((name) => name.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|");
  return text.split(new RegExp(`(${pattern})`, "u"));
}

// An error as Python names it.
export class VocabularyError extends Error {
  name = "VocabularyError";
}

// repr() of a short text in an error.
export function quoted(text, characters) {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const named = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", [mark]: `\\${mark}` };
  const inside = [...text].map((sign) => {
    if (named[sign]) return named[sign];
    if (characters.isPrintable(sign)) return sign;
    const code = sign.codePointAt(0);
    const [letter, digits] = code < 0x100 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
    return `\\${letter}${code.toString(16).padStart(digits, "0")}`;
  });
  return `${mark}${inside.join("")}${mark}`;
}

export function unknownId(id, size) {
  return new VocabularyError(`id ${id} is not in the vocabulary: ids are 0 to ${size - 1} (vocab_size ${size})`);
}

// Bytes of a character or a token: what UTF-8 cannot read becomes U+FFFD, a mark of byte order stays.
export const decoded = (bytes) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
export const encoded = (text) => new TextEncoder().encode(text);

// The letters of an alphabet, an id being a place in it (recipes/shakespeare_gpt.py).
export class CharacterTokenizer {
  #characters;
  #places;

  constructor({ alphabet }, characters) {
    this.#characters = characters;
    this.alphabet = [...alphabet];
    this.#places = new Map(this.alphabet.map((sign, i) => [sign, i]));
    this.vocabSize = this.alphabet.length;
    this.specials = {};
  }

  encode(text) {
    return [...text].map((sign) => {
      const id = this.#places.get(sign);
      if (id === undefined) {
        throw new VocabularyError(`${quoted(sign, this.#characters)} is not among the ${this.vocabSize} characters`);
      }
      return id;
    });
  }

  decode(ids) {
    return ids.map((id) => this.alphabet[id]).join("");
  }

  tokenBytes(id) {
    return encoded(this.alphabet[id]);
  }
}

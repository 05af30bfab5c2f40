// Byte-level byte-pair encoding, as tutorial_lib/tokenizers/bpe.py does it.
import { VocabularyError, decoded, encoded, splitAt, unknownId, withoutHalfPairs } from "./characters.js";

const [MOST_WORDS, MOST_LETTERS] = [1 << 16, 64]; // of the cache
const MOST_SYMBOLS = 2 ** 32;

// GPT-2's table from each byte to one printable character, and back.
const SIGNS = [];
for (let byte = 0, moved = 256; byte < 256; byte++) {
  const shown = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
  SIGNS.push(String.fromCharCode(shown ? byte : moved++));
}
const BYTES = new Map(SIGNS.map((sign, byte) => [sign, byte]));

const unprintable = (token) => Uint8Array.from(token, (sign) => BYTES.get(sign));

// A heap of numbers, the smallest first.
class Heap {
  #all = [];

  push(number) {
    const all = this.#all;
    let i = all.length;
    while (i > 0) {
      const above = (i - 1) >> 1;
      if (all[above] <= number) break;
      all[i] = all[above];
      i = above;
    }
    all[i] = number;
  }

  pop() {
    const all = this.#all;
    const [first, last] = [all[0], all.pop()];
    if (!all.length) return first;
    let i = 0;
    for (let below = 1; below < all.length; below = 2 * i + 1) {
      if (below + 1 < all.length && all[below + 1] < all[below]) below += 1;
      if (all[below] >= last) break;
      all[i] = all[below];
      i = below;
    }
    all[i] = last;
    return first;
  }

  get size() {
    return this.#all.length;
  }
}

export class BPETokenizer {
  #cache = new Map();
  #find;
  #ids = new Map(); // a token in printable characters -> its id
  #pairs;
  #ranks = new Map(); // "first second" -> its rank
  #tokens = new Map(); // id -> bytes

  // vocabulary: what export_vocabularies.py writes; merges: how many of its merges count, all by default.
  constructor(vocabulary, characters, { merges } = {}) {
    const lines = vocabulary.merges ? vocabulary.merges.split("\n") : [];
    this.#pairs = lines.slice(0, merges ?? lines.length).map((line) => line.split(" "));
    this.specials = vocabulary.specials;
    this.everyByte = vocabulary.every_byte;
    this.#find = characters.translated(vocabulary.pattern);
    this.#pairs.forEach((pair, rank) => {
      this.#ranks.set(pair.join(" "), rank);
      this.#ids.set(pair.join(""), vocabulary.first + rank);
    });
    for (const [token, id] of Object.entries(vocabulary.ids)) {
      // Those of merges that do not count are left out.
      if (merges === undefined || token.length === 1 || this.#ids.has(token)) this.#ids.set(token, id);
    }
    for (const [token, id] of this.#ids) this.#tokens.set(id, token);
    this.vocabSize = 1 + Math.max(...this.#ids.values(), ...Object.values(this.specials));
  }

  // Special tokens in the text are plain text unless allowed names them; "all" stands for every one.
  encode(text, allowed = []) {
    const names = allowed === "all" ? Object.keys(this.specials) : allowed;
    const unknown = names.filter((name) => !(name in this.specials));
    if (unknown.length) throw new VocabularyError(`${unknown.join(", ")}: no special token of this tokenizer`);
    return splitAt(names, text).flatMap((piece, i) => (i % 2 ? [this.specials[piece]] : this.#plain(piece)));
  }

  decode(ids) {
    const parts = ids.map((id) => this.tokenBytes(id));
    const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    return decoded(all);
  }

  tokenBytes(id) {
    if (this.#tokens.has(id)) return unprintable(this.#tokens.get(id));
    for (const [name, special] of Object.entries(this.specials)) if (special === id) return encoded(name);
    throw unknownId(id, this.vocabSize);
  }

  #plain(text) {
    const ids = [];
    for (const word of withoutHalfPairs(text).match(this.#find) ?? []) for (const id of this.#word(word)) ids.push(id);
    return ids;
  }

  #word(word) {
    const known = this.#cache.get(word);
    if (known) return known;
    let symbols = Array.from(encoded(word), (byte) => SIGNS[byte]);
    if (!this.everyByte) symbols = symbols.filter((sign) => this.#ids.has(sign));
    const ids = this.#merged(symbols).map((symbol) => this.#ids.get(symbol));
    if (word.length <= MOST_LETTERS) {
      if (this.#cache.size >= MOST_WORDS) this.#cache.clear();
      this.#cache.set(word, ids);
    }
    return ids;
  }

  // The pair of lowest rank first, leftmost first: a linked list, and a heap of rank and place.
  #merged(symbols) {
    const end = symbols.length;
    const after = symbols.map((_, i) => i + 1);
    const before = symbols.map((_, i) => i - 1);
    const heap = new Heap();
    const propose = (i, j) => {
      const rank = this.#ranks.get(`${symbols[i]} ${symbols[j]}`);
      if (rank !== undefined) heap.push(rank * MOST_SYMBOLS + i);
    };
    for (let i = 0; i < end - 1; i++) propose(i, i + 1);
    while (heap.size) {
      const next = heap.pop();
      const i = next % MOST_SYMBOLS;
      const [first, second] = this.#pairs[Math.floor(next / MOST_SYMBOLS)];
      const j = after[i];
      // An earlier merge may have taken either half since this pair was noted.
      if (j === end || symbols[i] !== first || symbols[j] !== second) continue;
      symbols[i] = first + second;
      symbols[j] = null;
      after[i] = after[j];
      if (after[j] < end) before[after[j]] = i;
      if (before[i] >= 0) propose(before[i], i);
      if (after[i] < end) propose(i, after[i]);
    }
    return symbols.filter((symbol) => symbol !== null);
  }
}

// WordPiece, as tutorial_lib/tokenizers/wordpiece.py does it.
import { splitAt, unknownId } from "./characters.js";

export const CONTINUATION = "##";
const MOST_WORDS = 1 << 16; // of the cache

export class WordPieceTokenizer {
  #cache = new Map();
  #characters;
  #ids;
  #longest;
  #mostLetters;
  #pattern;
  #specials;

  // vocabulary: what export_vocabularies.py writes.
  constructor(vocabulary, characters) {
    this.vocab = vocabulary.pieces.split("\n");
    this.vocabSize = this.vocab.length;
    this.lowercase = vocabulary.lowercase;
    this.#characters = characters;
    this.#ids = new Map(this.vocab.map((piece, id) => [piece, id]));
    this.#longest = this.vocab.reduce((most, piece) => Math.max(most, [...piece].length), 0);
    this.#mostLetters = vocabulary.most_letters;
    this.#pattern = characters.translated(vocabulary.pattern);
    this.#specials = vocabulary.specials;
    [this.padId, this.unkId, this.clsId, this.sepId, this.maskId] = this.#specials.map((name) => this.#ids.get(name));
  }

  idOf(piece) {
    return this.#ids.get(piece);
  }

  // {ids, segments, tokens} of [CLS] text [SEP], or of [CLS] text [SEP] pair [SEP].
  encode(text, pair = null) {
    const ids = [this.clsId, ...this.#text(text), this.sepId];
    const segments = ids.map(() => 0);
    if (pair !== null) {
      for (const id of [...this.#text(pair), this.sepId]) {
        ids.push(id);
        segments.push(1);
      }
    }
    return { ids, segments, tokens: ids.map((id) => this.vocab[id]) };
  }

  // The words of ids, separated by spaces, without [CLS], [SEP] and [PAD].
  decode(ids) {
    const [pad, , cls, sep] = this.#specials;
    const pieces = ids.map((id) => {
      if (!Number.isInteger(id) || id < 0 || id >= this.vocabSize) throw unknownId(id, this.vocabSize);
      return this.vocab[id];
    });
    return pieces.filter((piece) => piece !== pad && piece !== cls && piece !== sep).join(" ").replaceAll(` ${CONTINUATION}`, "");
  }

  #text(text) {
    return splitAt(this.#specials, text).flatMap((piece, i) => (i % 2
      ? [this.#ids.get(piece)]
      : this.#characters.bertWords(piece, this.lowercase, this.#pattern).flatMap((word) => this.#word(word))));
  }

  #word(word) {
    const known = this.#cache.get(word);
    if (known) return known;
    const ids = this.#longestPieces([...word]);
    if (this.#cache.size >= MOST_WORDS) this.#cache.clear();
    this.#cache.set(word, ids);
    return ids;
  }

  // The longest piece that the word begins with, then on after it; one letter without a piece makes all unknown.
  #longestPieces(letters) {
    if (letters.length > this.#mostLetters) return [this.unkId];
    const ids = [];
    for (let start = 0; start < letters.length;) {
      let end = Math.min(letters.length, start + this.#longest);
      let id;
      for (; end > start; end--) {
        id = this.#ids.get((start ? CONTINUATION : "") + letters.slice(start, end).join(""));
        if (id !== undefined) break;
      }
      if (end === start) return [this.unkId];
      ids.push(id);
      start = end;
    }
    return ids;
  }
}

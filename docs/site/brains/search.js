// Speeches by meaning, beside those by words, as explorers/search.py finds them.
import { large } from "../models/large.js";
import { CONTEXT, sentenceEncoder } from "../models/minilm.js";
import { safetensors } from "../models/safetensors.js";
import { largest } from "../models/small/numbers.js";
import { tokenizer } from "../models/tokenizers/load.js";
import { number, products, timed } from "./lib/meaning.js";
import { answering, words } from "./lib/python.js";
import { WordSearch } from "./lib/words_of_speeches.js";

function contextError(length) {
  const error = new RangeError(`the sequence is ${length} tokens long, the context of this model holds ${CONTEXT}`);
  error.name = "ContextError";
  return error;
}

// extras: {vocabulary}, and under "large" the names of MiniLM and of the speeches
export default async function brain(context) {
  const [weights, file] = await large(context, ...context.large);
  const one = await tokenizer(context, context.extras.vocabulary);
  const encoder = sentenceEncoder(context, weights);
  const { metadata, tensors } = safetensors(file);
  const speeches = JSON.parse(metadata.speeches); // [where, genre, text]
  const genres = [...new Set(speeches.map(([, genre]) => genre))].sort();
  const byWords = new WordSearch(speeches.map(([, , text]) => text));

  // What [PAD] is typed for is not read, but has its place.
  async function meaning(text) {
    const { ids } = one.encode(text);
    if (ids.length > CONTEXT) throw contextError(ids.length);
    const places = [...ids.keys()].filter((place) => ids[place] !== one.padId);
    return encoder.vector(places.map((place) => ids[place]), places);
  }

  function best(scores, n, genre) {
    const rows = [...scores.keys()].filter((row) => !genre || speeches[row][1] === genre);
    return largest(rows.map((row) => scores[row]), n).map((i) => {
      const [where, , text] = speeches[rows[i]];
      return [scores[rows[i]], where, text];
    });
  }

  async function find(text, n, genre) {
    if (!words(text).length) return [[], []];
    const cosines = products(tensors.numbers, await meaning(text), tensors.scale[0]);
    return [best(cosines, n, genre), best(byWords.cosines(text), n, genre).filter(([score]) => score > 0)];
  }

  const answered = answering(300, ({ text, n, genre }) => timed(async () => {
    const [byMeaning, byWord] = await find(text, number(n), genre);
    return {
      columns: [{ name: "by meaning", hits: byMeaning }, { name: "by words", hits: byWord }],
      rare: byWords.rare(text),
      genres,
      speeches: speeches.length,
    };
  }));
  return { ...answered, close: () => encoder.close() };
}

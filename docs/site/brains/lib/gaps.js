// What a masked model would put into a gap of a text, as explorers/gaps.py finds it.
import { largest, softmax } from "../../models/small/numbers.js";
import { range } from "./python.js";

const MOST_TOKENS = 200;

// {ids, segments, original, tokens, places, cut} of a text: its gaps are each [MASK] in it, and the tokens at `hidden`.
// What comes after a [SEP] in the text is read as the second sentence.
export function gaps(model, tokenizer, text, hidden) {
  let ids = tokenizer.encode(text).ids;
  const longest = Math.min(model.config.context, MOST_TOKENS);
  const cut = Math.max(0, ids.length - longest);
  if (cut) ids = [...ids.slice(0, longest - 1), tokenizer.sepId];
  const original = [...ids];
  const first = text.includes("[SEP]") ? ids.indexOf(tokenizer.sepId) : ids.length;
  const segments = ids.map((_, place) => Number(place > first));
  const kept = [tokenizer.clsId, tokenizer.sepId, tokenizer.padId, tokenizer.maskId];
  for (const place of hidden) if (place >= 0 && place < ids.length && !kept.includes(ids[place])) ids[place] = tokenizer.maskId;
  const places = range(0, ids.length).filter((place) => ids[place] === tokenizer.maskId);
  return { ids, segments, original, tokens: ids.map((id) => tokenizer.vocab[id]), places, cut };
}

// Which gap is answered: the one at `place`, or the first; null without one.
export const answered = ({ places }, place) => (places.includes(place) ? place : places[0] ?? null);

// {rows: the n most probable tokens, right: [token, probability, rank] of the one that was hidden there, or null}.
export function fillings(model, tokenizer, { ids, segments, original }, place, n, leftOnly = false) {
  const read = leftOnly ? [...ids.slice(0, place + 1), tokenizer.sepId] : ids;
  const probabilities = softmax(model.mlmLogits(model.hidden(read, undefined, segments.slice(0, read.length))[place]));
  const own = original[place];
  const p = probabilities[own];
  return {
    rows: largest(probabilities, n).map((id) => [tokenizer.vocab[id], probabilities[id]]),
    right: own === tokenizer.maskId ? null : [tokenizer.vocab[own], p, probabilities.filter((other) => other > p).length + 1],
  };
}

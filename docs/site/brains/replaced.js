// Which words did a forger replace? As explorers/replaced.py plays it. The words that a forger draws depend on PyTorch's
// build, so that after the first line, which is the notebook's, a page draws its own.
import { loaded } from "../models/small/load.js";
import { softmax } from "../models/small/numbers.js";
import { tokenizer } from "../models/tokenizers/load.js";
import { CONTINUATION } from "../models/tokenizers/wordpiece.js";
import { Twister, answering, range, round, within } from "./lib/python.js";

const [LEAST, MOST, TRIES] = [0.05, 0.5, 20];

// [start, end] of the pieces of each word, without [CLS] and [SEP].
function words(ids, one) {
  const spans = [];
  for (let place = 1; place < ids.length - 1; place++) {
    if (spans.length && one.vocab[ids[place]].startsWith(CONTINUATION)) spans.at(-1)[1] = place + 1;
    else spans.push([place, place + 1]);
  }
  return spans;
}

const spelled = (ids, one) => ids.map((id) => (one.vocab[id].startsWith(CONTINUATION) ? one.vocab[id].slice(CONTINUATION.length) : one.vocab[id])).join("");

function drawn(probabilities, number) {
  let [i, rest] = [0, number];
  for (; i < probabilities.length - 1; i++) {
    rest -= probabilities[i];
    if (rest < 0) break;
  }
  return i;
}

// ids with some words of one piece drawn anew, both old and new allowed.
function forged(forger, one, ids, spans, share, seed) {
  const twister = Twister.torch(seed);
  const { allowed } = forger.facts;
  const may = new Set(allowed);
  const single = spans
    .filter(([start, end]) => end === start + 1 && may.has(ids[start]) && one.vocab[ids[start - 1]] !== "'" && one.vocab[ids[end]] !== "'")
    .map(([start]) => start);
  if (!single.length) return ids;
  const n = Math.min(single.length, Math.max(2, round(share * spans.length)));
  let changed = ids;
  for (let tries = 0; tries < TRIES; tries++) {
    const order = [...single];
    for (let i = 0; i < order.length - 1; i++) {
      const other = i + (twister.next() % (order.length - i));
      [order[i], order[other]] = [order[other], order[i]];
    }
    const places = order.slice(0, n);
    const hidden = forger.hidden(ids.map((id, place) => (places.includes(place) ? one.maskId : id)));
    changed = [...ids];
    for (const place of places) {
      const logits = forger.mlmLogits(hidden[place]);
      changed[place] = allowed[drawn(softmax(allowed.map((id) => logits[id])), twister.rand())];
    }
    if (changed.filter((id, place) => id !== ids[place]).length >= Math.min(2, n)) break;
  }
  return changed;
}

export function forge(detective, forger, one, text, share, seed) {
  const most = Math.min(detective.config.context, forger.config.context);
  let { ids } = one.encode(text);
  const cut = Math.max(0, ids.length - most);
  if (cut) ids = [...ids.slice(0, most - 1), one.sepId];
  const spans = words(ids, one);
  const changed = forged(forger, one, ids, spans, share, seed);
  const suspicion = detective.hidden(changed).map((row) => 1 / (1 + Math.exp(-detective.replacedLogit(row))));
  return {
    written: spans.map(([start, end]) => spelled(ids.slice(start, end), one)),
    shown: spans.map(([start, end]) => spelled(changed.slice(start, end), one)),
    suspicion: spans.map(([start, end]) => Math.max(...suspicion.slice(start, end))),
    cut,
  };
}

// extras: {detective, forger, vocabulary, passages, first: {text, share, round, written, shown, suspicion, cut}}
export default function brain(context) {
  const { detective, forger, vocabulary, passages, first } = context.extras;
  const named = (text, share, number) => JSON.stringify([text, share, number]);
  let found = first;
  let key = named(first.text, first.share, first.round);
  const judgedLines = new Set();
  const score = { lines: 0, replaced: 0, yours: 0, theirs: 0 };

  return answering(500, async ({ text, share, round: number, marked, judged }) => {
    [share, number] = [within(share, LEAST, MOST), Math.trunc(number)];
    if (key !== named(text, share, number)) {
      const seed = ((number % 2 ** 31) + 2 ** 31) % 2 ** 31;
      found = forge(await loaded(context, detective), await loaded(context, forger), await tokenizer(context, vocabulary), text, share, seed);
      key = named(text, share, number);
    }
    const { written, shown, suspicion, cut } = found;
    const places = range(0, shown.length);
    const truth = places.filter((i) => written[i] !== shown[i]);
    const n = truth.length;
    const inside = marked.map(Math.trunc).filter((i) => i >= 0 && i < shown.length);
    const yours = n ? [...new Set(inside)].slice(-n) : []; // the last n that were clicked
    const theirs = [...places].sort((a, b) => suspicion[b] - suspicion[a] || a - b).slice(0, n).sort((a, b) => a - b);
    if (judged && n && !judgedLines.has(key)) {
      judgedLines.add(key);
      score.lines += 1;
      score.replaced += n;
      score.yours += truth.filter((i) => yours.includes(i)).length;
      score.theirs += truth.filter((i) => theirs.includes(i)).length;
    }
    const reply = { words: shown, marked: yours, replaced: n, judged: Boolean(judged), passages, cut, score: { ...score } };
    // Before the line is judged the page is told no answers.
    return judged ? { ...reply, truth: places.map((i) => [written[i] === shown[i] ? null : written[i], suspicion[i]]), theirs } : reply;
  });
}

// A text damaged in six ways, as explorers/corruption.py and objectives/corruption.py do it, draw for draw.
import { Twister, answering, range, round, within, words as split } from "./lib/python.js";

const [MOST_WORDS, PARTS] = [40, 4];
const END = /[.!?;:]$/;
// A token: [word, put in by the damage, place]; null is the place of what was put in.
const MASK = ["[mask]", true, null];

const choose = (tokens, share, random) => new Set(random.sample(range(0, tokens.length), round(share * tokens.length)));

function placeSpans(nTokens, lengths, random) {
  const nKept = nTokens - lengths.reduce((a, b) => a + b, 0);
  const kept = lengths.slice(0, nKept + 1);
  const gaps = random.sample(range(0, nKept + 1), kept.length).sort((a, b) => a - b);
  let hidden = 0;
  return gaps.map((gap, i) => {
    const start = gap + hidden;
    hidden += kept[i];
    return [start, start + kept[i]];
  });
}

function poisson(mean, random) {
  const limit = Math.exp(-mean);
  let [n, product] = [0, random.random()];
  for (; product > limit; n++) product *= random.random();
  return n;
}

function infill(tokens, share, random, mean) {
  const nHidden = round(share * tokens.length);
  const lengths = [];
  for (let sum = 0; sum < nHidden; sum += lengths.at(-1)) lengths.push(Math.min(poisson(mean, random), nHidden - sum));
  const [result, spans] = [[], placeSpans(tokens.length, lengths, random)];
  let done = 0;
  for (const [start, end] of spans) {
    result.push(...tokens.slice(done, start), MASK);
    done = end;
  }
  return [...result, ...tokens.slice(done)];
}

function t5(tokens, sentinels, random, share, mean) {
  const nHidden = Math.max(1, round(share * tokens.length));
  const nSpans = Math.min(Math.max(1, round(nHidden / mean)), tokens.length - nHidden + 1);
  const cuts = random.sample(range(1, nHidden), nSpans - 1).sort((a, b) => a - b);
  const lengths = [...cuts, nHidden].map((end, i) => end - (cuts[i - 1] ?? 0));
  const [source, target] = [[], []];
  let done = 0;
  placeSpans(tokens.length, lengths, random).forEach(([start, end], i) => {
    source.push(...tokens.slice(done, start), sentinels[i]);
    target.push(sentinels[i], ...tokens.slice(start, end));
    done = end;
  });
  return [[...source, ...tokens.slice(done)], [...target, sentinels[nSpans]]];
}

function sentences(words) {
  const parts = [[]];
  for (const word of words) {
    parts.at(-1).push(word);
    if (END.test(word[0])) parts.push([]);
  }
  return parts.filter((part) => part.length);
}

function damaged(words, share, length, seed) {
  const drawn = () => Twister.python(seed);
  const sentinels = range(0, words.length + 2).map((number) => [`<${number}>`, true, null]);
  const hidden = choose(words, share, drawn());
  const parts = sentences(words);
  const first = drawn().below(words.length);
  return [
    ["token masking", words.map((word, i) => (hidden.has(i) ? MASK : word)), words],
    ["token deletion", words.filter((_, i) => !hidden.has(i)), words],
    ["text infilling", infill(words, share, drawn(), length), words],
    ["sentence permutation", drawn().sample(parts, parts.length).flat(), words],
    ["document rotation", [...words.slice(first), ...words.slice(0, first)], words],
    ["T5’s spans", ...t5(words, sentinels, drawn(), share, length)],
  ];
}

// What is read and written as [token, look]: "", "made", "empty", "gone" or "part 0".
function looks(way, words, read, written) {
  const made = (token) => [token[0], token[1] ? "made" : ""];
  if (way === "sentence permutation" || way === "document rotation") {
    const cut = words.indexOf(read[0]);
    const turned = cut ? [words.slice(0, cut), words.slice(cut)] : [words];
    const partOf = new Map((way === "document rotation" ? turned : sentences(words))
      .flatMap((part, n) => part.map((token) => [token, `part ${n % PARTS}`])));
    const side = (tokens) => tokens.map((token) => [token[0], partOf.get(token)]);
    return { read: side(read), written: side(words) };
  }
  let shown = read.map(made);
  if (way === "token deletion") {
    const kept = new Set(read);
    shown = words.map((token) => [token[0], kept.has(token) ? "" : "gone"]);
  }
  if (way === "text infilling") {
    const places = [-1, ...read.map((token) => token[2]), words.length];
    places.forEach((place, n) => {
      const [before, after] = [places[n - 1], places[n + 1]];
      if (place === null && before !== null && after !== null) shown[n - 1][1] = before + 1 === after ? "empty" : "made";
    });
  }
  return { read: shown, written: written.map(made) };
}

export default function brain() {
  return answering(500, ({ text, share, length, seed }) => {
    const all = split(text).map((word, place) => [word, false, place]);
    const words = all.slice(0, MOST_WORDS);
    const rows = words.length ? damaged(words, within(share, 0, 1), within(length, 1, 20), Math.trunc(seed)) : [];
    return {
      rows: rows.map(([way, read, written]) => ({ way, counts: [read.length, written.length], ...looks(way, words, read, written) })),
      cut: Math.max(0, all.length - MOST_WORDS),
    };
  });
}

// All cuts of a word, as explorers/lattice.py and tokenizers/cuts.py find them.
import { answering, within, words } from "./lib/python.js";

const [MOST_LETTERS, MOST_CUTS, UNKNOWN_PENALTY, METASPACE] = [18, 8, 10, "▁"];

function logSum(values) {
  const top = Math.max(...values);
  return top === -Infinity ? top : top + Math.log(values.reduce((sum, value) => sum + Math.exp(value - top), 0));
}

// extras: {scores: {piece: log p}}
export default function brain({ extras }) {
  const scores = new Map(Object.entries(extras.scores));
  const begins = [...scores.keys()].some((piece) => piece.startsWith(METASPACE)) ? METASPACE : "";
  const unknown = Math.min(...scores.values()) - UNKNOWN_PENALTY;
  const longest = Math.max(...[...scores.keys()].map((piece) => [...piece].length));

  return answering(500, ({ text, alpha, chosen }) => {
    const power = within(alpha, 0, 4);
    const [first] = words(text);
    if (!first) return { word: "", arcs: [], cuts: [], of: 0, chosen: 0, cut: 0 };
    const all = [...first];
    const letters = [...begins, ...all.slice(0, MOST_LETTERS)];
    const piece = (start, end) => letters.slice(start, end).join("");

    const places = [[]]; // of each end: [start, log p]
    for (let end = 1; end <= letters.length; end++) {
      const arcs = [];
      for (let start = Math.max(0, end - longest); start < end; start++) {
        if (scores.has(piece(start, end))) arcs.push([start, scores.get(piece(start, end))]);
      }
      if (!scores.has(letters[end - 1])) arcs.push([end - 1, unknown]);
      places.push(arcs);
    }
    const [totals, counts, paths] = [[0], [1], [[[0, []]]]];
    places.slice(1).forEach((arcs, i) => {
      totals.push(logSum(arcs.map(([start, p]) => totals[start] + power * p)));
      counts.push(arcs.reduce((sum, [start]) => sum + counts[start], 0));
      const longer = arcs.flatMap(([start, p]) => paths[start].map(([score, ends]) => [score + p, [...ends, i + 1]]));
      paths.push(longer.sort(([a], [b]) => b - a).slice(0, MOST_CUTS));
    });
    const cuts = paths.at(-1).map(([score, ends]) => [
      ends.map((end, i) => piece(ends[i - 1] ?? 0, end)), Math.exp(power * score - totals.at(-1)),
    ]);
    return {
      word: letters.join(""),
      arcs: places.flatMap((arcs, end) => arcs.map(([start, p]) => [start, end, Math.exp(p), scores.has(piece(start, end))])),
      cuts, of: counts.at(-1), chosen: within(Math.trunc(chosen), 0, cuts.length - 1), cut: all.length - all.slice(0, MOST_LETTERS).length,
    };
  });
}

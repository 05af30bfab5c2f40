// Beam search, as tutorial_lib/decoding/beam.py does it, for one start.
import { largest, logSoftmax } from "../../models/small/numbers.js";

const penalty = (length, alpha) => ((5 + length) / 6) ** alpha;

// next(token, before) reads a token after a state and gives the state after it, with its `logits`; start: the first
// token. Returns {tree, ends}: nodes {step, token, parent, logP, score, state}, and the places of the best ones on
// which sequences end.
export function beamSearch(next, start, { most, beams, alpha, stop }) {
  const tree = [];
  const finished = [];
  let alive = [{ node: null, logP: 0, state: next(start) }];
  for (let step = 1; ; step++) {
    const candidates = alive.flatMap((beam) => {
      const logP = logSoftmax(beam.state.logits);
      return largest(logP, 2 * beams).map((token) => ({ beam, token, logP: beam.logP + logP[token] }));
    });
    candidates.sort((a, b) => b.logP - a.logP);
    const going = [];
    candidates.slice(0, 2 * beams).forEach(({ beam, token, logP }, rank) => {
      const node = tree.push({ step, token, parent: beam.node, logP, score: logP / penalty(step, alpha), state: "dropped" }) - 1;
      if (token === stop) {
        if (rank >= beams) return;
        tree[node].state = "finished";
        finished.push(node);
      } else if (going.length < beams) {
        tree[node].state = "kept";
        going.push({ node, logP, before: beam.state });
      }
    });
    const scores = finished.map((node) => tree[node].score).sort((a, b) => b - a);
    // More tokens only lower log p; at best nothing is lost up to the largest penalty.
    const decided = !going.length || (scores.length >= beams && going[0].logP / penalty(most, alpha) <= scores[beams - 1]);
    if (step === most || decided) {
      const ends = [...finished, ...going.map(({ node }) => node)].sort((a, b) => tree[b].score - tree[a].score);
      return { tree, ends: ends.slice(0, beams) };
    }
    alive = going.map(({ node, logP, before }) => ({ node, logP, state: next(tree[node].token, before) }));
  }
}

// The nodes that lead to a node, the first token's first.
export function path(tree, node) {
  const way = [];
  for (let at = node; at !== null; at = tree[at].parent) way.unshift(at);
  return way;
}

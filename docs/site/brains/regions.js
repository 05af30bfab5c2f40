// What a scene's model says without one of its heads, as explorers/regions.py answers: every head of
// every scene was silenced while the state was written, so that no network is needed here.
import { revive } from "../js/model.js";
import { within } from "./lib/python.js";

// extras: {layers, heads, results: {"scene layer head": the answer}}
export default function brain({ extras: { layers, heads, results } }) {
  const place = (value) => Number.isInteger(value) && value >= 0;
  return {
    receive(news, { scene, silenced: { layer, head } = {} }) {
      if (!("scene" in news) && !("silenced" in news)) return {};
      if (!place(layer) || !place(head)) return { silenced: {}, silence_result: {} };
      const silenced = { layer: within(layer, 0, layers - 1), head: within(head, 0, heads - 1) };
      return { silenced, silence_result: revive(results[`${scene} ${silenced.layer} ${silenced.head}`]) };
    },
  };
}

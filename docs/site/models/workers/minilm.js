// MiniLM beside a page: takes its weights first, then ids and their places, and answers each with a vector.
import { SentenceEncoder } from "../minilm.js";

let encoder = null;

self.addEventListener("message", ({ data: { weights, ids, places } }) => {
  if (weights) encoder = new SentenceEncoder(weights);
  else self.postMessage(encoder.vector(ids, places));
});

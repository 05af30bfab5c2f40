// MiniLM beside a page: takes its weights first, then a method and what it is given, and answers each.
import { SentenceEncoder } from "../minilm.js";

let encoder = null;

self.addEventListener("message", ({ data: { weights, method, given } }) => {
  if (weights) encoder = new SentenceEncoder(weights);
  else self.postMessage(encoder[method](...given));
});

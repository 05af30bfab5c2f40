// A Llama beside a page: asked {number, method, given}, it answers each. The first question is "open", with the parts of its file.
import code from "../llama/products.wat";
import { unpacked } from "../llama/packed.js";

let model = null;

function answer(method, given) {
  if (method !== "open") return model[method](...given);
  model = unpacked(...given, code);
  return null;
}

self.addEventListener("message", ({ data: { number, method, given } }) => {
  try {
    self.postMessage({ number, result: answer(method, given) });
  } catch ({ message }) {
    self.postMessage({ number, error: message });
  }
});

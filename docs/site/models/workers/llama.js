// A Llama beside a page: takes the parts of its file first, then {number, method, given}, and answers each.
import code from "../llama/products.wat";
import { unpacked } from "../llama/packed.js";

let model = null;

self.addEventListener("message", ({ data: { parts, number, method, given } }) => {
  try {
    if (parts) model = unpacked(parts, code);
    else self.postMessage({ number, result: model[method](...given) });
  } catch ({ message }) {
    self.postMessage({ number, error: message });
  }
});

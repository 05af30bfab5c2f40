// Networks by their names: a large one of large_files.py, or a small one of export_small.py.
import { llama } from "./llama/load.js";
import { loaded } from "./small/load.js";

const LARGE = { smollm2: llama };

// context: what a brain is given. Promises of {config, read(ids, cached), states(ids), logits(states), ...}.
export const networkOf = (context, name) => (LARGE[name] ?? loaded)(context, name);

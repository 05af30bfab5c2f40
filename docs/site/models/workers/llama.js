// A Llama beside a page.
import { answers } from "../beside.js";
import code from "../llama/products.wat";
import { unpacked } from "../llama/packed.js";

answers((...parts) => unpacked(parts, code));

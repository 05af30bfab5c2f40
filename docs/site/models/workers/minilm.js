// MiniLM beside a page.
import { answers } from "../beside.js";
import { SentenceEncoder } from "../minilm.js";

answers((weights) => new SentenceEncoder(weights));

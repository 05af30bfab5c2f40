// A text or a picture of the reader's own, and a head that is broken, as explorers/attention.py answers.
import { revive } from "../js/model.js";
import { large } from "../models/large.js";
import { sentenceEncoder } from "../models/minilm.js";
import { networkOf } from "../models/networks.js";
import { largest, softmax } from "../models/small/numbers.js";
import { tokenizer } from "../models/tokenizers/load.js";
import { halves } from "./lib/halves.js";
import { tokenName } from "./lib/labels.js";
import { clean, range, round, within } from "./lib/python.js";

const MAX_CHARACTERS = 4000;
const MAX_LENGTH = 200;
const MOST_WEIGHTS = 3_000_000; // in all maps of one run
const MOST_LISTED = 6; // next tokens
const SPECIAL = /^(\[[A-Z]+\]|<[a-z/|_]+>)$/;
const TEXTS = ["text", "pair", "other"];
const PLACES = ["layer", "head", "row", "column"];
const WAYS = ["zero", "uniform", "patch"];

const failure = (name, message) => Object.assign(new Error(message), { name });

// Texts for a network. encode(text, pair) -> {ids, segments, tokens}.
function texts({ n_layers: layers, n_heads: heads, context }, encode) {
  const longest = Math.min(context, MAX_LENGTH, Math.floor(Math.sqrt(MOST_WEIGHTS / (layers * heads))));

  function encoded(text, pair, notes) {
    const whole = encode(text, pair);
    const { length } = whole.ids;
    if (length > longest) notes.push(`Only the first ${longest} of ${length} tokens go through the model.`);
    return Object.fromEntries(["ids", "segments", "tokens"].map((name) => [name, whole[name].slice(0, longest)]));
  }

  return {
    input: ({ text, pair }, notes) => encoded(text, pair, notes),

    patch({ other }, { ids }, notes) {
      if (!other.trim()) {
        notes.push("Nothing is patched: type the other text to patch from.");
        return null;
      }
      const source = encoded(other, "", notes);
      if (source.ids.length === ids.length) return source;
      notes.push(
        `Nothing is patched: the other text has ${source.ids.length} tokens, this one ${ids.length}; a head's output fits only a text of equal length.`,
      );
      return null;
    },
  };
}

// A decoder-only model: the outputs are its likeliest next tokens.
async function decoder(context) {
  const one = await tokenizer(context, context.extras.vocabulary);
  const model = await networkOf(context, context.extras.network);
  const named = (id) => tokenName(one.decode([id]));
  const encode = (text) => {
    const ids = one.encode(text);
    if (!ids.length) throw failure("ShapeError", "there is no token to look at: type a text");
    return { ids, segments: ids.map(() => 0), tokens: ids.map(named) };
  };
  return {
    ...texts(model.config, encode),
    attention: ({ ids }, broken) => model.attention(ids, broken && { ...broken, from: broken.from?.ids }),

    outputs(_, before, after) {
      const [old, now] = [before, after].map(({ logits }) => softmax(logits));
      const shown = largest(old, MOST_LISTED);
      const [likeliest] = largest(now, 1);
      if (!shown.includes(likeliest)) shown.push(likeliest);
      return shown.map((id) => ({ label: named(id), before: old[id], after: now[id] }));
    },
    close: () => model.close?.(),
  };
}

// MiniLM: the outputs are how like a word is to others, or to its vector before a head was broken.
async function encoder(context) {
  const [weights] = await large(context, ...context.large);
  const one = await tokenizer(context, context.extras.vocabulary);
  const model = sentenceEncoder(context, weights);
  const { word, config } = context.extras;
  return {
    ...texts(config, (text, pair) => one.encode(text, pair || null)),
    attention: (input, broken) => model.attention(input, broken),

    outputs({ tokens }, before, after) {
      const vectors = [before, after].map(({ hidden }) => hidden);
      if (!word) {
        return after === before ? [] : tokens.map((label, i) => ({ label, before: 1, after: sixDecimals(cosine(vectors[0][i], vectors[1][i])) }));
      }
      const at = Math.max(0, tokens.indexOf(word));
      const others = range(0, tokens.length).filter((i) => i !== at && /^\p{L}{4,}$/u.test(tokens[i]));
      return others.map((i) => {
        const [old, now] = vectors.map((rows) => cosine(rows[at], rows[i]));
        return { label: `${tokens[at]} ~ ${tokens[i]} (${i})`, before: old, after: now };
      });
    },
    close: () => model.close(),
  };
}

const sixDecimals = (number) => round(number * 1e6) / 1e6; // equal vectors give 1, not 1 + eps

function cosine(one, other) {
  let [product, own, others] = [0, 0, 0];
  for (let i = 0; i < one.length; i++) {
    product += one[i] * other[i];
    own += one[i] ** 2;
    others += other[i] ** 2;
  }
  return product / Math.sqrt(own * others);
}

// A ViT reads numbered pictures: the outputs are the probabilities of the classes, once a head is broken.
async function pictures(context) {
  const { network, shown, names } = context.extras;
  const model = await networkOf(context, network);
  const side = model.config.image_size;
  const { pixels, ink, grid: [rows, columns] } = revive(shown);
  const count = pixels.byteLength / side ** 2;

  function numbered(number) {
    if (!/^\d+$/.test(number.trim()) || Number(number) >= count) {
      throw failure("ValueError", `expected the number of a picture, 0 to ${count - 1}, got '${[...number].slice(0, 20).join("")}'`);
    }
    return Float32Array.from({ length: side ** 2 }, (_, i) => pixels.getUint8(Number(number) * side ** 2 + i) / 255);
  }

  const patches = range(0, rows * columns).map((i) => `row ${Math.floor(i / columns)}, column ${i % columns}`);
  const tokens = ["[CLS]", ...patches];
  const input = (number) => ({ grey: numbered(number), tokens, segments: tokens.map(() => 0) });
  return {
    input: ({ text }) => input(text),
    attention: ({ grey }, broken) => model.attention(grey, broken && { ...broken, from: broken.from?.grey }),

    patch({ other }, _, notes) {
      if (other.trim()) return input(other);
      notes.push("Nothing is patched: type the number of the picture to patch from.");
      return null;
    },

    outputs(_, before, after) {
      if (after === before) return [];
      const [old, now] = [before, after].map(({ logits }) => softmax(logits));
      return names.map((label, i) => ({ label, before: old[i], after: now[i] }));
    },

    picture({ grey: seen }) {
      const bytes = Uint8Array.from(seen, (grey) => Math.round((ink ? 1 - grey : grey) * 255));
      const data = new DataView(Uint8Array.from({ length: 3 * bytes.length }, (_, i) => bytes[Math.floor(i / 3)]).buffer);
      return { data, height: side, width: side, rows, columns, boxes: null };
    },
  };
}

function panel({ maps, shape }, { tokens: labels, segments }, picture) {
  const special = labels.flatMap((label, i) => (SPECIAL.test(label) ? [i] : []));
  const tokens = { kind: "tokens", labels, segments, special };
  const data = halves(maps.map((weight) => within(weight, 0, 1)));
  return { name: "", shape, dtype: "float16", data, rows: tokens, columns: tokens, picture };
}

// Empty when nothing is broken, else how, layer and head; anything else repairs.
function known({ how, layer = 0, head = 0 }, [layers, heads]) {
  if (!WAYS.includes(how) || ![layer, head].every(Number.isInteger)) return {};
  return { how, layer: within(layer, 0, layers - 1), head: within(head, 0, heads - 1) };
}

const readerOf = ({ shown, config }) => (shown ? pictures : config ? encoder : decoder);

// extras: {network, vocabulary} of a decoder, and MiniLM's {config, word}; of a ViT {network, shown: {pixels, ink, grid}, names}
export default async function brain(context) {
  let reader = context.large.length ? await readerOf(context.extras)(context) : null; // what the reader has just been asked about

  async function run(state) {
    const notes = [];
    const input = reader.input(state, notes);
    const { how } = state.broken;
    const from = how === "patch" ? reader.patch(state, input, notes) : null;
    const before = await reader.attention(input);
    const after = how && (how !== "patch" || from) ? await reader.attention(input, { ...state.broken, from }) : before;
    if (TEXTS.some((name) => [...state[name]].length === MAX_CHARACTERS)) notes.push(`Only the first ${MAX_CHARACTERS} characters are read.`);
    return { notes, outputs: reader.outputs(input, before, after), panels: [panel(after, input, reader.picture?.(input) ?? null)] };
  }

  return {
    async receive(news, traits) {
      const state = { ...traits, broken: known(traits.broken, traits.panels[0].shape) };
      for (const name of TEXTS) state[name] = clean(traits[name], MAX_CHARACTERS);
      let said = {};
      if ([...TEXTS, "broken"].some((name) => name in news)) {
        reader ??= await readerOf(context.extras)(context);
        try {
          said = await run(state);
        } catch (error) {
          said = { notes: [`Not run, so the maps are the last ones. ${error.name}: ${error.message}`] };
        }
      }
      // Of the controls, those only that are not as they were sent: meanwhile the reader may move others.
      const controls = { ...state, ...places(state, said.panels ?? traits.panels) };
      const moved = ["broken", ...TEXTS, ...PLACES].filter((name) => JSON.stringify(controls[name]) !== JSON.stringify(traits[name]));
      return { ...said, ...Object.fromEntries(moved.map((name) => [name, controls[name]])) };
    },
    close: () => reader?.close?.(),
  };
}

// Layer, head and the chosen token, inside the maps; of another text no token is chosen.
function places({ layer, head, row, column, panels: [before] }, [{ shape: [layers, heads, rows, columns], rows: { labels } }]) {
  const same = before.rows.labels.join("\n") === labels.join("\n");
  return {
    layer: within(layer, 0, layers - 1),
    head: within(head, 0, heads - 1),
    row: same ? within(row, -1, rows - 1) : -1,
    column: same ? within(column, -1, columns - 1) : -1,
  };
}

// A text or a picture of the reader's own, and a head that is broken, as explorers/attention.py answers.
import { revive } from "../js/model.js";
import { network } from "../models/networks.js";
import { largest, softmax } from "../models/small/numbers.js";
import { tokenizer } from "../models/tokenizers/load.js";
import { halves } from "./lib/halves.js";
import { tokenName } from "./lib/labels.js";
import { clean, within } from "./lib/python.js";

const MAX_CHARACTERS = 4000;
const MAX_LENGTH = 200;
const MOST_WEIGHTS = 3_000_000; // in all maps of one run
const MOST_LISTED = 6; // next tokens
const SPECIAL = /^(\[[A-Z]+\]|<[a-z/|_]+>)$/;
const TEXTS = ["text", "pair", "other"];
const PLACES = ["layer", "head", "row", "column"];
const WAYS = ["zero", "uniform", "patch"];

const failure = (name, message) => Object.assign(new Error(message), { name });

// A decoder-only model reads texts: the outputs are its likeliest next tokens.
async function decoder(context, model) {
  const one = await tokenizer(context, context.extras.vocabulary);
  const { n_layers: layers, n_heads: heads, context: most } = model.config;
  const longest = Math.min(most, MAX_LENGTH, Math.floor(Math.sqrt(MOST_WEIGHTS / (layers * heads))));
  const named = (id) => tokenName(one.decode([id]));

  function encoded(text, notes) {
    const ids = one.encode(text);
    if (!ids.length) throw failure("ShapeError", "there is no token to look at: type a text");
    if (ids.length > longest) notes.push(`Only the first ${longest} of ${ids.length} tokens go through the model.`);
    return ids.slice(0, longest);
  }

  return {
    input: ({ text }, notes) => encoded(text, notes),

    patch({ other }, ids, notes) {
      if (!other.trim()) {
        notes.push("Nothing is patched: type the other text to patch from.");
        return null;
      }
      const source = encoded(other, notes);
      if (source.length === ids.length) return source;
      notes.push(
        `Nothing is patched: the other text has ${source.length} tokens, this one ${ids.length}; a head's output fits only a text of equal length.`,
      );
      return null;
    },

    labels: (ids) => ids.map(named),

    outputs(before, after) {
      const [old, now] = [before, after].map(({ logits }) => softmax(logits));
      const shown = largest(old, MOST_LISTED);
      const [likeliest] = largest(now, 1);
      if (!shown.includes(likeliest)) shown.push(likeliest);
      return shown.map((id) => ({ label: named(id), before: old[id], after: now[id] }));
    },
  };
}

// A ViT reads numbered pictures: the outputs are the probabilities of the classes, once a head is broken.
function pictures({ extras: { shown, names } }, { config }) {
  const side = config.image_size;
  const { pixels, ink, grid: [rows, columns] } = revive(shown);
  const count = pixels.byteLength / side ** 2;

  function numbered(number) {
    if (!/^\d+$/.test(number.trim()) || Number(number) >= count) {
      throw failure("ValueError", `expected the number of a picture, 0 to ${count - 1}, got '${[...number].slice(0, 20).join("")}'`);
    }
    return Float32Array.from({ length: side ** 2 }, (_, i) => pixels.getUint8(Number(number) * side ** 2 + i) / 255);
  }

  const places = Array.from({ length: rows * columns }, (_, i) => `row ${Math.floor(i / columns)}, column ${i % columns}`);
  return {
    input: ({ text }) => numbered(text),

    patch({ other }, _, notes) {
      if (other.trim()) return numbered(other);
      notes.push("Nothing is patched: type the number of the picture to patch from.");
      return null;
    },

    labels: () => ["[CLS]", ...places],

    outputs(before, after) {
      if (after === before) return [];
      const [old, now] = [before, after].map(({ logits }) => softmax(logits));
      return names.map((label, i) => ({ label, before: old[i], after: now[i] }));
    },

    picture(seen) {
      const bytes = Uint8Array.from(seen, (grey) => Math.round((ink ? 1 - grey : grey) * 255));
      const data = new DataView(Uint8Array.from({ length: 3 * bytes.length }, (_, i) => bytes[Math.floor(i / 3)]).buffer);
      return { data, height: side, width: side, rows, columns, boxes: null };
    },
  };
}

function panel({ maps, shape }, labels, picture) {
  const special = labels.flatMap((label, i) => (SPECIAL.test(label) ? [i] : []));
  const tokens = { kind: "tokens", labels, segments: labels.map(() => 0), special };
  return { name: "", shape, dtype: "float16", data: halves(maps.map((weight) => within(weight, 0, 1))), rows: tokens, columns: tokens, picture };
}

// Empty when nothing is broken, else how, layer and head; anything else repairs.
function known({ how, layer = 0, head = 0 }, [layers, heads]) {
  if (!WAYS.includes(how) || ![layer, head].every(Number.isInteger)) return {};
  return { how, layer: within(layer, 0, layers - 1), head: within(head, 0, heads - 1) };
}

// extras: {network}, and {vocabulary} of a decoder, or of a ViT {shown: {pixels, ink, grid}, names}
export default async function brain(context) {
  let [model, reader] = [null, null];
  if (context.large.length) model = await network(context, context.extras.network); // what the reader has just been asked about

  async function run(state) {
    model ??= await network(context, context.extras.network);
    reader ??= await (context.extras.shown ? pictures : decoder)(context, model);
    const notes = [];
    const input = reader.input(state, notes);
    const { how } = state.broken;
    const from = how === "patch" ? reader.patch(state, input, notes) : null;
    const before = await model.attention(input);
    const after = how && (how !== "patch" || from) ? await model.attention(input, { ...state.broken, from }) : before;
    const labels = reader.labels(input);
    if (TEXTS.some((name) => [...state[name]].length === MAX_CHARACTERS)) notes.push(`Only the first ${MAX_CHARACTERS} characters are read.`);
    return { notes, outputs: reader.outputs(before, after), panels: [panel(after, labels, reader.picture?.(input) ?? null)] };
  }

  return {
    async receive(news, traits) {
      const state = { ...traits, broken: known(traits.broken, traits.panels[0].shape) };
      for (const name of TEXTS) state[name] = clean(traits[name], MAX_CHARACTERS);
      let said = {};
      if ([...TEXTS, "broken"].some((name) => name in news)) {
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
    close: () => model?.close?.(),
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

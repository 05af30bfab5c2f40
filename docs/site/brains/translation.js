// A number or a date is translated, greedily and with a beam, as explorers/translation.py answers.
import { loaded } from "../models/small/load.js";
import { largest, softmax } from "../models/small/numbers.js";
import { decoded } from "../models/tokenizers/characters.js";
import { characterTables, tokenizer } from "../models/tokenizers/load.js";
import { beamSearch, path } from "./lib/beam.js";
import { read } from "./lib/english.js";
import { halves } from "./lib/halves.js";
import { clean, within } from "./lib/python.js";
import { visible } from "./tokens.js";

const [LIMIT, MOST_TOKENS, N_BEST] = [200, 40, 6];
const HELP = "Type a number from 0 to 999,999 or a date of 1800 to 2099, in words or as 742 or 1984-03-21.";
const UNSEEN = "These words make no number or date the model was trained on: it may write anything.";
const SPECIAL = /^(\[[A-Z]+\]|<[a-z/|_]+>)$/;

// A model with its tokenizer, as recipes/translator.py has them.
class Translator {
  constructor(model, tokenizer, characters) {
    [this.model, this.tokenizer, this.characters] = [model, tokenizer, characters];
    this.known = new Set(model.facts.words);
    this.sayable = new RegExp(`^(?:${model.facts.number_or_date})$`, "u");
    [this.start, this.end] = ["<start>", "<end>"].map((name) => tokenizer.specials[name]);
  }

  // The ids of a text, and what the decoder looks at.
  source(text) {
    const ids = this.tokenizer.encode(read(text, this.known));
    const { context } = this.model.config;
    if (ids.length > context) {
      throw new Error(`the sequence is ${ids.length} tokens long, the context of this model holds ${context}`);
    }
    return { ids, memory: this.model.encode(ids) };
  }

  label(id) {
    const raw = this.tokenizer.tokenBytes(id);
    const text = decoded(raw);
    if (!text.includes("\ufffd") && this.characters.isPrintable(text.replace(/[\t\n]/g, ""))) return visible(text);
    return Array.from(raw, (byte) => `<${byte.toString(16).toUpperCase().padStart(2, "0")}>`).join("");
  }
}

function side(labels) {
  const special = labels.flatMap((label, i) => (SPECIAL.test(label) ? [i] : []));
  return { kind: "tokens", labels, segments: labels.map(() => 0), special };
}

// Token after token, the likeliest each time: what was written, where it looked, and what else was likely.
function translated(one, text) {
  const { ids: source, memory } = one.source(text);
  const [ids, cross, best] = [[], [], []];
  let state;
  while (ids.length < MOST_TOKENS && ids.at(-1) !== one.end) {
    state = one.model.decode(memory, ids.at(-1) ?? one.start, state);
    const probabilities = softmax(state.logits);
    const places = largest(probabilities, N_BEST);
    best.push(places.map((id) => [one.label(id), probabilities[id]]));
    cross.push(state.cross);
    ids.push(places[0]);
  }
  const words = one.tokenizer.decode(source).trim();
  const marks = [one.start, one.end];
  const written = ids.filter((id) => !marks.includes(id));
  const weights = cross[0].flatMap((heads, layer) => heads.flatMap((_, head) => cross.flatMap((step) => [...step[layer][head]])));
  return {
    read_as: words,
    note: one.sayable.test(words) ? "" : UNSEEN,
    text: one.tokenizer.decode(written),
    endings: ids.map((_, i) => one.tokenizer.decode(written.slice(0, i + 1)).replace(/\ufffd+$/, "")),
    map: {
      name: "", shape: [cross[0].length, cross[0][0].length, ids.length, source.length], dtype: "float16", data: halves(weights),
      rows: side(ids.map((id) => one.label(id))), columns: side(source.map((id) => one.label(id))), picture: null,
    },
    best,
  };
}

function searched(one, text, beams, alpha) {
  const { memory } = one.source(text);
  const next = (token, before) => one.model.decode(memory, token, before);
  const { tree, ends } = beamSearch(next, one.start, { most: MOST_TOKENS, beams, alpha, stop: one.end });
  const winners = new Set(path(tree, ends[0]));
  const marks = Object.values(one.tokenizer.specials);
  const ranks = {};
  const candidates = tree.map(({ step, token, parent, logP, score, state }, node) => {
    ranks[step] = (ranks[step] ?? -1) + 1;
    const written = path(tree, node).map((each) => tree[each].token).filter((id) => !marks.includes(id));
    return {
      step, rank: ranks[step], token: one.label(token), text: one.tokenizer.decode(written),
      log_p: logP, score, parent: parent ?? -1, state, wins: winners.has(node),
    };
  });
  return { candidates, ends, beams, alpha };
}

// extras: {language: {network, vocabulary}}
export default function brain(context) {
  async function translator(language) {
    const { network, vocabulary } = context.extras[language];
    return new Translator(await loaded(context, network), await tokenizer(context, vocabulary), await characterTables(context));
  }

  const asked = (news, names) => names.some((name) => name in news);
  return {
    async receive(news, traits, tell) {
      const told = {};
      if ("text" in news) told.text = clean(news.text, LIMIT);
      if ("language" in news && !(news.language in context.extras)) [told.language] = traits.languages;
      if ("beams" in news) told.beams = within(news.beams, 1, traits.most.beams);
      if ("alpha" in news) told.alpha = within(news.alpha, 0, traits.most.alpha);
      const { text, language, beams, alpha, translation } = { ...traits, ...told };
      let shape = translation.map?.shape;
      if (asked(news, ["text", "language", "beams", "alpha"])) {
        const one = await translator(language);
        try {
          if (asked(news, ["text", "language"])) {
            const found = translated(one, text);
            ({ shape } = found.map);
            Object.assign(told, { step: 0, error: "" });
            tell({ ...told, translation: found });
            await new Promise((done) => setTimeout(done, 20)); // the page draws it before the beam is searched
          }
          told.search = searched(one, text, beams, alpha);
        } catch (error) {
          told.error = `${error.message}. ${HELP}`;
        }
      }
      if (!shape) return told;
      const [layers, heads, steps] = shape;
      if ("step" in news) told.step ??= within(news.step, 0, steps - 1);
      if ("layer" in news) told.layer = within(news.layer, 0, layers - 1);
      if ("head" in news) told.head = within(news.head, -1, heads - 1);
      return told;
    },
  };
}

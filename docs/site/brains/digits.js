// A drawn digit is read by a ViT, as explorers/digits.py answers.
import { loaded } from "../models/small/load.js";
import { softmax } from "../models/small/numbers.js";
import { drawn, likeMnist } from "./lib/drawings.js";
import { halves } from "./lib/halves.js";
import { round, within } from "./lib/python.js";

const MOST_POINTS = 4000;
const [THINNEST, THICKEST] = [0.02, 0.2];
const rounded = (p) => round(p * 1e5) / 1e5;

// The test digits: {pixels (N, 784) of a byte each, labels}.
async function digits(context) {
  if (!globalThis.tl?.digits) {
    context.busy("Loading the test digits, 0.3 MB ...");
    await context.script("models/digits/test.js");
    context.busy(null);
  }
  const { pixels, labels } = globalThis.tl.digits.test;
  const packed = Uint8Array.from(atob(pixels), (sign) => sign.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return { pixels: new Uint8Array(await new Response(unpacked).arrayBuffer()), labels: Array.from(labels, Number) };
}

// Points from 0 to 1, at most MOST_POINTS of them, and how many more would fit.
function drawable(strokes) {
  let left = MOST_POINTS;
  const inside = (value) => (Number.isFinite(value) ? within(value, 0, 1) : 0);
  const pair = (point) => Array.isArray(point) && point.length === 2;
  const kept = strokes.map((stroke) => {
    const points = (Array.isArray(stroke) ? stroke : []).filter(pair).slice(0, left).map(([x, y]) => [inside(x), inside(y)]);
    left -= points.length;
    return points;
  });
  return [kept.filter((points) => points.length), left];
}

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const mean = (heads) => heads[0].map((_, j) => sum(heads.map((weights) => weights[j])) / heads.length);

// What [CLS] has reached through all layers: each gives half to the token itself, half to what its heads look at.
function rollout(maps) {
  const places = maps[0].map((_, i) => i);
  let reached = places.map((i) => Float64Array.from(places, (j) => Number(i === j)));
  for (const map of maps) {
    reached = map.map((heads, i) => {
      const step = mean(heads).map((weight, j) => (weight + Number(i === j)) / 2);
      const row = new Float64Array(places.length);
      step.forEach((weight, j) => reached[j].forEach((share, k) => { row[k] += weight * share; }));
      return row;
    });
  }
  return reached[0];
}

// How much [CLS] looks at each patch, (1 + L, 1 + H, N): the rollout, then the layers; the mean, then the heads.
function lookedAt(maps) {
  const reached = rollout(maps);
  const looks = [[reached, ...maps[0][0].map(() => reached)], ...maps.map(([cls]) => [mean(cls), ...cls])];
  return halves(looks.flat().flatMap((weights) => [...weights.subarray(1)]));
}

// extras: {networks}, in the order of the readers
export default function brain(context) {
  let test = null; // the test digits, once one was asked for
  return {
    async receive(news, traits) {
      const told = {};
      if ("strokes" in news) {
        const [strokes, left] = drawable(news.strokes);
        Object.assign(told, { strokes, note: left ? "" : "Only the first 4,000 points are kept." });
      }
      if ("pen" in news) told.pen = news.pen > 0 ? within(news.pen, THINNEST, THICKEST) : THINNEST;
      const last = { example: traits.n_examples - 1, layer: traits.shape[0] - 1, head: traits.shape[1] - 1, reader: traits.readers.length - 1 };
      for (const [name, most] of Object.entries(last)) {
        if (name in news) told[name] = within(news[name], name === "reader" ? 0 : -1, most);
      }
      const asked = ["strokes", "pen", "example", "reader"].some((name) => name in news);
      return asked ? { ...told, answer: await answer({ ...traits, ...told }) } : told;
    },
  };

  async function answer({ strokes, pen, example, reader, readers }) {
    const picture = example < 0 ? likeMnist(drawn(strokes, pen)) : await testDigit(example);
    if (!picture) return {};
    const models = [];
    for (const name of context.extras.networks) models.push(await loaded(context, name));
    const { logits, maps, across } = models[reader].read(picture);
    return {
      picture: new DataView(Uint8Array.from(picture, (dark) => round(dark * 255)).buffer),
      probabilities: Array.from(softmax(logits), rounded),
      attention: lookedAt(maps),
      side: across,
      label: example < 0 ? null : test.labels[example],
      others: readers.flatMap((name, i) => (i === reader ? [] : [[name, ...mostLikely(models[i], picture)]])),
    };
  }

  async function testDigit(example) {
    test ??= await digits(context);
    return Float32Array.from(test.pixels.subarray(784 * example, 784 * (example + 1)), (dark) => dark / 255);
  }
}

function mostLikely(model, picture) {
  const probabilities = softmax(model.read(picture).logits);
  const probability = Math.max(...probabilities);
  return [probabilities.indexOf(probability), rounded(probability)];
}

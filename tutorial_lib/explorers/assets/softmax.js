const LIMIT = 1e9;
const STAGES = ["dot products", "scaled", "exponentials", "weights", "mixed value"];
const BAR = ["var(--tl-blue)", "var(--tl-blue)", "var(--tl-sky)", "var(--tl-orange)", "var(--tl-green)"];
const SAY = [
  "1. Dot products: how much the query and each key agree.",
  "2. Scaled: the scores before the softmax.",
  "3. Exponentials, after taking the largest score away: that keeps them finite and changes no weight.",
  "4. Weights: each exponential over their sum, so they add up to 1.",
  "5. Mixed value: each value times its weight, added up.",
];

function stagesOf(q, keys, values, scale, temperature) {
  const dots = keys.map((key) => key.reduce((sum, x, i) => sum + x * q[i], 0));
  const scaled = dots.map((dot) => dot / temperature / (scale ? Math.sqrt(q.length) : 1));
  const largest = Math.max(...scaled);
  const exponentials = scaled.map((score) => Math.exp(score - largest));
  const total = exponentials.reduce((a, b) => a + b, 0);
  const weights = exponentials.map((x) => x / total);
  const mixed = values[0].map((_, j) => weights.reduce((sum, w, i) => sum + w * values[i][j], 0));
  return { dots, scaled, exponentials, weights, mixed };
}

function short(number) {
  if (number === 0) return "0";
  const size = Math.abs(number);
  if (size >= 1e5 || size < 1e-3) return number.toExponential(1);
  return String(Number(number.toPrecision(4)));
}

function render({ model, el }) {
  const first = { q: model.get("q"), k: model.get("k"), v: model.get("v"),
    scale: model.get("scale"), temperature: model.get("temperature") };
  const copy = (x) => JSON.parse(JSON.stringify(x));
  const notes = new Map(); // input's name -> what was done with its odd content
  const root = element("div", { class: "tl-explorer tl-softmax", role: "group", "aria-label": model.get("label") });
  const inputs = [];

  function number(name, read, write) {
    const input = element("input", { type: "number", step: 0.5, "aria-label": name });
    input.value = read();
    input.addEventListener("input", () => {
      const typed = input.valueAsNumber;
      let kept = typed;
      notes.delete(name);
      if (!Number.isFinite(typed)) {
        kept = 0;
        notes.set(name, `${name} is not a number and counts as 0.`);
      } else if (Math.abs(typed) > LIMIT) {
        kept = Math.sign(typed) * LIMIT;
        notes.set(name, `${name} is kept within ±10⁹.`);
      }
      input.setAttribute("aria-invalid", String(notes.has(name)));
      write(kept);
      changed();
    });
    // Someone else moved it (reset, Python): show it, but never under the typing hand.
    inputs.push(() => {
      if (notes.has(name) || input.valueAsNumber === read()) return;
      input.value = read();
    });
    return input;
  }
  const setAt = (trait, ...path) => (value) => {
    const whole = copy(model.get(trait));
    if (path.length === 1) whole[path[0]] = value;
    else whole[path[0]][path[1]] = value;
    model.set(trait, whole);
  };

  const scale = element("input", { type: "checkbox", "aria-label": "Divide by the square root of K", onchange: () => {
    model.set("scale", scale.checked);
    changed();
  } });
  // The slider moves the exponent, so that 1 is its middle.
  const heat = slider("Temperature", { min: -1, max: 1, step: 0.02, value: Math.log10(model.get("temperature")),
    show: (x) => (10 ** x).toFixed(2), change: (x) => {
      model.set("temperature", Number((10 ** x).toFixed(4)));
      changed();
    } });
  const stage = slider("Stage", { min: 1, max: 5, value: model.get("stage"), show: (n) => `${n} of 5, ${STAGES[n - 1]}`,
    change: (n) => { model.set("stage", n); changed(); } });
  const more = element("button", { text: "Next stage ▶", onclick: () => {
    model.set("stage", model.get("stage") % 5 + 1);
    changed();
  } });
  const restart = (state) => {
    notes.clear();
    for (const input of root.querySelectorAll("input[type=number]")) input.setAttribute("aria-invalid", "false");
    for (const [name, value] of Object.entries(state)) model.set(name, copy(value));
    changed();
  };
  const reset = element("button", { text: "Reset", onclick: () => restart(first) });
  const random = element("button", { text: "Random", onclick: () => {
    const draw = (n) => Array.from({ length: n }, () => Math.round((Math.random() * 4 - 2) * 10) / 10);
    restart({ q: draw(first.q.length), k: first.k.map((k) => draw(k.length)), v: first.v.map((v) => draw(v.length)) });
  } });

  const explain = element("p", { class: "tl-stage", role: "status", "aria-live": "polite" });
  const warning = element("p", { class: "tl-warning", role: "alert", hidden: true });
  const heads = STAGES.map((text) => element("th", { text, scope: "col" }));
  const cell = () => {
    const bar = element("div", { class: "tl-bar" });
    const text = element("span", { class: "tl-number" });
    return { text, bar, node: element("td", { class: "tl-cell" }, text, element("div", { class: "tl-track" }, bar)) };
  };
  const query = element("td", {}, ...first.q.map((_, i) =>
    number(`query ${i + 1}`, () => model.get("q")[i], setAt("q", i))));
  const rows = first.k.map((key, s) => {
    const cells = [0, 1, 2, 3].map(cell);
    const node = element("tr", {},
      element("th", { text: model.get("names")[s], scope: "row" }),
      element("td", {}, ...key.map((_, i) => number(`key ${s + 1}, ${i + 1}`, () => model.get("k")[s][i], setAt("k", s, i)))),
      ...cells.map((c) => c.node),
      element("td", {}, ...first.v[s].map((_, i) =>
        number(`value ${s + 1}, ${i + 1}`, () => model.get("v")[s][i], setAt("v", s, i)))));
    return { cells, node };
  });
  const mixed = first.v[0].map(cell);
  const out = element("tr", { class: "tl-out" },
    element("th", { text: "mixed value", scope: "row", colspan: 6 }),
    element("td", { class: "tl-mixed" }, ...mixed.map((c) => element("div", { class: "tl-cell" }, ...c.node.childNodes))));
  const table = element("table", {},
    element("thead", {},
      element("tr", {}, element("th", { text: "query", scope: "row" }), query),
      element("tr", {}, element("td"), element("th", { text: "keys", scope: "col" }), ...heads.slice(0, 4), element("th", { text: "values", scope: "col" }))),
    element("tbody", {}, ...rows.map((r) => r.node), out));
  root.append(
    element("p", { class: "tl-title", text: model.get("label") }),
    element("div", { class: "tl-controls" }, more, stage.node),
    element("div", { class: "tl-controls" }, element("label", {}, scale, "divide by √K"), heat.node, reset, random),
    explain, element("div", { class: "tl-scroll" }, table), warning);
  el.append(root);

  function fill({ text, bar }, value, reach, colour, signed) {
    text.textContent = short(value);
    text.title = String(value);
    const share = reach > 0 ? Math.abs(value) / reach : 0;
    bar.parentElement.classList.toggle("tl-signed", signed);
    bar.style.background = colour;
    bar.style.width = `${(signed ? 50 : 100) * share}%`;
    bar.style.left = !signed ? "0" : value < 0 ? `${50 - 50 * share}%` : "50%";
  }

  function draw() {
    const [q, keys, values] = [model.get("q"), model.get("k"), model.get("v")];
    const now = model.get("stage");
    const result = stagesOf(q, keys, values, model.get("scale"), model.get("temperature"));
    const columns = [result.dots, result.scaled, result.exponentials, result.weights];
    // One scale before and after the division, or it would seem to change nothing; then 0 to 1.
    const highest = Math.max(...result.dots.map(Math.abs), ...result.scaled.map(Math.abs));
    columns.forEach((numbers, stageIndex) => {
      const reach = stageIndex < 2 ? highest : 1;
      const signed = numbers.some((x) => x < 0);
      numbers.forEach((value, s) => {
        fill(rows[s].cells[stageIndex], value, reach, BAR[stageIndex], signed);
        rows[s].cells[stageIndex].node.classList.toggle("tl-later", stageIndex + 1 > now);
      });
      heads[stageIndex].classList.toggle("tl-later", stageIndex + 1 > now);
      heads[stageIndex].classList.toggle("tl-now", stageIndex + 1 === now);
    });
    const far = Math.max(...values.flat().map(Math.abs), ...result.mixed.map(Math.abs));
    result.mixed.forEach((value, i) => fill(mixed[i], value, far, BAR[4], values.flat().some((x) => x < 0)));
    out.classList.toggle("tl-later", now < 5);
    out.classList.toggle("tl-now", now === 5);
    explain.textContent = SAY[now - 1] + (now === 2 ? ` Here: ÷ ${model.get("scale") ? `√${q.length}` : "nothing"}, ÷ temperature ${model.get("temperature").toFixed(2)}.` : "");
    scale.checked = model.get("scale");
    stage.input.value = now;
    stage.node.querySelector("output").textContent = `${now} of 5, ${STAGES[now - 1]}`;
    more.textContent = now === 5 ? "Start again" : "Next stage ▶";
    if (Math.abs(10 ** Number(heat.input.value) - model.get("temperature")) > 0.01) heat.input.value = Math.log10(model.get("temperature"));
    heat.node.querySelector("output").textContent = model.get("temperature").toFixed(2);
    for (const refresh of inputs) refresh();
    const said = [...notes.values()];
    const top = Math.max(...result.weights);
    if (top > 0.9999 && keys.length > 1) said.push(`Saturated: ${model.get("names")[result.weights.indexOf(top)]} takes all the weight.`);
    warning.textContent = said.join(" ");
    warning.hidden = !said.length;
    return result;
  }
  const redraw = frameLoop(draw);
  function changed() {
    const result = stagesOf(model.get("q"), model.get("k"), model.get("v"), model.get("scale"), model.get("temperature"));
    model.set("result", result);
    model.save_changes();
    redraw();
  }
  model.set("result", draw());
  model.save_changes();
  const events = ["q", "k", "v", "scale", "temperature", "stage"].map((name) => `change:${name}`);
  for (const event of events) model.on(event, redraw);
  const unwatch = watchTheme(root, () => {}); // brighter colours on a dark card
  return () => {
    unwatch();
    for (const event of events) model.off(event, redraw);
  };
}

export default { render };

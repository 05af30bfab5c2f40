// Two schemes under one set of controls. The scores come from Python, for all positions; length and shift cut a window.

function softmaxRows(values, T, causal) {
  const weights = new Float32Array(T * T);
  for (let t = 0; t < T; t++) {
    const end = causal ? t + 1 : T;
    const row = values.subarray(t * T, t * T + end);
    const largest = Math.max(...row); // NaN as soon as one key has no score
    let total = 0;
    for (let s = 0; s < end; s++) total += weights[t * T + s] = Math.exp(row[s] - largest);
    for (let s = 0; s < end; s++) weights[t * T + s] /= total;
    if (Number.isNaN(total)) weights.fill(NaN, t * T, (t + 1) * T);
  }
  return weights;
}

function render({ model, el }) {
  const schemes = new Map(model.get("schemes").map((scheme) => [scheme.name, { ...scheme, all: fromFloat16(scheme.data) }]));
  const [longest, farthest] = model.get("limits");
  const [whole, heads, rows] = [longest + farthest, model.get("heads"), model.get("context")];
  const view = { T: 0, S: 0, shift: 0, causal: false, weights: false, rows, pointed: null, cell: { row: 0, column: 0 } };
  const set = (name, value) => {
    model.set(name, value); // `changed` computes
    model.save_changes();
  };
  const update = (patch) => {
    Object.assign(view, patch);
    publish();
    if (patch.cell) model.save_changes();
    redraw();
  };
  const select = (label, trait, options) => {
    const input = element("select", { "aria-label": label, onchange: () => set(trait, input.value) },
      ...options.map(([value, text]) => element("option", { value, text })));
    return { input, node: element("label", {}, label, input) };
  };
  const check = (label, trait) => {
    const input = element("input", { type: "checkbox", onchange: () => set(trait, input.checked) });
    return { input, node: element("label", {}, input, label) };
  };
  const bar = (label, trait, min, max) => slider(label, { min, max, value: model.get(trait), change: (x) => set(trait, x) });

  const root = element("div", { class: "tl-explorer tl-schemes", role: "group", "aria-label": model.get("label") });
  const length = bar("Length", "length", 2, longest);
  const shift = bar("Shift both by", "shift", 0, farthest);
  const head = bar("Head", "head", 0, heads - 1);
  const show = select("Show", "show", [["scores", "what is added to the score"], ["weights", "weights after the softmax"]]);
  const causal = check("Causal mask", "causal");
  const content = check("Added vectors also meet the content", "content");
  const controls = element("div", { class: "tl-controls" }, ...[length, shift, head, show, causal, content].map((c) => c.node));
  const names = [...schemes.values()].map((scheme) => [scheme.name, scheme.label]);
  const sides = ["left", "right"].map((trait) => {
    const choice = select(`Scheme on the ${trait}`, trait, names);
    const drawing = schemeView(view, update, `Matrix of the scheme on the ${trait}: queries down, keys across. Arrow keys move the pair.`);
    const about = element("p", { class: "tl-about" });
    const verdicts = element("ul", { class: "tl-verdicts", "aria-live": "polite" });
    const node = element("div", { class: "tl-side" }, choice.node, about, drawing.canvas, verdicts);
    return { trait, choice, drawing, about, verdicts, node };
  });
  const readout = element("p", { class: "tl-readout", role: "status" });
  const note = "All queries and keys have the same content, so only the scheme is seen. Above, blue adds to a score and orange "
    + "takes from it, each map on a scale of its own. Below, the blue band covers all pairs with one offset, the orange dashes are the query under "
    + "the pointer. Click or use the arrow keys to keep a pair.";
  root.append(element("p", { class: "tl-title", text: model.get("label") }), controls,
    element("div", { class: "tl-sides" }, ...sides.map((side) => side.node)), readout, element("p", { class: "tl-note", text: note }));
  el.append(root);

  // The numbers of one setting: a window of the scores at all positions.
  function cut(scheme, from) {
    const T = view.T;
    const at = Math.min(model.get("head"), heads - 1);
    const index = scheme.added ? Number(model.get("content"))
      : scheme.name === "t5" ? at + heads * Number(view.causal) : scheme.headed ? at : 0;
    const values = new Float32Array(T * T);
    for (let t = 0; t < T; t++) {
      const start = (index * whole + t + from) * whole + from;
      values.set(scheme.all.subarray(start, start + T), t * T);
    }
    return values;
  }

  function compute() {
    view.T = view.S = model.get("length");
    Object.assign(view, { shift: model.get("shift"), causal: model.get("causal"), weights: model.get("show") === "weights" });
    view.pointed = null;
    view.cell = { row: Math.min(view.cell.row, view.T - 1), column: Math.min(view.cell.column, view.T - 1) };
    for (const side of sides) {
      const scheme = schemes.get(model.get(side.trait));
      const [moved, still] = [cut(scheme, view.shift), cut(scheme, 0)];
      side.scheme = scheme;
      side.values = view.weights ? softmaxRows(moved, view.T, view.causal) : moved;
      side.offsets = overOffsets(side.values, view.T, view.causal);
      const before = view.weights ? softmaxRows(still, view.T, view.causal) : still;
      side.change = NaN;
      side.scale = 0;
      side.lost = 0;
      for (let i = 0; i < moved.length; i++) {
        if (view.causal && i % view.T > Math.floor(i / view.T)) continue;
        const change = Math.abs(side.values[i] - before[i]);
        if (!(change <= side.change) && !Number.isNaN(change)) side.change = change;
        if (Math.abs(side.values[i]) > side.scale) side.scale = Math.abs(side.values[i]);
        if (i % (view.T + 1) === 0 && Number.isNaN(moved[i])) side.lost += 1;
      }
    }
    view.top = Math.max(0.1, ...sides.map((side) => side.scale)); // the darkest weight
    for (const [control, trait] of [[length, "length"], [shift, "shift"], [head, "head"]]) {
      control.input.value = model.get(trait);
      control.node.querySelector("output").textContent = control.input.value;
    }
    [causal.input.checked, content.input.checked, show.input.value] = [view.causal, model.get("content"), model.get("show")];
    head.input.disabled = !sides.some((side) => side.scheme.headed);
    content.input.disabled = !sides.some((side) => side.scheme.added);
    for (const side of sides) {
      side.choice.input.value = side.scheme.name;
      explain(side);
    }
    publish();
  }

  function explain(side) {
    const { scheme } = side;
    const spread = Math.max(0, ...side.offsets.map((p) => p.high - p.low).filter((x) => !Number.isNaN(x)));
    const at = Math.min(model.get("head"), heads - 1);
    const said = [scheme.about];
    if (scheme.name === "alibi") said.push(`Slope of head ${at}: ${model.get("slopes")[at].toPrecision(3).replace(/0+$/, "")}.`);
    if (scheme.made_up) said.push("The numbers here are made up; training decides them.");
    side.about.textContent = said.join(" ");
    const lines = [];
    const what = view.weights ? "weight" : "score";
    if (side.lost) {
      const some = side.lost === view.T ? "None of these positions has" : `${side.lost} of ${view.T} positions have no`;
      lines.push(side.lost === view.T ? `${some} a row: the table ends at ${rows}.` : `${some} row: the table ends at ${rows}.`);
    }
    const known = side.offsets.some((p) => !Number.isNaN(p.mean));
    if (known) {
      lines.push(spread < 0.005
        ? (side.scale < 0.005 ? `Every pair has the same ${what}.` : `Equal offsets have equal ${what}s.`)
        : `Pairs with one offset differ by up to ${signed(spread)}.`);
    }
    if (view.shift && !Number.isNaN(side.change)) {
      lines.push(side.change < 0.005 ? `Shifted by ${view.shift}: no ${what} changes.`
        : `Shifted by ${view.shift}: ${what}s change by up to ${signed(side.change)}.`);
    } else if (view.shift && known) lines.push(`Shifted by ${view.shift}: nothing is left to compare.`);
    const beyond = scheme.added ? view.T + view.shift > rows : view.T > rows;
    if (!side.lost && beyond && scheme.name !== "none") {
      const which = scheme.added ? `Positions from ${rows} on` : `Offsets from ±${rows} on`;
      lines.push(`${which} (dashed) are defined; whether a model can use them is another question.`);
    }
    side.verdicts.replaceChildren(...lines.map((text) => element("li", { text })));
  }

  const shown = (side, { row, column }) => {
    if (view.causal && column > row) return "hidden by the mask";
    const value = side.values[row * view.T + column];
    return Number.isNaN(value) ? "no row in the table" : signed(value, view.weights ? 3 : 2);
  };
  function publish() {
    const { row, column } = view.cell;
    const numbers = (side) => {
      const value = side.values[row * view.T + column];
      return { value: Number.isNaN(value) ? null : value, change: Number.isNaN(side.change) ? null : side.change, missing: side.lost };
    };
    model.set("result", { query: row + view.shift, key: column + view.shift, left: numbers(sides[0]), right: numbers(sides[1]) });
  }

  function draw() {
    if (!view.theme) return;
    for (const side of sides) {
      side.drawing.resize(side.node.clientWidth);
      side.drawing.draw(side, view.theme);
    }
    const at = view.pointed || view.cell;
    readout.replaceChildren(
      `Query ${at.row + view.shift}, key ${at.column + view.shift}, offset ${signed(at.column - at.row, 0)}: `,
      ...sides.flatMap((side, i) => [i ? ", " : "", `${side.scheme.label} `, element("b", { text: shown(side, at) })]), ".");
  }

  const redraw = frameLoop(draw);
  view.cell = { row: Math.floor(model.get("length") / 2), column: Math.max(0, Math.floor(model.get("length") / 2) - 3) };
  compute();
  model.save_changes();
  const stop = watchTheme(root, (theme) => {
    view.theme = theme;
    redraw();
  });
  const events = ["left", "right", "length", "shift", "causal", "head", "content", "show"].map((trait) => `change:${trait}`);
  const changed = () => {
    compute();
    redraw();
  };
  for (const event of events) model.on(event, changed);
  return () => {
    stop();
    for (const event of events) model.off(event, changed);
  };
}

export default { render };

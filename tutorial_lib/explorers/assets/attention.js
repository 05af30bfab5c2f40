// The attention explorer: one state, three linked views of it, controls, and a read-out in words.

function unpack(panel) {
  const { data, dtype, shape } = panel;
  if (dtype === "float16") return fromFloat16(data);
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return Float32Array.from(bytes.subarray(0, shape.reduce((a, b) => a * b)), (byte) => byte / 255);
}

const FAINT = 0.05; // as in attention.py

function render({ model, el }) {
  const root = element("div", { class: `tl-explorer tl-attention${model.get("simple") ? " tl-simple" : ""}`, role: "group", "aria-label": model.get("label") });
  const state = { hover: null, pointed: null, version: 0, simple: model.get("simple"), shown: (token) => readable(token, 14) };
  const readout = element("output", { class: "tl-readout", "aria-live": "polite" });
  const notes = element("div", { role: "status" });
  const views = [linesView, pictureView, matrixView, headsView].map((view) => view(state, update));
  const shown = () => views.filter((_, i) => !figures[i].hidden);
  const redraw = frameLoop(draw);
  let unpacked = null;

  // The widest label in pixels, at this size of letters.
  const ruler = element("canvas").getContext("2d");
  state.widest = (size) => {
    ruler.font = `${size}px system-ui, sans-serif`;
    const tokens = new Set([...state.rows.labels, ...state.columns.labels].map(state.shown));
    return Math.ceil(Math.max(...Array.from(tokens, (token) => ruler.measureText(token).width)));
  };

  // One head's weights (T x S, row by row), without the special columns when those are hidden.
  state.headWeights = (layer, head) => {
    const size = state.T * state.S;
    const start = (layer * state.H + head) * size;
    const weights = state.values.subarray(start, start + size);
    if (!model.get("hide_special") || !state.columns.special.length) return weights;
    const kept = weights.slice();
    for (let t = 0; t < state.T; t++) {
      const row = kept.subarray(t * state.S, (t + 1) * state.S);
      for (const s of state.columns.special) row[s] = 0;
      const sum = row.reduce((a, b) => a + b, 0);
      if (model.get("renormalise") && sum > 1e-6) row.forEach((weight, s) => { row[s] = weight / sum; });
    }
    return kept;
  };

  function derive() {
    for (const name of ["layer", "head", "threshold", "broken"]) state[name] = model.get(name);
    state.layer = Math.min(state.layer, state.L - 1);
    state.head = Math.min(state.head, state.H - 1);
    const [row, column] = [Math.min(model.get("row"), state.T - 1), Math.min(model.get("column"), state.S - 1)];
    state.cell = row >= 0 && column >= 0 ? { row, column } : null;
    state.pinned = state.cell ? null
      : row >= 0 ? { side: "row", index: row } : column >= 0 ? { side: "column", index: column } : null;
    const at = state.pointed || state.cell;
    state.isolated = state.hover || (at && { side: "row", index: at.row }) || state.pinned;
    state.weights = state.headWeights(state.layer, state.head);
    if (state.isolated) {
      const { side, index } = state.isolated;
      const [count, step, start] = side === "row" ? [state.S, 1, index * state.S] : [state.T, state.S, index];
      state.isolatedWeights = Float32Array.from({ length: count }, (_, i) => state.weights[start + i * step]);
    }
  }

  const kinds = {
    encoder: "encoder: source looks at source",
    decoder: "decoder: target looks at target",
    cross: "cross: target looks at source",
  };

  function takePanel() {
    const panels = model.get("panels");
    const index = Math.min(model.get("part"), panels.length - 1);
    const panel = panels[index];
    if (unpacked !== panel) {
      unpacked = panel;
      state.values = unpack(panel);
    }
    [state.L, state.H, state.T, state.S] = panel.shape;
    Object.assign(state, { rows: panel.rows, columns: panel.columns, picture: panel.picture, hover: null, pointed: null });
    figures[0].hidden = Boolean(panel.picture) && !panel.picture.boxes; // a text's words have no place in it
    figures[1].hidden = !panel.picture;
    figures[3].hidden = !model.get("grid");
    state.decimals = panel.dtype === "float16" ? 3 : 2;
    state.version++;
    controls.part.replaceChildren(...panels.map(({ name }, i) => element("option", { value: i, text: kinds[name] || name })));
    controls.part.value = index;
    controls.part.parentElement.hidden = panels.length < 2;
    for (const [name, count] of [["layer", state.L], ["head", state.H]]) {
      controls[name].input.max = count - 1;
      controls[name].input.disabled = count < 2;
    }
    const special = state.columns.special.length > 0;
    const names = [...new Set(state.columns.special.map((s) => state.columns.labels[s]))].slice(0, 3);
    controls.hide.nextSibling.textContent = `leave out columns ${names.join(", ")}`;
    controls.hide.parentElement.hidden = controls.renormalise.parentElement.hidden = !special;
    notes.replaceChildren(...model.get("notes").map((text) => element("div", { class: "tl-warning", text })));
    shown().forEach((view) => view.resize());
    if (!figures[3].hidden) caption(3, views[3].order);
    redraw();
  }

  // What a view or a control changes: `pinned` and `cell` become the row and column the kernel knows.
  function update(change) {
    const { hover, pointed, pinned, cell, ...traits } = change;
    if (hover !== undefined) state.hover = hover;
    if (pointed !== undefined) state.pointed = pointed;
    if (pinned !== undefined) {
      traits.row = pinned?.side === "row" ? pinned.index : -1;
      traits.column = pinned?.side === "column" ? pinned.index : -1;
    }
    if (cell !== undefined) Object.assign(traits, cell || { row: -1, column: -1 });
    for (const [name, value] of Object.entries(traits)) model.set(name, value);
    if (Object.keys(traits).length) model.save_changes();
    derive(); // a second key within the same frame starts from where the first one led
    redraw();
  }

  function words() {
    const quote = (token) => `“${readable(token, 60)}”`;
    const value = (t, s) => state.weights[t * state.S + s].toFixed(state.decimals);
    const place = `Layer ${state.layer}, head ${state.head}`;
    const at = state.hover ? null : state.pointed || state.cell;
    if (at) {
      return `${place}: ${quote(state.rows.labels[at.row])} looks at ${quote(state.columns.labels[at.column])} with weight ${value(at.row, at.column)}.`;
    }
    if (!state.isolated) {
      const things = model.get("grid") ? "a token, a cell or a small matrix" : "a token or a cell";
      return `${place}. Point at ${things}, or reach them with Tab and the arrow keys.`;
    }
    const { side, index } = state.isolated;
    const row = side === "row";
    const others = (row ? state.columns : state.rows).labels.map((label, i) => [label, state.isolatedWeights[i]]);
    const best = others.sort((a, b) => b[1] - a[1]).slice(0, 3).map(([label, weight]) => `${quote(label)} ${weight.toFixed(state.decimals)}`);
    const token = quote((row ? state.rows : state.columns).labels[index]);
    return `${place}: ${token} ${row ? "looks most at" : "is looked at most by"} ${best.join(", ")}.`;
  }

  function draw() {
    if (!state.theme || !root.isConnected) return;
    derive();
    for (const name of ["layer", "head"]) controls[name].set(state[name]);
    controls.threshold.set(state.threshold);
    controls.hide.checked = model.get("hide_special");
    controls.renormalise.checked = model.get("renormalise");
    controls.renormalise.disabled = !controls.hide.checked;
    caption(2, state.threshold > FAINT ? `a row looks; weights below ${state.threshold.toFixed(2)} are not drawn` : captions[2][1]);
    shown().forEach((view) => view.draw());
    readout.textContent = words();
  }

  function range(name, label, options) {
    const made = slider(label, { ...options, value: model.get(name), change: (value) => update({ [name]: value }) });
    const show = options.show || String;
    made.set = (value) => {
      if (Number(made.input.value) === value) return;
      made.input.value = value;
      made.node.querySelector("output").textContent = show(value);
    };
    return made;
  }
  function tick(name, text) {
    const input = element("input", { type: "checkbox" });
    input.addEventListener("change", () => update({ [name]: input.checked }));
    element("label", {}, input, text);
    return input;
  }
  const controls = {
    part: element("select", { "aria-label": "Which attention", onchange: () => update({ part: Number(controls.part.value) }) }),
    layer: range("layer", "Layer", { min: 0, max: 0 }),
    head: range("head", "Head", { min: 0, max: 0 }),
    threshold: range("threshold", "Hide weights below", { min: 0, max: 1, step: 0.01, show: (value) => value.toFixed(2) }),
    hide: tick("hide_special", "leave out special columns"),
    renormalise: tick("renormalise", "and share out the rest to 1"),
  };
  const captions = [
    ["Lines", "left looks at right"],
    ["Picture", "where one token looks"],
    ["Matrix", "a row looks, a row adds up to 1"],
    ["All heads", "layers down, heads across"],
  ];
  const figures = views.map((view, i) => element("figure", {},
    element("figcaption", {}, `${captions[i][0]} `, element("span", { text: captions[i][1] })), view.node));
  const caption = (i, text) => { figures[i].querySelector("figcaption span").textContent = text; };
  root.append(
    element("div", { class: "tl-title", text: model.get("label") }),
    element("div", { class: "tl-controls" },
      element("label", {}, "Attention of", controls.part),
      controls.layer.node, controls.head.node,
      ...(state.simple ? [] : [controls.threshold.node, controls.hide.parentElement, controls.renormalise.parentElement])),
    notes,
    element("div", { class: "tl-views" }, ...figures.slice(0, 3), element("div", { class: "tl-side" }, figures[3], readout)));
  el.append(root);

  const anew = () => {
    state.version++;
    redraw();
  };
  const tied = [
    [["panels", "part", "notes"], takePanel],
    [["hide_special", "renormalise"], anew],
    [["layer", "head", "threshold", "row", "column", "broken"], redraw],
  ];
  for (const [names, react] of tied) names.forEach((name) => model.on(`change:${name}`, react));
  const panel = model.get("has_model") ? modelPanel(model, () => ({ layer: state.layer, head: state.head })) : null;
  if (panel && model.get("simple")) root.querySelector(".tl-title").after(panel.node); // only the text to type
  else if (panel) root.append(panel.node);
  const stop = watchTheme(root, (theme) => {
    state.theme = theme;
    // Pixels are written as one 32-bit number, alpha first (little-endian machines, as all browsers run on).
    state.ramp = Uint32Array.from({ length: 256 }, (_, i) => {
      const [r, g, b] = theme.mix(Math.sqrt(i / 255));
      return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
    });
    anew();
  });
  takePanel();
  return () => {
    stop();
    panel?.stop();
    for (const [names, react] of tied) names.forEach((name) => model.off(`change:${name}`, react));
  };
}

export default { render };

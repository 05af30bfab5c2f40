// The walk: a map of all steps on the left, the tensor of the current step on the right.

function render({ model, el }) {
  const root = element("div", { class: "tl-explorer tl-walk", role: "group", "aria-label": model.get("label") });
  const steps = model.get("steps");
  const state = { pointed: null, column: 0, chosen: false };
  const unpacked = new Map();
  const ruler = element("canvas").getContext("2d");
  const view = valuesView(state, update);
  const redraw = frameLoop(draw);
  let shownStep = -1;

  state.widest = (labels) => {
    ruler.font = "13px system-ui, sans-serif";
    return Math.ceil(Math.max(0, ...labels.map((label) => ruler.measureText(readable(label, 14)).width)));
  };
  state.value = (t, s) => state.values[(Math.min(state.head, state.H - 1) * state.T + t) * state.S + s];

  function values(index) {
    if (!unpacked.has(index)) {
      const { data, dtype } = steps[index];
      const bytes = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);
      unpacked.set(index, dtype === "float16" ? fromFloat16(data) : new Float32Array(bytes));
    }
    return unpacked.get(index);
  }

  function derive() {
    for (const name of ["head", "token"]) state[name] = model.get(name);
    state.index = Math.min(Math.max(model.get("step"), 0), steps.length - 1);
    state.step = steps[state.index];
    [state.H, state.T, state.S] = state.step.shape;
    state.values = values(state.index);
    if (!state.chosen) state.column = state.step.kind === "shares" ? largest(Math.min(state.token, state.T - 1)) : 0;
  }

  // Until a cell is chosen the one that is read out is the row's largest share: where a token looks most.
  function largest(row) {
    const shares = Array.from({ length: state.S }, (_, s) => state.value(row, s));
    return shares.indexOf(Math.max(...shares));
  }

  function update({ pointed, column, ...traits }) {
    if (pointed !== undefined) state.pointed = pointed;
    if (column !== undefined) [state.column, state.chosen] = [column, true];
    if (traits.step !== undefined) {
      traits.step = Math.min(Math.max(traits.step, 0), steps.length - 1);
      state.pointed = null;
    }
    for (const [name, value] of Object.entries(traits)) model.set(name, value);
    if (Object.keys(traits).length) model.save_changes();
    derive();
    redraw();
  }

  // The map: one button for each stage, and below the current stage one for each of its steps.
  const map = element("ol", { class: "tl-map" });
  const stages = [...new Set(steps.map((step) => step.stage))];
  const boxes = new Map();
  for (const stage of stages) {
    const inner = element("ol", {});
    steps.forEach((step, index) => {
      if (step.stage !== stage) return;
      const button = element("button", { type: "button", text: step.label, onclick: () => update({ step: index }) });
      boxes.set(index, button);
      inner.append(element("li", {}, button));
    });
    const first = steps.findIndex((step) => step.stage === stage);
    const head = element("button", { type: "button", class: "tl-stage", text: stage, onclick: () => update({ step: first }) });
    map.append(element("li", { "data-stage": stage }, head, inner));
  }

  const heading = element("h4", {});
  const shape = element("div", { class: "tl-shape" });
  const formula = element("code", { class: "tl-formula" });
  const meaning = element("p", {});
  const notes = element("div", { role: "status" });
  const readout = element("output", { class: "tl-readout", "aria-live": "polite" });

  function range(name, label, show) {
    const made = slider(label, { min: 0, max: 0, value: model.get(name), show, change: (value) => update({ [name]: value }) });
    made.set = (value, most) => {
      made.input.max = most;
      made.input.disabled = most < 1;
      made.input.value = value;
      made.node.querySelector("output").textContent = show(Math.min(value, most));
    };
    return made;
  }
  const controls = {
    step: range("step", "Step", (value) => `${value + 1} of ${steps.length}`),
    head: range("head", "Head", (value) => (state.step && !state.step.heads ? "none" : String(value))),
    token: range("token", "Token", (value) => {
      if (!state.step || (!state.step.rows.length && state.T > 1)) return String(value);
      return state.step.rows.length ? readable(state.step.rows[value], 14) : "none";
    }),
  };
  const back = element("button", { type: "button", text: "← Back", onclick: () => update({ step: state.index - 1 }) });
  const next = element("button", { type: "button", text: "Next →", onclick: () => update({ step: state.index + 1 }) });

  function words() {
    const at = state.pointed || { row: Math.min(state.token, state.T - 1), column: Math.min(state.column, state.S - 1) };
    const { rows, columns, picked, kind, heads } = state.step;
    const name = (labels, index, what) => (labels.length ? `“${readable(labels[index], 60)}”` : `${what} ${index}`);
    const inQuotes = (label) => (label.startsWith("“") ? `“${readable(label.slice(1, -1), 60)}”` : label);
    const value = state.value(at.row, at.column);
    const number = kind === "ids" ? String(value) : Number.isFinite(value) ? value.toFixed(3) : "−∞ (hidden)";
    const head = heads ? `Head ${Math.min(state.head, state.H - 1)}, ` : "";
    const row = rows.length || state.T > 1 ? name(rows, at.row, "row") : "";
    const column = kind === "ids" ? "" : picked.length ? inQuotes(picked[at.row][at.column]) : name(columns, at.column, "column");
    const next = state.step.comes[at.row] === at.column ? " (this comes next)" : "";
    return `${head}${[row, column].filter(Boolean).join(", ")}: ${number}${next}`;
  }

  function turn() {
    const { step } = state;
    heading.textContent = step.name;
    shape.replaceChildren(...step.axes.map(({ letter, size, meaning: what }) =>
      element("span", { title: what }, element("b", { text: letter }), ` ${size} `, element("small", { text: what }))));
    formula.textContent = step.formula;
    meaning.textContent = step.meaning;
    notes.replaceChildren(...step.notes.map((text) => element("div", { class: "tl-note", text })));
    boxes.forEach((button, index) => (index === state.index ? button.setAttribute("aria-current", "step") : button.removeAttribute("aria-current")));
    map.querySelectorAll("[data-stage]").forEach((item) => item.toggleAttribute("data-open", item.dataset.stage === step.stage));
    back.disabled = state.index === 0;
    next.disabled = state.index === steps.length - 1;
    const button = boxes.get(state.index);
    if (button.offsetTop < map.scrollTop || button.offsetTop + 30 > map.scrollTop + map.clientHeight) {
      map.scrollTop = button.offsetTop - map.clientHeight / 2;
    }
    view.resize();
  }

  function draw() {
    if (!state.theme || !root.isConnected) return;
    derive();
    if (shownStep !== state.index) turn();
    shownStep = state.index;
    controls.step.set(state.index, steps.length - 1);
    controls.head.set(Math.min(state.head, state.H - 1), state.H - 1);
    controls.token.set(Math.min(state.token, state.T - 1), state.T - 1);
    view.draw();
    readout.textContent = words();
  }

  root.append(
    element("div", { class: "tl-title", text: model.get("label") }),
    element("div", { class: "tl-controls" }, back, controls.step.node, next, controls.token.node, controls.head.node),
    element("div", { class: "tl-parts" },
      element("nav", { "aria-label": "All steps" }, map),
      element("section", {}, heading, shape, formula, meaning, view.node, readout, notes)));
  el.append(root);
  for (const name of ["step", "head", "token"]) model.on(`change:${name}`, redraw);
  const stop = watchTheme(root, (theme) => {
    state.theme = theme;
    redraw();
  });
  derive();
  return () => {
    stop();
    for (const name of ["step", "head", "token"]) model.off(`change:${name}`, redraw);
  };
}

export default { render };

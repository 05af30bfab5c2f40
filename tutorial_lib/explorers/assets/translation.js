// The translation explorer: a text goes to Python, comes back token by token, and is stepped through here.

const WAIT = 90; // milliseconds without typing before Python is asked
const PACE = 700; // milliseconds for one token while it runs

function render({ model, el }) {
  const root = element("div", { class: "tl-explorer tl-translation", role: "group", "aria-label": model.get("label") });
  const state = { pointed: null, cell: null, column: 0, threshold: 0, shown: (token) => readable(token, 16) };
  const [view, matrix] = [stepView, matrixView].map((made) => made(state, update));
  const tree = treeView();
  const redraw = frameLoop(draw);
  let shownStep = -1;
  let running = null;

  const ruler = element("canvas").getContext("2d");
  state.widest = (size) => {
    ruler.font = `${size}px system-ui, sans-serif`;
    const labels = [...state.rows.labels, ...state.columns.labels].map(state.shown);
    return Math.ceil(Math.max(...labels.map((label) => ruler.measureText(label).width)));
  };

  function derive() {
    const inside = (value, count, lowest = 0) => Math.min(Math.max(value, lowest), count - 1);
    state.step = inside(model.get("step"), state.T);
    state.layer = inside(model.get("layer"), state.L);
    state.head = inside(model.get("head"), state.H, -1);
    const size = state.T * state.S;
    const weights = (head) => state.values.subarray((state.layer * state.H + head) * size, (state.layer * state.H + head + 1) * size);
    if (state.head >= 0) state.weights = weights(state.head);
    else {
      state.weights = new Float32Array(size);
      for (let head = 0; head < state.H; head++) weights(head).forEach((weight, i) => { state.weights[i] += weight / state.H; });
    }
    state.isolated = { side: "row", index: state.step };
    state.cell = state.column === null ? null : { row: state.step, column: inside(state.column, state.S) };
  }

  // A cell of the matrix is a step and a column; all else that changes is the kernel's to know.
  function update({ pointed, cell, hold, ...traits }) {
    if (pointed !== undefined) state.pointed = pointed;
    if (cell !== undefined) {
      state.column = cell ? cell.column : null;
      if (cell) traits.step = cell.row;
    }
    if (traits.step !== undefined) {
      traits.step = Math.min(Math.max(traits.step, 0), state.T - 1);
      if (!hold) pause();
    }
    for (const [name, value] of Object.entries(traits)) model.set(name, value);
    if (Object.keys(traits).length) model.save_changes();
    if (state.L) derive();
    redraw();
  }

  function pause() {
    clearInterval(running);
    running = null;
    buttons.run.textContent = "▶ Run";
  }
  function run() {
    if (running) return pause();
    if (state.step === state.T - 1) update({ step: 0 });
    buttons.run.textContent = "Pause";
    running = setInterval(() => {
      if (state.step < state.T - 1) update({ step: state.step + 1, hold: true });
      if (state.step >= state.T - 1) pause();
    }, PACE);
  }
  const button = (text, label, onclick) => element("button", { type: "button", text, "aria-label": label, onclick });
  const buttons = {
    reset: button("Reset", "Reset to the first token", () => update({ step: 0 })),
    back: button("← Back", "Back one token", () => update({ step: state.step - 1 })),
    forward: button("Forward →", "Forward one token", () => update({ step: state.step + 1 })),
    run: button("▶ Run", "Run through the translation, or pause", run),
  };

  const box = element("input", { type: "text", "aria-label": "English number or date", dir: "auto", spellcheck: "false", autocomplete: "off", value: model.get("text") });
  box.value = model.get("text");
  const language = element("select", { "aria-label": "Language", onchange: () => update({ language: language.value }) },
    ...model.get("languages").map((name) => element("option", { value: name, text: name })));
  const readAs = element("div", { class: "tl-note tl-read" });
  const cut = element("div", { class: "tl-warning", role: "status", hidden: true });
  const unseen = element("div", { class: "tl-warning", role: "status", hidden: true });
  const error = element("div", { class: "tl-warning", role: "alert", hidden: true });
  let timer = null;
  box.addEventListener("input", () => {
    const limit = model.get("limit");
    const letters = [...box.value]; // as Python counts them
    if (letters.length > limit) box.value = letters.slice(0, limit).join("");
    cut.hidden = letters.length <= limit;
    cut.textContent = `Only the first ${limit} characters are read.`;
    clearTimeout(timer);
    timer = setTimeout(() => update({ text: box.value }), WAIT);
  });

  function range(name, label, options) {
    const made = slider(label, { min: 0, max: 0, ...options, value: model.get(name), change: (value) => update({ [name]: value }) });
    const show = options.show || String;
    made.set = (value, most) => {
      if (value === made.value && most === made.most && Number(made.input.value) === value) return;
      Object.assign(made, { value, most });
      made.input.max = most;
      made.input.disabled = Number(made.input.min) >= most;
      made.input.value = value;
      made.node.querySelector("output").textContent = show(value);
    };
    return made;
  }
  const controls = {
    step: range("step", "Token", { show: (value) => `${value + 1} of ${state.T ?? 1}` }),
    layer: range("layer", "Layer", {}),
    head: range("head", "Head", { min: -1, show: (value) => (value < 0 ? "mean" : String(value)) }),
    beams: range("beams", "Beams", { min: 1 }),
    alpha: range("alpha", "Length penalty α", { step: 0.1, show: (value) => value.toFixed(1) }),
  };

  const written = element("div", { class: "tl-written" });
  const best = element("div", { class: "tl-best" });
  const readout = element("output", { class: "tl-readout", "aria-live": "polite" });
  const figure = (title, text, ...nodes) => element("figure", {}, element("figcaption", {}, `${title} `, element("span", { text })), ...nodes);
  const parts = element("div", {});
  parts.append(
    element("div", { class: "tl-controls" }, element("span", { class: "tl-buttons" }, ...Object.values(buttons)), controls.step.node),
    written,
    element("div", { class: "tl-controls" }, controls.layer.node, controls.head.node),
    readout,
    element("div", { class: "tl-views" },
      figure("Where it looks", "grey: where earlier tokens looked most", view.node),
      figure("All steps", "a row for each token written", matrix.node),
      figure("Next token", "probabilities", best)),
    element("details", { class: "tl-second", open: model.get("tree") },
      element("summary", { class: "tl-title", text: "Beam search" }),
      element("div", { class: "tl-controls" }, controls.beams.node, controls.alpha.node,
      element("span", { class: "tl-key" }, ...[["tl-wins", "leads to the winner"], ["tl-kept", "went on"], ["tl-finished", "finished: log p → score"], ["tl-dropped", "dropped"]]
        .map(([name, text]) => element("span", {}, element("i", { class: name }), text)))),
      tree.node));

  function takeTranslation() {
    const translation = model.get("translation");
    parts.hidden = !translation.map;
    if (!translation.map) return;
    [state.L, state.H, state.T, state.S] = translation.map.shape;
    Object.assign(state, { values: fromFloat16(translation.map.data), rows: translation.map.rows, columns: translation.map.columns });
    Object.assign(state, { pointed: null, column: null, translation });
    readAs.textContent = `read as: ${translation.read_as}`;
    unseen.textContent = translation.note;
    unseen.hidden = !translation.note;
    shownStep = -1;
    derive();
    view.resize();
    matrix.resize();
    redraw();
  }
  function takeSearch() {
    tree.take(model.get("search"));
    redraw();
  }
  function takeRequest() {
    if (document.activeElement !== box && box.value !== model.get("text")) box.value = model.get("text");
    language.value = model.get("language");
    language.parentElement.hidden = model.get("languages").length < 2;
    redraw();
  }

  function bars() {
    best.replaceChildren(...state.translation.best[state.step].map(([token, p], place) => element("div", { class: place ? "" : "tl-first" },
      element("span", { text: readable(token, 18) }),
      element("span", { class: "tl-bar" }, element("i", { style: `width:${(100 * p).toFixed(2)}%` })),
      element("span", { text: p >= 0.0005 || p === 0 ? p.toFixed(3) : p.toExponential(0) }))));
  }

  function words() {
    const place = `Layer ${state.layer}, ${state.head < 0 ? "mean of its heads" : `head ${state.head}`}`;
    const quote = (label) => `“${readable(label, 40)}”`;
    const at = state.pointed || state.cell;
    const weight = (t, s) => state.weights[t * state.S + s].toFixed(3);
    if (at) return `${place}: while ${quote(state.rows.labels[at.row])} is written, ${quote(state.columns.labels[at.column])} has weight ${weight(at.row, at.column)}.`;
    const order = state.columns.labels.map((_, s) => s).sort((a, b) => state.weights[state.step * state.S + b] - state.weights[state.step * state.S + a]);
    const most = order.slice(0, 3).map((s) => `${quote(state.columns.labels[s])} ${weight(state.step, s)}`);
    return `${place}: while ${quote(state.rows.labels[state.step])} is written, it looks most at ${most.join(", ")}.`;
  }

  function draw() {
    if (!state.theme || !root.isConnected) return;
    const message = model.get("error");
    error.hidden = !message;
    error.textContent = state.translation && message ? `Not translated, so the last translation stays. ${message}` : message;
    parts.classList.toggle("tl-stale", Boolean(message));
    if (!state.translation) return;
    derive();
    const { beams, alpha } = model.get("most");
    controls.step.set(state.step, state.T - 1);
    controls.layer.set(state.layer, state.L - 1);
    controls.head.set(state.head, state.H - 1);
    controls.beams.set(model.get("beams"), beams);
    controls.alpha.set(model.get("alpha"), alpha);
    buttons.back.disabled = buttons.reset.disabled = state.step === 0;
    buttons.forward.disabled = state.step === state.T - 1;
    if (shownStep !== state.step) {
      const done = state.translation.endings[state.step];
      written.replaceChildren(done, element("span", { text: state.translation.text.slice(done.length) }));
      bars();
      view.reveal();
    }
    shownStep = state.step;
    view.draw();
    matrix.draw();
    readout.textContent = words();
  }

  root.append(
    element("div", { class: "tl-title", text: model.get("label") }),
    element("div", { class: "tl-controls" }, element("label", { class: "tl-entry" }, "English number or date", box), element("label", {}, "to", language)),
    cut, error, readAs, unseen, parts);
  el.append(root);
  const tied = [
    [["translation"], takeTranslation],
    [["search"], takeSearch],
    [["text", "language", "error"], takeRequest],
    [["step", "layer", "head", "beams", "alpha"], redraw],
  ];
  for (const [names, react] of tied) names.forEach((name) => model.on(`change:${name}`, react));
  const stop = watchTheme(root, (theme) => {
    state.theme = theme;
    // Pixels are written as one 32-bit number, alpha first (little-endian machines, as all browsers run on).
    state.ramp = Uint32Array.from({ length: 256 }, (_, i) => {
      const [r, g, b] = theme.mix(Math.sqrt(i / 255));
      return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
    });
    redraw();
  });
  takeTranslation();
  takeSearch();
  takeRequest();
  return () => {
    stop();
    clearTimeout(timer);
    clearInterval(running);
    for (const [names, react] of tied) names.forEach((name) => model.off(`change:${name}`, react));
  };
}

export default { render };

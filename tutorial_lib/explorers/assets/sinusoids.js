// The controls of the sinusoid explorer and its numbers; sinusoid_map.js draws them.

function sinusoids(d, n, base) {
  const table = new Float64Array(d * n);
  for (let column = 0; column < d; column++) {
    const rate = base ** (-2 * Math.floor(column / 2) / d);
    for (let t = 0; t < n; t++) table[t * d + column] = column % 2 ? Math.cos(t * rate) : Math.sin(t * rate);
  }
  return table;
}

function render({ model, el }) {
  const [widths, bases, [fewest, most]] = [model.get("widths"), model.get("bases"), model.get("limits")];
  const state = { pointed: null, value, wavelength, movingColumns };
  const root = element("div", { class: "tl-explorer tl-sinusoids", role: "group", "aria-label": model.get("label") });
  const set = (values) => {
    for (const [name, value] of Object.entries(values)) model.set(name, value); // `changed` follows
    model.save_changes();
  };
  const ladder = (label, trait, steps) => slider(label, {
    min: 0, max: steps.length - 1, value: steps.indexOf(model.get(trait)),
    show: (i) => steps[i].toLocaleString("en-US"), change: (i) => set({ [trait]: steps[i] }),
  });
  const width = ladder("Width d", "d_model", widths);
  const base = ladder("Base", "base", bases);
  const plain = (label, trait, min, max) => slider(label, { min, max, value: model.get(trait), change: (x) => set({ [trait]: x }) });
  const count = plain("Positions shown", "n_positions", fewest, most);
  const position = plain("Position", "position", 0, most - 1);
  const column = plain("Column", "column", 0, widths[widths.length - 1] - 1);
  const controls = element("div", { class: "tl-controls" }, ...[width, count, base, position, column].map((control) => control.node));
  const canvas = element("canvas", {
    tabindex: "0", role: "application", "data-lm-suppress-shortcuts": "true",
    "aria-label": "Sinusoids: positions down, columns across. Arrow keys choose the position and the column.",
  });
  const pixels = element("canvas");
  const readout = element("p", { class: "tl-readout", role: "status" });
  const moving = element("p", { class: "tl-moving" });
  const help = element("p", { class: "tl-note", text: "Point at the map to read a value; click or use the arrow keys to keep a cell." });
  root.append(element("p", { class: "tl-title", text: model.get("label") }), controls, canvas, moving, readout, help);
  el.append(root);

  function read() {
    const [d, n, b] = ["d_model", "n_positions", "base"].map((name) => model.get(name));
    if (d !== state.d || n !== state.n || b !== state.base) {
      Object.assign(state, { d, n, base: b, S: d, T: n, table: sinusoids(d, n, b), painted: false, pointed: null });
      state.digits = Math.max(1, (n - 1).toString(2).length);
    }
    state.position = Math.min(model.get("position"), n - 1);
    state.column = Math.min(model.get("column"), d - 1);
    for (const [control, value, end] of [[position, state.position, n - 1], [column, state.column, d - 1], [count, n, most],
      [width, widths.indexOf(d), widths.length - 1], [base, bases.indexOf(b), bases.length - 1]]) {
      control.input.max = end;
      control.input.value = value;
      const text = control === width ? d : control === base ? b : value;
      control.node.querySelector("output").textContent = text.toLocaleString("en-US");
      control.input.setAttribute("aria-valuetext", text.toLocaleString("en-US"));
    }
    if (model.get("position") !== state.position) model.set("position", state.position);
    if (model.get("column") !== state.column) model.set("column", state.column);
  }

  function wavelength(at) {
    return 2 * Math.PI * state.base ** (2 * Math.floor(at / 2) / state.d);
  }
  function value(t, at) {
    return state.table[t * state.d + at];
  }
  function movingColumns() {
    let edge = 0;
    while (edge < state.d && wavelength(edge) <= 2 * state.n) edge += 2;
    return edge;
  }
  function publish() {
    const { position: t, column: at } = state;
    model.set("result", { value: value(t, at), wavelength: wavelength(at), moving_columns: movingColumns() });
  }

  gridEvents(canvas, state, (patch) => {
    Object.assign(state, patch);
    redraw();
  }, {
    grid: () => ({ left: LEFT, top: TOP, width: WIDE / state.d, height: HIGH / state.n }),
    choose: ({ row, column: at }) => set({ position: row, column: at }),
    step: ([down, right]) => {
      state.pointed = null;
      set({
        position: Math.min(Math.max(state.position + down, 0), state.n - 1),
        column: Math.min(Math.max(state.column + right, 0), state.d - 1),
      });
    },
  });

  function draw() {
    if (!state.theme) return;
    drawSinusoids(canvas, pixels, state, root.clientWidth - 30);
    describe(state.pointed || { row: state.position, column: state.column });
  }

  function describe({ row, column: at }) {
    const { d, n, base: b } = state;
    const [name, pair, length] = [at % 2 ? "cos" : "sin", 2 * Math.floor(at / 2), wavelength(at)];
    readout.replaceChildren(
      `Position ${row}, column ${at}: ${name}(${row} / ${b.toLocaleString("en-US")}^(${pair}/${d})) = `,
      element("b", { text: value(row, at).toFixed(4).replace("-", "−") }),
      `. The wave of this column is ${number(length)} positions long${length > n ? ", longer than what is shown" : ""}.`,
    );
    const edge = movingColumns();
    moving.replaceChildren(element("b", { text: `${edge} of ${d} columns` }),
      ` complete at least half a wave over these ${n} positions${edge && edge < d ? " (left of the dashed line)" : ""}.`);
  }

  const redraw = frameLoop(draw);
  read();
  publish();
  model.save_changes();
  const stop = watchTheme(root, (theme) => {
    Object.assign(state, { theme, painted: false });
    redraw();
  });
  const events = ["d_model", "n_positions", "base", "position", "column"].map((trait) => `change:${trait}`);
  const changed = () => {
    read();
    publish();
    redraw();
  };
  for (const event of events) model.on(event, changed);
  return () => {
    stop();
    for (const event of events) model.off(event, changed);
  };
}

export default { render };

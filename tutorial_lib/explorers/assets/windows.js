// Windows on a photograph: what can have reached one position, computed in the page at each move.

const [LONG_SIDE, CHART_WIDTH, CHART_HEIGHT] = [448, 340, 190];

function render({ model, el }) {
  const root = element("div", { class: "tl-explorer tl-windows", role: "group", "aria-label": model.get("label") });
  const { rows, columns, width, height, pixels } = model.get("picture");
  const [most, sides] = [model.get("most"), model.get("sides")];
  const patches = rows * columns;
  const photo = photograph((i) => [0, 1, 2].map((c) => pixels.getUint8(3 * i + c)));
  const faded = photograph((i) => {
    const grey = 0.3 * pixels.getUint8(3 * i) + 0.59 * pixels.getUint8(3 * i + 1) + 0.11 * pixels.getUint8(3 * i + 2);
    return [grey, grey, grey];
  });
  const grid = { T: rows, S: columns, pointed: null };
  let theme = null;
  let cell = 1; // CSS pixels along a side of a patch

  function photograph(colour) {
    const canvas = element("canvas", { width, height });
    const image = new ImageData(width, height);
    for (let i = 0; i < width * height; i++) image.data.set([...colour(i), 255], 4 * i);
    canvas.getContext("2d").putImageData(image, 0, 0);
    return canvas;
  }

  const set = (values) => {
    for (const [name, value] of Object.entries(values)) model.set(name, value);
    model.save_changes();
  };
  const inside = (value, count) => Math.min(Math.max(value, 0), count - 1);
  const choose = ({ row, column }) => set({ row: inside(row, rows), column: inside(column, columns) });

  const layers = slider("Layers", { min: 0, max: most, value: model.get("layers"), change: (value) => set({ layers: value }) });
  const side = slider("Window", { min: sides[0], max: sides[1], value: model.get("window"), show: (n) => `${n} × ${n}`, change: (value) => set({ window: value }) });
  const button = (name, text) => element("button", { type: "button", text, onclick: () => set({ [name]: !model.get(name) }) });
  const buttons = { shift: button("shift", "Shift in every second layer"), merge: button("merge", "Merge after every second layer") };

  const canvas = element("canvas", { tabindex: "0", role: "application", "data-lm-suppress-shortcuts": "true" });
  gridEvents(canvas, grid, ({ pointed }) => { grid.pointed = pointed; }, {
    grid: () => ({ left: 0, top: 0, width: cell, height: cell }),
    choose,
    step: ([down, right]) => choose({ row: model.get("row") + down, column: model.get("column") + right }),
  });
  canvas.addEventListener("pointermove", (event) => { // after gridEvents has found the cell
    const { pointed } = grid;
    const moved = pointed && (pointed.row !== model.get("row") || pointed.column !== model.get("column"));
    if (event.buttons & 1 && moved) choose(pointed);
  });
  const readout = element("p", { class: "tl-readout", role: "status", "aria-live": "polite" });
  const chart = element("canvas", { role: "img" });
  const key = (name, text) => element("li", {}, element("span", { class: `tl-key tl-${name}` }), text);
  const [lines, added] = [key("lines", ""), key("added", "")];
  const keys = element("ul", { class: "tl-keys" }, key("chosen", "the chosen position"), lines, added);
  const beside = element("div", { class: "tl-beside" }, readout, keys, chart);

  function view() {
    const [row, column] = [inside(model.get("row"), rows), inside(model.get("column"), columns)];
    const state = { rows, columns, side: model.get("window"), shift: model.get("shift"), merge: model.get("merge") };
    const n = model.get("layers");
    const after = (k, shift) => reached({ ...state, shift }, k, row, column);
    return { row, column, state, n, after, now: after(n, state.shift), before: after(Math.max(n - 1, 0), state.shift) };
  }

  const share = (count) => (100 * count < patches ? "under 1%" : `${Math.round(100 * count / patches)}%`);
  const amount = (count) => `${count.toLocaleString("en")} of ${patches.toLocaleString("en")} patches (${share(count)})`;

  function said({ n, state, now, after }) {
    if (!n) return `Before the first layer this position has seen ${amount(1)}: its own.`;
    const other = after(n, !state.shift).count;
    const [way, still] = state.shift ? ["off", "still "] : ["on", ""];
    const compared = n === 1 ? "nothing shifts before layer 2"
      : other === now.count ? `with shift ${way} it would be as many`
      : `with shift ${way} it would ${still}be ${other.toLocaleString("en")}`;
    return `After ${n} layer${n > 1 ? "s" : ""} this position has seen ${amount(now.count)}; ${compared}.`;
  }

  // What the lines are, and how many patches the last layer added.
  function explained({ n, state, now, before }) {
    if (!n) return ["no windows yet", "nothing added yet"];
    const { first, covers } = layerWindows(state, n - 1);
    const size = covers > 1 ? `, where a position stands for ${covers} × ${covers} patches` : "";
    const place = first ? `, shifted by ${first / covers}` : "";
    return [`windows of layer ${n}${place}${size}; thick: its own`, `${(now.count - before.count).toLocaleString("en")} patches that layer ${n} added`];
  }

  // The block that a position lies in, where blocks of this side begin at `first`; cut at the edges of the map.
  function blockAround(row, column, first, blockSide) {
    const [top, left] = [row, column].map((at) => first + Math.floor((at - first) / blockSide) * blockSide);
    return { top: Math.max(top, 0), left: Math.max(left, 0), bottom: Math.min(top + blockSide, rows), right: Math.min(left + blockSide, columns) };
  }

  const box = ({ top, left, bottom, right }) => [left * cell, top * cell, (right - left) * cell, (bottom - top) * cell];

  function frame(context, block, colour, thick) {
    for (const [ink, wide] of [["#fff", thick + 2], [colour, thick]]) {
      [context.strokeStyle, context.lineWidth] = [ink, wide];
      context.strokeRect(...box(block));
    }
  }

  function drawPicture(shown) {
    const { row, column, state, n, now, before } = shown;
    cell = Math.min(LONG_SIDE, root.clientWidth - 28) / Math.max(rows, columns);
    const [wide, high] = [columns * cell, rows * cell];
    const context = sizedContext(canvas, wide, high);
    context.fillStyle = `rgb(${theme.card.join()})`;
    context.fillRect(0, 0, wide, high);
    context.globalAlpha = 0.3;
    context.drawImage(faded, 0, 0, wide, high);
    context.globalAlpha = 1;

    context.save();
    context.beginPath();
    context.rect(...box(now));
    context.clip();
    context.drawImage(photo, 0, 0, wide, high);
    context.beginPath();
    context.rect(...box(now));
    context.rect(...box(before));
    [context.fillStyle, context.globalAlpha] = [theme.orange, 0.4];
    context.fill("evenodd");
    context.restore();

    context.globalAlpha = 0.25;
    for (let c = 1; c < columns; c++) strokeLine(context, [[c * cell, 0], [c * cell, high]], theme.dark ? "#000" : "#fff", 0.7);
    for (let r = 1; r < rows; r++) strokeLine(context, [[0, r * cell], [wide, r * cell]], theme.dark ? "#000" : "#fff", 0.7);
    context.globalAlpha = 1;
    const last = n ? layerWindows(state, n - 1) : { covers: 1 };
    for (const [ink, thick] of n ? [["#fff", 4], [theme.blue, 2.5]] : []) {
      for (let c = last.first; c < columns; c += last.side) if (c) strokeLine(context, [[c * cell, 0], [c * cell, high]], ink, thick);
      for (let r = last.first; r < rows; r += last.side) if (r) strokeLine(context, [[0, r * cell], [wide, r * cell]], ink, thick);
      [context.strokeStyle, context.lineWidth] = [ink, thick];
      context.strokeRect(thick / 2, thick / 2, wide - thick, high - thick);
    }
    if (n > 1) frame(context, now, theme.orange, 2); // bright sky would end nowhere
    if (n) frame(context, blockAround(row, column, last.first, last.side), theme.blue, 5);
    frame(context, blockAround(row, column, 0, last.covers), theme.green, 3);
  }

  function drawChart({ n, after, state }) {
    const wide = Math.min(CHART_WIDTH, beside.clientWidth);
    const context = sizedContext(chart, wide, CHART_HEIGHT);
    const [left, right, top, bottom] = [44, wide - 14, 34, CHART_HEIGHT - 40];
    const x = (k) => left + k / most * (right - left);
    const y = (count) => bottom - count / patches * (bottom - top);
    [context.font, context.fillStyle, context.textBaseline] = ["12.5px system-ui, sans-serif", theme.muted, "middle"];
    context.textAlign = "right";
    for (const part of [0, 0.5, 1]) {
      strokeLine(context, [[left, y(part * patches)], [right, y(part * patches)]], theme.line, 1);
      context.fillText(`${100 * part}%`, left - 7, y(part * patches));
    }
    context.textAlign = "center";
    for (let k = 0; k <= most; k++) context.fillText(k, x(k), bottom + 14);
    context.fillText("layers", (left + right) / 2, bottom + 31);
    strokeLine(context, [[x(n), top], [x(n), bottom]], theme.muted, 1, [4, 3]);
    for (const shift of [false, true]) {
      const counts = Array.from({ length: most + 1 }, (_, k) => after(k, shift).count);
      const colour = shift ? theme.blue : theme.muted;
      strokeLine(context, counts.map((count, k) => [x(k), y(count)]), colour, 2.5, shift ? [] : [6, 4]);
      context.beginPath();
      context.arc(x(n), y(counts[n]), shift === state.shift ? 6 : 3.5, 0, 2 * Math.PI);
      context.fillStyle = colour;
      context.fill();
      const start = shift ? left : left + 110;
      strokeLine(context, [[start, 12], [start + 24, 12]], colour, 2.5, shift ? [] : [6, 4]);
      [context.textAlign, context.fillStyle] = ["left", theme.ink];
      context.fillText(shift ? "with shift" : "without", start + 31, 12);
    }
  }

  function draw() {
    if (!theme || !root.isConnected || root.clientWidth < 120) return;
    const shown = view();
    const { row, column, n, state } = shown;
    moveTo(layers, n);
    moveTo(side, state.side, (value) => `${value} × ${value}`);
    for (const [name, node] of Object.entries(buttons)) node.setAttribute("aria-pressed", String(model.get(name)));
    readout.textContent = said(shown);
    [lines, added].forEach((node, i) => { node.lastChild.data = explained(shown)[i]; });
    canvas.setAttribute("aria-label", `A photograph in ${rows} by ${columns} patches; row ${row}, column ${column} is chosen. Arrow keys choose another.`);
    chart.setAttribute("aria-label", `Share of the patches seen after 0 to ${most} layers, with shift and without. ${readout.textContent}`);
    drawPicture(shown);
    drawChart(shown);
  }
  const redraw = frameLoop(draw);

  root.append(
    element("p", { class: "tl-title", text: model.get("label") }),
    element("div", { class: "tl-controls" }, layers.node, side.node, ...Object.values(buttons)),
    element("div", { class: "tl-panes" }, canvas, beside));
  el.append(root);

  const events = ["layers", "window", "shift", "merge", "row", "column"].map((name) => `change:${name}`);
  for (const event of events) model.on(event, redraw);
  const unwatch = watchTheme(root, (now) => {
    theme = now;
    redraw();
  });
  return () => {
    unwatch();
    for (const event of events) model.off(event, redraw);
  };
}

export default { render };

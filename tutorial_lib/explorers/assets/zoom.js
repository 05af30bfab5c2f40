// Beyond the grid: every answer is in the page, so dragging costs a few copies of pictures a frame.

const SIDE = 164;

function render({ model, el }) {
  const root = element("div", { class: "tl-explorer tl-zoom", role: "group", "aria-label": model.get("label") });
  const sides = model.get("sides");
  const pictures = model.get("pictures");
  const drawn = new Map(); // canvases of pictures, for one theme
  let theme = null;

  const set = (values) => {
    for (const [name, value] of Object.entries(values)) model.set(name, value);
    model.save_changes();
  };
  const keep = (value, low, high) => Math.min(Math.max(value, low), high);
  // The middle stays so far inside that nothing outside the picture is shown.
  const middle = (value, zoom) => keep(value, 0.5 / zoom, 1 - 0.5 / zoom);

  function pane(smooth) {
    const canvas = element("canvas", { tabindex: "0", role: "img", "data-lm-suppress-shortcuts": "true" });
    let from = null;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      from = { at: [event.clientX, event.clientY], x: model.get("x"), y: model.get("y") };
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!from) return;
      const zoom = model.get("zoom");
      const moved = [event.clientX, event.clientY].map((at, i) => (at - from.at[i]) / (SIDE * zoom));
      set({ x: middle(middle(from.x, zoom) - moved[0], zoom), y: middle(middle(from.y, zoom) - moved[1], zoom) });
    });
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => { from = null; });
    canvas.addEventListener("keydown", (event) => {
      const way = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[event.key];
      if (!way) return;
      event.preventDefault();
      event.stopPropagation();
      const zoom = model.get("zoom");
      const [x, y] = ["x", "y"].map((name, i) => middle(middle(model.get(name), zoom) + (0.1 * way[i]) / zoom, zoom));
      set({ x, y });
    });
    const caption = element("figcaption");
    return { canvas, caption, smooth, node: element("figure", {}, caption, canvas) };
  }
  const panes = { read: pane(false), enlarged: pane(true), asked: pane(false), true: pane(false) };

  const which = element("select", { "aria-label": "Picture", onchange: () => set({ picture: Number(which.value) }) },
    ...pictures.map(({ name }, i) => element("option", { value: i, text: name })));
  const points = (level) => `${sides[level]} × ${sides[level]}`;
  const level = slider("Points asked for", { min: 0, max: sides.length - 1, value: model.get("level"), show: points, change: (value) => set({ level: value }) });
  const times = (value) => `${value.toFixed(1)} ×`;
  const zoom = slider("Magnify", { min: 1, max: 8, step: 0.1, value: model.get("zoom"), show: times, change: (value) => set({ zoom: value }) });
  const readout = element("output", { class: "tl-readout", "aria-live": "polite" });

  // A packed grey picture as a small canvas, ink dark on paper, and light on a dark page.
  function tile(packed) {
    if (!drawn.has(packed)) {
      const { rows, columns, pixels } = packed;
      const canvas = element("canvas", { width: columns, height: rows });
      const image = new ImageData(columns, rows);
      const [paper, ink] = theme.dark ? [[34, 37, 43], [240, 240, 240]] : [[246, 244, 239], [24, 28, 36]];
      for (let i = 0; i < rows * columns; i++) {
        mixed(paper, ink, pixels.getUint8(i) / 255).forEach((c, k) => { image.data[4 * i + k] = c; });
        image.data[4 * i + 3] = 255;
      }
      canvas.getContext("2d").putImageData(image, 0, 0);
      drawn.set(packed, canvas);
    }
    return drawn.get(packed);
  }

  function show({ canvas, caption, smooth }, packed, words) {
    const times = model.get("zoom");
    const [x, y] = [middle(model.get("x"), times), middle(model.get("y"), times)];
    const context = sizedContext(canvas, SIDE, SIDE);
    context.imageSmoothingEnabled = smooth;
    context.imageSmoothingQuality = "high";
    const size = SIDE * times;
    context.drawImage(tile(packed), SIDE / 2 - x * size, SIDE / 2 - y * size, size, size);
    if (caption.textContent !== words) caption.textContent = words;
    canvas.setAttribute("aria-label", `${words}. Drag or use arrow keys to move.`);
  }

  function draw() {
    if (!theme || !root.isConnected) return;
    const packed = pictures[model.get("picture")];
    const side = sides[model.get("level")];
    const { rows, columns } = packed.read;
    show(panes.read, packed.read, `What it read: ${rows} × ${columns}`);
    show(panes.enlarged, packed.read, "Enlarged smoothly");
    show(panes.asked, packed.answers[model.get("level")], `Asked: ${side} × ${side}`);
    panes.true.node.hidden = !packed.true;
    if (packed.true) show(panes.true, packed.true, `The truth: ${packed.true.rows} × ${packed.true.columns}`);
    which.value = model.get("picture");
    moveTo(level, model.get("level"), points);
    moveTo(zoom, model.get("zoom"), times);
    const seen = (side / model.get("zoom")).toFixed(0);
    readout.textContent = `${(side * side).toLocaleString("en-US")} queries, one for each point, went to the same latents. About ${seen} × ${seen} of the answers are in view.`;
  }
  const redraw = frameLoop(draw);

  root.append(
    element("div", { class: "tl-title", text: model.get("label") }),
    element("div", { class: "tl-controls" }, element("label", {}, "Picture", which), level.node, zoom.node),
    element("div", { class: "tl-panes" }, ...Object.values(panes).map(({ node }) => node)),
    readout);
  el.append(root);

  const names = ["picture", "level", "zoom", "x", "y"];
  names.forEach((name) => model.on(`change:${name}`, redraw));
  const stop = watchTheme(root, (changed) => {
    if (theme?.dark !== changed.dark) drawn.clear();
    theme = changed;
    redraw();
  });
  return () => {
    stop();
    names.forEach((name) => model.off(`change:${name}`, redraw));
  };
}

export default { render };

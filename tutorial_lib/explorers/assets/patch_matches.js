// Matching patches: all vectors are in the page, so a click costs one pass over them and no message to wait for.

function render({ model, el }) {
  const root = element("div", { class: "tl-explorer tl-matches", role: "group", "aria-label": model.get("label") });
  const pictures = model.get("pictures").map(unpackedPicture);
  const [SIMILAR, COMPONENTS] = model.get("modes");
  const width = pictures[0].vectors.length / (pictures[0].rows * pictures[0].columns);
  const set = (values) => {
    for (const [name, value] of Object.entries(values)) model.set(name, value);
    model.save_changes();
  };
  const inside = (value, count) => Math.min(Math.max(value, 0), count - 1);
  let pointed = null; // { index, row, column } of the patch under the pointer
  let theme = null;
  let known = { key: "", maps: [] }; // the cosines with the chosen patch, until another is chosen

  function chosen() {
    const picture = pictures[model.get("picture")];
    return { index: model.get("picture"), picture, row: inside(model.get("row"), picture.rows), column: inside(model.get("column"), picture.columns) };
  }
  const place = (picture, index) => `row ${Math.floor(index / picture.columns)}, column ${index % picture.columns}`;

  const views = pictures.map((picture, index) => matchedPictureView(picture, {
    choose: (row, column) => set({ picture: index, row, column }),
    step: ([down, right]) => {
      const now = chosen(); // in the other picture it starts from the same row and column
      set({ picture: index, row: inside(now.row + down, picture.rows), column: inside(now.column + right, picture.columns) });
    },
    point: (cell) => {
      pointed = cell && { index, ...cell };
      redraw();
    },
  }));

  const mode = element("select", { "aria-label": "Show", onchange: () => set({ mode: mode.value }) },
    ...model.get("modes").map((name) => element("option", { value: name, text: name })));
  const head = slider("Head", { min: 0, max: model.get("n_heads") - 1, value: model.get("head"), change: (value) => set({ head: value }) });
  const readout = element("output", { class: "tl-readout", "aria-live": "polite" });

  function cosines() {
    const { index, picture, row, column } = chosen();
    const key = `${index} ${row} ${column}`;
    if (known.key !== key) {
      const start = (row * picture.columns + column) * width;
      const vector = picture.vectors.subarray(start, start + width);
      known = { key, maps: pictures.map((other) => cosinesWith(other, vector)) };
    }
    return known.maps;
  }

  function looks(picture) {
    const n = picture.rows * picture.columns;
    return picture.attention.subarray(model.get("head") * n, (model.get("head") + 1) * n);
  }

  // What is drawn over each picture, which patches are outlined, and all of it in words.
  function view() {
    const here = pointed && `row ${pointed.row}, column ${pointed.column} of ${pictures[pointed.index].name}`;
    const at = pointed && pointed.row * pictures[pointed.index].columns + pointed.column;
    if (mode.value === COMPONENTS) {
      const words = "Red, green and blue are the first three principal components of all patches of both pictures. Patches of one colour have similar vectors.";
      return { heats: [null, null], marks: [[], []], words };
    }
    if (mode.value !== SIMILAR) {
      const maps = pictures.map(looks);
      const most = maps.map(strongest);
      const heats = maps.map((map, i) => map.map((weight) => weight / Math.max(map[most[i]], 1e-9)));
      const each = pictures.map((picture, i) => `${place(picture, most[i])} of ${picture.name} (${maps[i][most[i]].toFixed(3)})`);
      const pointer = pointed ? ` Under the pointer, ${here}: ${maps[pointed.index][at].toFixed(3)}.` : "";
      return { heats, marks: [[], []], words: `In head ${model.get("head")} of the last layer [CLS] looks most at ${each.join(" and ")}.${pointer}` };
    }
    const now = chosen();
    const maps = cosines();
    const self = now.row * now.picture.columns + now.column;
    const best = strongest(maps[1 - now.index]);
    const marks = [[], []];
    marks[now.index] = [[self, "#111111"]]; // with its white rim, in both themes
    marks[1 - now.index] = [[best, theme.green]];
    const other = pictures[1 - now.index];
    const pointer = pointed ? ` Under the pointer, ${here}: cosine ${maps[pointed.index][at].toFixed(2)}.` : "";
    return { heats: maps, marks, words: `Most like row ${now.row}, column ${now.column} of ${now.picture.name} (black) in the other picture: ${place(other, best)} of ${other.name} (green), cosine ${maps[1 - now.index][best].toFixed(2)}.${pointer}` };
  }

  function draw() {
    if (!theme || !root.isConnected) return;
    mode.value = model.get("mode");
    head.input.value = model.get("head");
    head.node.querySelector("output").textContent = model.get("head");
    head.input.disabled = mode.value === SIMILAR || mode.value === COMPONENTS;
    const { heats, marks, words } = view();
    views.forEach((each, i) => each.draw(heats[i], marks[i], theme));
    readout.textContent = words;
  }
  const redraw = frameLoop(draw);

  root.append(
    element("div", { class: "tl-title", text: model.get("label") }),
    element("div", { class: "tl-controls" }, element("label", {}, "Show", mode), head.node),
    element("div", { class: "tl-panes" }, ...pictures.map((picture, i) =>
      element("figure", {}, element("figcaption", { text: picture.name }), views[i].canvas))),
    readout);
  el.append(root);

  const names = ["mode", "picture", "row", "column", "head"];
  names.forEach((name) => model.on(`change:${name}`, redraw));
  const stop = watchTheme(root, (now) => {
    theme = now;
    redraw();
  });
  return () => {
    stop();
    names.forEach((name) => model.off(`change:${name}`, redraw));
  };
}

export default { render };

// Patches or regions of a picture that look at each other: the picture, and in colour where one token looks.
// With [CLS] or a text in front, the first of its tokens looks until another is chosen.

function pictureView(state, update) {
  const canvas = element("canvas", {
    tabindex: "0", role: "application", "data-lm-suppress-shortcuts": "true",
    "aria-label": "Picture",
  });
  const node = element("div", { class: "tl-picture" }, canvas);
  const note = element("div", { class: "tl-note" });
  const pixels = element("canvas");
  const side = 336;
  let painted = null;

  const extra = () => state.T - state.picture.rows * state.picture.columns;
  // The picture's own shape where regions lie on it; patches fill a square.
  const tall = () => (state.picture.boxes ? (side * state.picture.height) / state.picture.width : side);
  // Left, top, width and height of every patch or region.
  function places() {
    const { rows, columns, boxes } = state.picture;
    if (boxes) return boxes.map(([left, top, right, bottom]) => [left * side, top * tall(), (right - left) * side, (bottom - top) * tall()]);
    const [width, height] = [side / columns, side / rows];
    return Array.from({ length: rows * columns }, (_, i) => [(i % columns) * width, Math.floor(i / columns) * height, width, height]);
  }
  const hit = (event) => {
    const area = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - area.left, event.clientY - area.top];
    const found = places()
      .map(([left, top, width, height], i) => [width * height, i, x >= left && x < left + width && y >= top && y < top + height])
      .filter(([, , inside]) => inside)
      .sort((a, b) => a[0] - b[0]); // of regions that overlap, the smallest
    return found.length ? { side: "row", index: extra() + found[0][1] } : null;
  };
  tokenEvents(canvas, state, update, hit);
  canvas.addEventListener("keydown", (event) => {
    const way = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Escape: null }[event.key];
    if (way === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const { rows, columns, boxes } = state.picture;
    if (boxes && way) way.splice(0, 2, way[0] + way[1], 0); // one column of regions: all arrows go along it
    const at = state.pinned?.side === "row" && state.pinned.index >= extra() ? state.pinned.index - extra() : null;
    const [row, column] = at === null ? [0, 0] : [Math.floor(at / columns) + way?.[0], (at % columns) + way?.[1]];
    const inside = (value, count) => Math.min(Math.max(value, 0), count - 1);
    update({
      hover: null,
      pinned: way && { side: "row", index: extra() + inside(row, rows) * columns + inside(column, columns) },
    });
  });

  // Who looks, and with which weights: the chosen token, else [CLS], else all patches in the mean.
  function looks() {
    const chosen = state.isolated?.side === "row" ? state.isolated.index : extra() ? 0 : null;
    if (chosen !== null) return { chosen, weights: state.weights.subarray(chosen * state.S, (chosen + 1) * state.S) };
    const weights = new Float32Array(state.S);
    for (let i = 0; i < state.weights.length; i++) weights[i % state.S] += state.weights[i] / state.T;
    return { chosen, weights };
  }

  function paint() {
    const { data, width, height } = state.picture;
    [pixels.width, pixels.height] = [width, height];
    const context = pixels.getContext("2d");
    const image = context.createImageData(width, height);
    for (let i = 0; i < width * height; i++) {
      for (let c = 0; c < 3; c++) image.data[4 * i + c] = data.getUint8(3 * i + c);
      image.data[4 * i + 3] = 255;
    }
    context.putImageData(image, 0, 0);
    painted = state.picture;
  }

  return {
    node: element("div", {}, node, note),
    canvas,
    resize() {
      const parts = state.picture.boxes ? "regions" : "patches";
      canvas.setAttribute("aria-label", `Picture of ${parts}. Arrow keys choose the one that looks, Escape lets go.`);
    },
    draw() {
      if (painted !== state.picture) paint();
      const { boxes } = state.picture;
      const context = sizedContext(canvas, side, tall());
      context.imageSmoothingEnabled = Boolean(boxes);
      context.drawImage(pixels, 0, 0, side, tall());
      const { chosen, weights } = looks();
      const areas = places();
      const most = Math.max(1e-6, ...weights.subarray(extra()));
      context.fillStyle = state.theme.orange;
      for (let s = extra(); s < state.S; s++) {
        if (weights[s] < state.threshold) continue;
        context.globalAlpha = (boxes ? 0.6 : 0.8) * (weights[s] / most);
        context.fillRect(...areas[s - extra()]);
      }
      context.globalAlpha = 1;
      if (boxes) {
        [context.strokeStyle, context.lineWidth] = [state.theme.orange, 1.5];
        for (const area of areas) context.strokeRect(...area);
      }
      if (chosen !== null && chosen >= extra()) {
        context.strokeStyle = state.theme.blue;
        context.lineWidth = 3;
        const [x, y, width, height] = areas[chosen - extra()];
        context.strokeRect(x + 1.5, y + 1.5, width - 3, height - 3);
      }
      const who = chosen === null ? `All ${boxes ? "regions" : "patches"} in the mean look` : `“${state.rows.labels[chosen]}” looks`;
      note.textContent = `${who}; the strongest colour is ${most.toFixed(state.decimals)}.`;
    },
  };
}

// Patches of a picture that look at each other: the picture, and in colour where one token looks.
// With [CLS] in front, that one looks until a patch is chosen.

function pictureView(state, update) {
  const canvas = element("canvas", {
    tabindex: "0", role: "application", "data-lm-suppress-shortcuts": "true",
    "aria-label": "Picture of patches. Arrow keys choose the patch that looks, Escape lets go.",
  });
  const node = element("div", { class: "tl-picture" }, canvas);
  const note = element("div", { class: "tl-note" });
  const pixels = element("canvas");
  const side = 336;
  let painted = null;

  const extra = () => state.T - state.picture.rows * state.picture.columns;
  const size = () => [side / state.picture.columns, side / state.picture.rows];
  const hit = (event) => {
    const area = canvas.getBoundingClientRect();
    const [width, height] = size();
    const column = Math.floor((event.clientX - area.left) / width);
    const row = Math.floor((event.clientY - area.top) / height);
    const inside = row >= 0 && row < state.picture.rows && column >= 0 && column < state.picture.columns;
    return inside ? { side: "row", index: extra() + row * state.picture.columns + column } : null;
  };
  tokenEvents(canvas, state, update, hit);
  canvas.addEventListener("keydown", (event) => {
    const way = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Escape: null }[event.key];
    if (way === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const { rows, columns } = state.picture;
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
    resize() {},
    draw() {
      if (painted !== state.picture) paint();
      const context = sizedContext(canvas, side, side);
      context.imageSmoothingEnabled = false;
      context.drawImage(pixels, 0, 0, side, side);
      const { chosen, weights } = looks();
      const [width, height] = size();
      const corner = (token) => {
        const at = token - extra();
        return [(at % state.picture.columns) * width, Math.floor(at / state.picture.columns) * height];
      };
      const most = Math.max(1e-6, ...weights.subarray(extra()));
      context.fillStyle = state.theme.orange;
      for (let s = extra(); s < state.S; s++) {
        if (weights[s] < state.threshold) continue;
        context.globalAlpha = 0.8 * (weights[s] / most);
        context.fillRect(...corner(s), width, height);
      }
      context.globalAlpha = 1;
      if (chosen !== null && chosen >= extra()) {
        context.strokeStyle = state.theme.blue;
        context.lineWidth = 3;
        const [x, y] = corner(chosen);
        context.strokeRect(x + 1.5, y + 1.5, width - 3, height - 3);
      }
      const who = chosen === null ? "All patches in the mean look" : `“${state.rows.labels[chosen]}” looks`;
      note.textContent = `${who}; the strongest colour is ${most.toFixed(state.decimals)}.`;
    },
  };
}

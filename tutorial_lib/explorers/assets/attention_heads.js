// Every head of the model as one small matrix; a click or the arrow keys choose one.

function headsView(state, update) {
  const canvas = element("canvas", {
    tabindex: "0", role: "application", "data-lm-suppress-shortcuts": "true",
    "aria-label": "All heads, a row for each layer. Arrow keys choose layer and head.",
  });
  const node = element("div", { class: "tl-heads" }, canvas);
  const cache = element("canvas");
  const [left, top, gap] = [26, 20, 3];
  let thumb = 30;
  let turned = false; // of many layers with few heads each, the layers go across
  let drawn = null;
  const place = (layer, head) => {
    const [down, across] = turned ? [head, layer] : [layer, head];
    return [left + across * (thumb + gap), top + down * (thumb + gap)];
  };

  const choose = (layer, head) => update({
    layer: Math.min(Math.max(layer, 0), state.L - 1),
    head: Math.min(Math.max(head, 0), state.H - 1),
  });
  canvas.addEventListener("click", (event) => {
    const area = canvas.getBoundingClientRect();
    const across = Math.floor((event.clientX - area.left - left) / (thumb + gap));
    const down = Math.floor((event.clientY - area.top - top) / (thumb + gap));
    const [layer, head] = turned ? [across, down] : [down, across];
    if (head >= 0 && head < state.H && layer >= 0 && layer < state.L) choose(layer, head);
  });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const [layer, head] = turned ? [step[1], step[0]] : step;
    choose(state.layer + layer, state.head + head);
  });

  // Each pixel keeps the largest weight below it, so that a single strong cell is not averaged away.
  function shrink(weights, size) {
    const small = new Float32Array(size * size);
    for (let t = 0; t < state.T; t++) {
      const row = Math.min(size - 1, Math.floor((t * size) / state.T)) * size;
      for (let s = 0; s < state.S; s++) {
        const at = row + Math.min(size - 1, Math.floor((s * size) / state.S));
        const weight = weights[t * state.S + s];
        if (weight > small[at]) small[at] = weight;
      }
    }
    return small;
  }

  function paint(context, weights, x, y) {
    const many = Math.max(state.T, state.S) > thumb;
    const [w, h] = many ? [thumb, thumb] : [state.S, state.T];
    const values = many ? shrink(weights, thumb) : weights;
    const small = element("canvas", { width: w, height: h });
    const inside = small.getContext("2d");
    const image = inside.createImageData(w, h);
    const colours = new Uint32Array(image.data.buffer);
    for (let i = 0; i < colours.length; i++) colours[i] = state.ramp[Math.round(values[i] * 255)];
    inside.putImageData(image, 0, 0);
    context.drawImage(small, x, y, thumb, thumb);
  }

  return {
    node,
    canvas,
    resize() {
      turned = state.L > 2 * state.H;
      const [down, across] = turned ? [state.H, state.L] : [state.L, state.H];
      thumb = Math.round(Math.max(14, Math.min(46, (turned || state.simple ? 600 : 206) / across, 400 / down)));
      this.width = left + across * (thumb + gap) + 2;
      this.height = top + down * (thumb + gap) + 2;
      this.order = turned ? "heads down, layers across" : "layers down, heads across";
      canvas.setAttribute("aria-label", `All heads, a ${turned ? "column" : "row"} for each layer. Arrow keys choose layer and head.`);
      drawn = null;
    },
    draw() {
      if (drawn !== state.version) {
        const context = sizedContext(cache, this.width, this.height);
        context.imageSmoothingEnabled = false;
        context.font = "11px system-ui, sans-serif";
        context.fillStyle = state.theme.muted;
        context.textAlign = "center";
        context.textBaseline = "middle";
        const [down, across] = turned ? [state.H, state.L] : [state.L, state.H];
        const every = thumb < 18 && across > 12 ? 2 : 1;
        for (let i = 0; i < across; i += every) context.fillText(i, left + i * (thumb + gap) + thumb / 2, 9);
        for (let i = 0; i < down; i++) context.fillText(i, 12, top + i * (thumb + gap) + thumb / 2);
        context.strokeStyle = state.theme.line;
        context.lineWidth = 1;
        for (let layer = 0; layer < state.L; layer++) {
          for (let head = 0; head < state.H; head++) {
            const [x, y] = place(layer, head);
            paint(context, state.headWeights(layer, head), x, y);
            context.strokeRect(x - 0.5, y - 0.5, thumb + 1, thumb + 1);
          }
        }
        drawn = state.version;
      }
      const context = sizedContext(canvas, this.width, this.height);
      context.drawImage(cache, 0, 0, this.width, this.height);
      const frame = (layer, head, colour) => {
        context.strokeStyle = colour;
        context.lineWidth = 2.5;
        const [x, y] = place(layer, head);
        context.strokeRect(x - 1, y - 1, thumb + 2, thumb + 2);
      };
      if (state.broken?.how) {
        frame(state.broken.layer, state.broken.head, state.theme.pink);
        const [x, y] = place(state.broken.layer, state.broken.head);
        context.beginPath();
        context.moveTo(x, y);
        context.lineTo(x + thumb, y + thumb);
        context.stroke();
      }
      frame(state.layer, state.head, state.theme.orange);
    },
  };
}

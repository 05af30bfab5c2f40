// One step of a translation: the source with a bar for each weight, lines to the token being written.

function stepView(state, update) {
  const canvas = element("canvas", {
    tabindex: "0", role: "application", "data-lm-suppress-shortcuts": "true",
    "aria-label": "Source above, translation below. Left and right arrows move through the translation, Home and End to its ends.",
  });
  const node = element("div", { class: "tl-step" }, canvas);
  const ruler = element("canvas").getContext("2d");
  const font = "14px system-ui, sans-serif";
  const [barsTop, barsHeight, sourceAt, writtenAt, height] = [22, 84, 124, 258, 284];
  const gutter = 54;
  let width = 400;
  let above = [];
  let below = [];

  function centres(labels, least) {
    ruler.font = `600 ${font}`;
    const sizes = labels.map((label) => Math.max(ruler.measureText(state.shown(label)).width + 13, least));
    const total = sizes.reduce((a, b) => a + b, 0);
    let at = 0;
    return { total, spots: sizes.map((size) => {
      at += size;
      return { x: at - size / 2, size };
    }) };
  }

  const hit = (event) => {
    const area = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - area.left, event.clientY - area.top];
    if (Math.abs(y - writtenAt) > 16) return -1;
    return below.findIndex((spot) => Math.abs(x - spot.x) <= spot.size / 2);
  };
  canvas.addEventListener("pointermove", (event) => { canvas.style.cursor = hit(event) >= 0 ? "pointer" : "default"; });
  canvas.addEventListener("click", (event) => {
    const step = hit(event);
    if (step >= 0) update({ step });
  });
  canvas.addEventListener("keydown", (event) => {
    const to = { ArrowRight: state.step + 1, ArrowLeft: state.step - 1, Home: 0, End: state.T - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    update({ step: to });
  });

  function line(context, from, to, weight, colour, strength) {
    const [y0, y1] = [writtenAt - 14, sourceAt + 12];
    context.strokeStyle = colour;
    context.globalAlpha = strength * (0.15 + 0.85 * weight);
    context.lineWidth = 0.8 + 4.2 * weight;
    context.beginPath();
    context.moveTo(from, y0);
    context.bezierCurveTo(from, (y0 + y1) / 2, to, (y0 + y1) / 2, to, y1);
    context.stroke();
    context.globalAlpha = 1;
  }

  return {
    node,
    canvas,
    resize() {
      const [source, written] = [centres(state.columns.labels, 36), centres(state.rows.labels, 25)];
      const inner = Math.max(source.total, written.total, 330);
      width = gutter + inner + 6;
      const moved = (side) => side.spots.map(({ x, size }) => ({ x: gutter + x + (inner - side.total) / 2, size }));
      [above, below] = [moved(source), moved(written)];
    },
    reveal() {
      const spot = below[state.step];
      if (spot && (spot.x - spot.size < node.scrollLeft || spot.x + spot.size > node.scrollLeft + node.clientWidth)) {
        node.scrollLeft = spot.x - node.clientWidth / 2;
      }
    },
    draw() {
      const context = sizedContext(canvas, width, height);
      const { theme, step, S } = state;
      const weight = (t, s) => state.weights[t * S + s];
      const now = below[step];
      context.textAlign = "center";
      context.textBaseline = "middle";
      context.font = "12px system-ui, sans-serif";
      context.fillStyle = theme.muted;
      context.textAlign = "left";
      [["weight", barsTop + barsHeight / 2 + 6], ["source", sourceAt], ["written", writtenAt]].forEach(([text, y]) => context.fillText(text, 0, y));
      context.textAlign = "center";
      context.strokeStyle = theme.line;
      context.lineWidth = 1;
      context.strokeRect(above[0].x - 19, barsTop + barsHeight + 0.5, above.at(-1).x - above[0].x + 38, 0);
      // Where the earlier tokens looked most stays in sight, so that a crossing can be seen.
      for (let t = 0; t < step; t++) {
        let best = 0;
        for (let s = 1; s < S; s++) if (weight(t, s) > weight(t, best)) best = s;
        line(context, below[t].x, above[best].x, weight(t, best), theme.muted, 0.35);
      }
      above.forEach(({ x }, s) => {
        const share = weight(step, s);
        if (share >= 0.01) line(context, now.x, x, share, theme.blue, 1);
        context.fillStyle = theme.blue;
        context.fillRect(x - 13, barsTop + barsHeight * (1 - share), 26, barsHeight * share);
        context.fillStyle = share >= 0.005 ? theme.ink : theme.muted;
        context.font = "12px system-ui, sans-serif";
        context.fillText(share.toFixed(2), x, barsTop + barsHeight * (1 - share) - 9);
        context.font = font;
        context.fillStyle = theme.ink;
        context.fillText(state.shown(state.columns.labels[s]), x, sourceAt);
      });
      below.forEach(({ x, size }, t) => {
        if (t === step) {
          context.fillStyle = theme.orange;
          context.globalAlpha = 0.25;
          context.beginPath();
          context.roundRect(x - size / 2 + 1, writtenAt - 13, size - 2, 26, 5);
          context.fill();
        }
        context.globalAlpha = t > step ? 0.35 : 1;
        context.font = t === step ? `600 ${font}` : font;
        context.fillStyle = theme.ink;
        context.fillText(state.shown(state.rows.labels[t]), x, writtenAt);
        context.globalAlpha = 1;
      });
    },
  };
}

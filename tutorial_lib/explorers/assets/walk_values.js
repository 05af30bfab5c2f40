// The numbers of one tensor as a heat map: a row for each token, one cell read out.

function valuesView(state, update) {
  const canvas = element("canvas", {
    tabindex: "0", role: "application", "data-lm-suppress-shortcuts": "true",
    "aria-label": "Numbers of this tensor. Arrow keys move the cell.",
  });
  const node = element("div", { class: "tl-values" }, canvas);
  let [cellWidth, cellHeight, left, top] = [8, 20, 80, 4];

  gridEvents(canvas, state, update, {
    grid: () => ({ left, top, width: cellWidth, height: cellHeight }),
    choose: ({ row, column }) => update({ token: row, column }),
    step: ([down, right]) =>
      update({
        pointed: null,
        token: Math.min(Math.max(Math.min(state.token, state.T - 1) + down, 0), state.T - 1),
        column: Math.min(Math.max(state.column + right, 0), state.S - 1),
      }),
  });

  // The colour of a value: shares run from the card to full blue, signed numbers to blue or orange.
  function colour(value) {
    const { step, theme } = state;
    if (step.kind === "ids") return theme.card;
    if (!Number.isFinite(value)) return theme.card.map((c) => Math.round(c * 0.8 + 30));
    if (step.kind === "shares") return theme.mix(Math.sqrt(value));
    const strength = Math.min(1, Math.abs(value) / step.scale);
    const end = value < 0 ? (theme.dark ? [240, 136, 62] : [213, 94, 0]) : theme.dark ? [86, 180, 233] : [0, 114, 178];
    return theme.card.map((from, i) => Math.round(from + (end[i] - from) * strength));
  }

  return {
    node,
    canvas,
    resize() {
      const names = state.step.columns.length > 0;
      const most = names ? 30 : state.step.kind === "ids" ? 74 : 20;
      cellHeight = Math.max(12, Math.min(24, 420 / state.T));
      cellWidth = Math.max(5, Math.min(most, 460 / state.S));
      left = 16 + state.widest(state.step.rows);
      top = names && cellWidth >= 11 ? 8 + state.widest(state.step.columns) : 4;
      this.width = Math.max(left + state.S * cellWidth + (top > 4 ? top * 0.45 : 6), left + 180);
      this.height = top + state.T * cellHeight + 36;
    },
    draw() {
      const { step, theme } = state;
      const context = sizedContext(canvas, this.width, this.height);
      context.font = `${Math.min(13, cellHeight - 1)}px system-ui, sans-serif`;
      context.textBaseline = "middle";
      for (let t = 0; t < state.T; t++) {
        context.fillStyle = theme.ink;
        context.textAlign = "right";
        if (step.rows.length) context.fillText(readable(step.rows[t], 14), left - 6, top + (t + 0.5) * cellHeight);
        for (let s = 0; s < state.S; s++) {
          const value = state.value(t, s);
          context.fillStyle = `rgb(${colour(value)})`;
          context.fillRect(left + s * cellWidth, top + t * cellHeight, cellWidth, cellHeight);
          if (step.kind === "ids") {
            context.fillStyle = theme.ink;
            context.textAlign = "center";
            context.fillText(String(value), left + (s + 0.5) * cellWidth, top + (t + 0.5) * cellHeight);
          }
        }
      }
      context.fillStyle = theme.ink;
      context.textAlign = "left";
      if (top > 4) {
        step.columns.forEach((token, s) => {
          context.save();
          context.translate(left + (s + 0.5) * cellWidth, top - 5);
          context.rotate(-Math.PI / 2.6);
          context.fillText(readable(token, 14), 0, 0);
          context.restore();
        });
      }
      const [w, h] = [state.S * cellWidth, state.T * cellHeight];
      context.lineWidth = 1;
      context.strokeStyle = theme.line;
      context.strokeRect(left - 0.5, top - 0.5, w + 1, h + 1);
      const row = Math.min(state.token, state.T - 1);
      context.lineWidth = 2;
      context.strokeStyle = theme.amber;
      context.strokeRect(left - 1, top + row * cellHeight - 1, w + 2, cellHeight + 2);
      const at = state.pointed || { row, column: Math.min(state.column, state.S - 1) };
      context.strokeStyle = theme.ink;
      context.strokeRect(left + at.column * cellWidth - 1, top + at.row * cellHeight - 1, cellWidth + 2, cellHeight + 2);
      if (step.kind !== "ids") legend(context, top + h + 10);
    },
  };

  function legend(context, y) {
    const { step, theme } = state;
    const low = step.kind === "shares" ? 0 : -step.scale;
    const width = 140;
    for (let x = 0; x < width; x++) {
      context.fillStyle = `rgb(${colour(low + (x / width) * (step.scale - low))})`;
      context.fillRect(left + x, y, 1.5, 8);
    }
    context.lineWidth = 1;
    context.strokeStyle = theme.line;
    context.strokeRect(left - 0.5, y - 0.5, width + 1, 9);
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = theme.muted;
    context.textBaseline = "top";
    const ends = step.kind === "shares" ? ["0", "0.5", "1"] : [`≤ ${low.toPrecision(2)}`, "0", `≥ ${step.scale.toPrecision(2)}`];
    ends.forEach((text, i) => {
      context.textAlign = ["left", "center", "right"][i];
      context.fillText(text, left + (i * width) / 2, y + 12);
    });
  }
}

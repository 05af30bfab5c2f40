// The numbers of one tensor as a heat map: a row for each token, one cell read out.

function valuesView(state, update) {
  const canvas = element("canvas", {
    tabindex: "0", role: "application", "data-lm-suppress-shortcuts": "true",
    "aria-label": "Numbers of this tensor. Arrow keys move the cell.",
  });
  const node = element("div", { class: "tl-values" }, canvas);
  let [cellWidth, cellHeight, left, top, upright] = [8, 20, 80, 4, false];

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

  const strengthOf = (value) =>
    state.step.kind === "shares" ? Math.sqrt(value) : Math.min(1, Math.abs(value) / state.step.scale);

  // What a picked column is called, without its quotation marks, as long as a cell is wide.
  const inCell = (label) => readable(label.slice(1, -1), 6);

  // The colour of a value: shares run from the card to full blue, signed numbers to blue or orange.
  function colour(value) {
    const { step, theme } = state;
    if (step.kind === "ids") return theme.card;
    if (!Number.isFinite(value)) return theme.card.map((c) => Math.round(c * 0.8 + 30));
    const strength = strengthOf(value);
    if (step.kind === "shares") return theme.mix(strength);
    const end = value < 0 ? (theme.dark ? [240, 136, 62] : [213, 94, 0]) : theme.dark ? [86, 180, 233] : [0, 114, 178];
    return theme.card.map((from, i) => Math.round(from + (end[i] - from) * strength));
  }

  return {
    node,
    canvas,
    resize() {
      const names = state.step.columns.length > 0;
      const most = names ? 30 : state.step.kind === "ids" ? 74 : state.step.picked.length ? 42 : 20;
      const widest = state.widest(state.step.columns);
      cellHeight = Math.max(state.step.picked.length ? 13 : 11, Math.min(24, 420 / state.T));
      cellWidth = Math.max(5, Math.min(most, (state.step.picked.length ? 504 : 480) / state.S));
      left = 16 + state.widest(state.step.rows);
      upright = names && widest <= 14 && cellWidth >= 7; // single characters need no turning
      top = upright ? 18 : names && cellWidth >= 11 ? 8 + widest : 4;
      this.width = Math.max(left + state.S * cellWidth + (top > 4 && !upright ? top * 0.45 : 6), left + 180);
      this.height = top + state.T * cellHeight + 36;
    },
    draw() {
      const { step, theme } = state;
      const context = sizedContext(canvas, this.width, this.height);
      context.font = `${Math.min(13, cellHeight - 1)}px system-ui, sans-serif`;
      context.textBaseline = "middle";
      const named = step.picked.length > 0 && step.picked[0][0].startsWith("“");
      for (let t = 0; t < state.T; t++) {
        context.fillStyle = theme.ink;
        context.textAlign = "right";
        if (step.rows.length) context.fillText(readable(step.rows[t], 14), left - 6, top + (t + 0.5) * cellHeight);
        for (let s = 0; s < state.S; s++) {
          const value = state.value(t, s);
          context.fillStyle = `rgb(${colour(value)})`;
          context.fillRect(left + s * cellWidth, top + t * cellHeight, cellWidth, cellHeight);
          const words = step.kind === "ids" ? String(value) : named ? inCell(step.picked[t][s]) : "";
          if (step.comes[t] === s) {
            context.fillStyle = theme.green;
            context.fillRect(left + s * cellWidth, top + t * cellHeight, cellWidth, cellHeight);
            context.fillStyle = `rgb(${colour(value)})`;
            context.fillRect(left + s * cellWidth + 3, top + t * cellHeight + 1.5, cellWidth - 6, cellHeight - 3);
          }
          if (words) {
            context.fillStyle = named && strengthOf(value) > 0.6 ? `rgb(${theme.card})` : theme.ink;
            context.textAlign = "center";
            context.fillText(words, left + (s + 0.5) * cellWidth, top + (t + 0.5) * cellHeight);
          }
        }
      }
      context.fillStyle = theme.ink;
      context.textAlign = "left";
      if (upright) {
        context.font = `${Math.min(12, cellWidth + 3)}px system-ui, sans-serif`;
        context.textAlign = "center";
        step.columns.forEach((token, s) => context.fillText(readable(token, 2), left + (s + 0.5) * cellWidth, 10));
      } else if (top > 4) {
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

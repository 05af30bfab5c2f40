// The weights of one head as a matrix: a row looks, a column is looked at; one cell is read out.

function matrixView(state, update) {
  const canvas = element("canvas", {
    tabindex: "0", role: "application", "data-lm-suppress-shortcuts": "true",
    "aria-label": "Matrix of weights. Arrow keys move the cell, Escape lets go.",
  });
  const node = element("div", { class: "tl-matrix" }, canvas);
  const pixels = element("canvas");
  let [cell, left, top] = [20, 90, 90];

  gridEvents(canvas, state, update, {
    grid: () => ({ left, top, width: cell, height: cell }),
    choose: (chosen) => update({ cell: chosen }),
    leave: () => update({ cell: null, pointed: null }),
    step: (way) => {
      const from = state.cell || { row: 0, column: 0 };
      const [down, right] = state.cell ? way : [0, 0];
      update({
        pointed: null,
        cell: {
          row: Math.min(Math.max(from.row + down, 0), state.T - 1),
          column: Math.min(Math.max(from.column + right, 0), state.S - 1),
        },
      });
    },
  });

  function names(context) {
    context.font = `${Math.min(13, cell - 1)}px system-ui, sans-serif`;
    context.fillStyle = state.theme.ink;
    context.textBaseline = "middle";
    context.textAlign = "right";
    state.rows.labels.forEach((token, t) => context.fillText(state.shown(token), left - 5, top + (t + 0.5) * cell));
    context.textAlign = "left";
    state.columns.labels.forEach((token, s) => {
      context.save();
      context.translate(left + (s + 0.5) * cell, top - 5);
      context.rotate(-Math.PI / 2.6);
      context.fillText(state.shown(token), 0, 0);
      context.restore();
    });
  }

  function legend(context, at, width) {
    for (let x = 0; x < width; x++) {
      context.fillStyle = `rgb(${state.theme.mix(Math.sqrt(x / width))})`;
      context.fillRect(left + x, at, 1.5, 8);
    }
    context.strokeStyle = state.theme.line;
    context.lineWidth = 1;
    context.strokeRect(left - 0.5, at - 0.5, width + 1, 9);
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = state.theme.muted;
    context.textBaseline = "top";
    for (const [value, align] of [[0, "left"], [0.5, "center"], [1, "right"]]) {
      context.textAlign = align;
      context.fillText(value, left + value * width, at + 12);
    }
  }

  return {
    node,
    canvas,
    resize() {
      const count = Math.max(state.T, state.S);
      cell = count > 150 ? 2 : count > 22 ? Math.floor(10 * (320 / count)) / 10 : Math.min(34, Math.floor(262 / count));
      const named = cell >= 11;
      left = named ? 8 + state.widest(Math.min(13, cell - 1)) : 14;
      top = left;
      this.width = Math.max(left + state.S * cell + (named ? top * 0.45 : 8), left + 130);
      this.height = top + state.T * cell + 36;
    },
    draw() {
      const context = sizedContext(canvas, this.width, this.height);
      pixels.width = state.S;
      pixels.height = state.T;
      const inside = pixels.getContext("2d");
      const image = inside.createImageData(state.S, state.T);
      const colours = new Uint32Array(image.data.buffer);
      for (let i = 0; i < colours.length; i++) {
        const weight = state.weights[i];
        colours[i] = state.ramp[weight < state.threshold ? 0 : Math.round(weight * 255)];
      }
      inside.putImageData(image, 0, 0);
      context.imageSmoothingEnabled = false;
      const [w, h] = [state.S * cell, state.T * cell];
      context.drawImage(pixels, left, top, w, h);
      context.strokeStyle = state.theme.line;
      context.lineWidth = 1;
      context.strokeRect(left - 0.5, top - 0.5, w + 1, h + 1);
      if (cell >= 11) names(context);
      const isolated = state.isolated;
      context.strokeStyle = state.theme.orange;
      context.lineWidth = cell < 6 ? 1 : 2;
      if (isolated?.side === "row") context.strokeRect(left - 1, top + isolated.index * cell - 1, w + 2, cell + 2);
      if (isolated?.side === "column") context.strokeRect(left + isolated.index * cell - 1, top - 1, cell + 2, h + 2);
      const at = state.pointed || state.cell;
      if (at) {
        context.strokeStyle = state.theme.ink;
        context.strokeRect(left + at.column * cell - 1, top + at.row * cell - 1, cell + 2, cell + 2);
        if (cell < 11) {
          context.globalAlpha = 0.35;
          context.lineWidth = 1;
          context.strokeRect(left, top + at.row * cell, w, cell);
          context.strokeRect(left + at.column * cell, top, cell, h);
          context.globalAlpha = 1;
        }
      }
      legend(context, top + h + 10, 120);
    },
  };
}

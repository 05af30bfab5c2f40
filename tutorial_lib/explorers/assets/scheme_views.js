// One scheme's pairs as a matrix, and below it the same numbers over the offset from query to key.

const signed = (x, digits = 2) => {
  if (!Number.isFinite(x)) return "none";
  const shown = Math.abs(x).toFixed(digits);
  return x < 0 && Number(shown) !== 0 ? `−${shown}` : shown;
};

// Numbers on a round step that cut low..high into at most `many` parts.
function roundTicks(low, high, many) {
  const rough = (high - low) / many;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999);
  const ticks = [];
  for (let x = Math.ceil(low / step - 1e-9) * step; x <= high + 1e-9 * step; x += step) ticks.push(Math.abs(x) < step / 1e6 ? 0 : x);
  return ticks;
}

// Lowest, mean and highest value of each offset, from 1 - T on; NaN where no pair has a value.
function overOffsets(values, T, causal) {
  const offsets = [];
  for (let offset = 1 - T; offset < (causal ? 1 : T); offset++) {
    let [low, high, sum, count] = [Infinity, -Infinity, 0, 0];
    for (let t = Math.max(0, -offset); t < Math.min(T, T - offset); t++) {
      const value = values[t * T + t + offset];
      if (Number.isNaN(value)) continue;
      [low, high, sum, count] = [Math.min(low, value), Math.max(high, value), sum + value, count + 1];
    }
    offsets.push(count ? { offset, low, high, mean: sum / count } : { offset, low: NaN, high: NaN, mean: NaN });
  }
  return offsets;
}

function schemeView(view, update, describe) {
  const canvas = element("canvas", { tabindex: "0", role: "application", "data-lm-suppress-shortcuts": "true", "aria-label": describe });
  const pixels = element("canvas");
  const [left, top, curveHigh] = [50, 8, 112];
  let [size, width] = [280, 340];

  gridEvents(canvas, view, update, {
    grid: () => ({ left, top, width: size / view.T, height: size / view.T }),
    choose: (cell) => update({ cell, pointed: null }),
    step: ([down, right]) => update({
      pointed: null,
      cell: {
        row: Math.min(Math.max(view.cell.row + down, 0), view.T - 1),
        column: Math.min(Math.max(view.cell.column + right, 0), view.T - 1),
      },
    }),
  });

  function stripes(context, background, ink) {
    const tile = element("canvas", { width: 6, height: 6 });
    const inside = tile.getContext("2d");
    [inside.fillStyle, inside.strokeStyle] = [background, ink];
    inside.fillRect(0, 0, 6, 6);
    inside.beginPath();
    for (const x of [-6, 0, 6]) {
      inside.moveTo(x, 6);
      inside.lineTo(x + 6, 0);
    }
    inside.stroke();
    return context.createPattern(tile, "repeat");
  }

  function draw(side, theme) {
    const { T, shift, causal, rows, weights } = view;
    const values = side.values;
    const bottom = top + size + 36 + 30 + curveHigh + 40;
    const context = sizedContext(canvas, width, bottom);
    const cell = size / T;
    const text = (words, x, y, align = "center", colour = theme.ink, points = 12) => {
      context.font = `${points}px system-ui, sans-serif`;
      [context.textAlign, context.textBaseline, context.fillStyle] = [align, "middle", colour];
      context.fillText(words, x, y);
    };
    const line = (...look) => strokeLine(context, ...look);
    const upright = (words, y) => {
      context.save();
      context.translate(10, y);
      context.rotate(-Math.PI / 2);
      text(words, 0, 0);
      context.restore();
    };
    const [blue, orange] = theme.dark ? [[86, 180, 233], [240, 136, 62]] : [[0, 114, 178], [213, 94, 0]];
    const colour = (value) => {
      if (weights) return theme.mix(Math.sqrt(value / view.top));
      const [strength, end] = [Math.min(1, Math.abs(value) / side.scale), value < 0 ? orange : blue];
      return theme.card.map((from, i) => Math.round(from + (end[i] - from) * strength));
    };
    matrix();
    legend();
    curve();

    function matrix() {
      pixels.width = T;
      pixels.height = T;
      const inside = pixels.getContext("2d");
      const image = inside.createImageData(T, T);
      for (let i = 0; i < values.length; i++) {
        if (Number.isNaN(values[i]) || (causal && i % T > Math.floor(i / T))) continue; // stays transparent
        image.data.set([...colour(values[i]), 255], 4 * i);
      }
      inside.putImageData(image, 0, 0);
      context.imageSmoothingEnabled = false;
      context.fillStyle = stripes(context, theme.dark ? "#4a3a12" : "#fbeccb", theme.amber);
      context.fillRect(left, top, size, size);
      if (causal) { // what the mask hides is grey, whether the scheme knows it or not
        context.beginPath();
        context.moveTo(left + cell, top);
        for (let t = 0; t < T; t++) {
          context.lineTo(left + (t + 1) * cell, top + t * cell);
          context.lineTo(left + (t + 1) * cell, top + (t + 1) * cell);
        }
        context.lineTo(left + size, top);
        context.fillStyle = stripes(context, `rgb(${theme.card})`, theme.line);
        context.fill();
      }
      context.drawImage(pixels, left, top, size, size);
      context.lineWidth = 1;
      context.strokeStyle = theme.line;
      context.strokeRect(left - 0.5, top - 0.5, size + 1, size + 1);
      const every = [1, 2, 4, 8, 16].find((s) => T / s <= 9);
      for (let t = 0; t < T; t += every) {
        text(t + shift, left - 5, top + (t + 0.5) * cell, "right", theme.muted, 11);
        text(t + shift, left + (t + 0.5) * cell, top + size + 10, "center", theme.muted, 11);
      }
      text("key (position)", left + size / 2, top + size + 26);
      upright("query (position)", top + size / 2);
      const edge = (side.scheme.added ? rows - shift : rows) * cell;
      const [right, low] = [left + size, top + size];
      if (edge > 0 && edge < size && side.scheme.added) { // positions that training has not seen
        line([[left, top + edge], [right, top + edge]], theme.ink, 1.2, [5, 3]);
        line([[left + edge, top], [left + edge, low]], theme.ink, 1.2, [5, 3]);
      } else if (edge < size && side.scheme.name !== "none") { // offsets that it has not seen
        line([[left, top + edge], [right - edge, low]], theme.ink, 1.2, [5, 3]);
        if (!causal) line([[left + edge, top], [right, low - edge]], theme.ink, 1.2, [5, 3]);
      }
      const at = view.pointed || view.cell;
      context.strokeStyle = theme.ink;
      context.lineWidth = 2;
      context.strokeRect(left + at.column * cell - 1, top + at.row * cell - 1, cell + 2, cell + 2);
      context.globalAlpha = 0.4;
      context.lineWidth = 1;
      context.strokeRect(left, top + at.row * cell, size, cell);
      context.globalAlpha = 1;
    }

    function legend() {
      const [x, high] = [left + size + 10, Math.min(size, 150)];
      if (!weights && side.scale <= 1e-6) return;
      const low = weights ? 0 : -side.scale;
      const up = weights ? view.top : side.scale;
      for (let y = 0; y < high; y++) {
        context.fillStyle = `rgb(${colour(up - (y / high) * (up - low))})`;
        context.fillRect(x, top + y, 9, 1.5);
      }
      context.lineWidth = 1;
      context.strokeStyle = theme.line;
      context.strokeRect(x - 0.5, top - 0.5, 10, high + 1);
      const digits = weights ? 2 : side.scale < 10 ? 1 : 0;
      for (const share of [0, 0.5, 1]) {
        const value = up - share * (up - low);
        text(signed(value, digits), x + 14, top + 5 + share * (high - 10), "left", theme.muted, 11);
      }
    }

    function curve() {
      const y0 = top + size + 66;
      const points = side.offsets;
      const reach = Math.max(T - 1, 1);
      const last = causal ? 0 : reach;
      const x = (offset) => left + ((offset + reach) / (last + reach)) * size;
      const known = points.filter((p) => !Number.isNaN(p.mean));
      let [low, high] = [Math.min(0, ...known.map((p) => p.low)), Math.max(0, ...known.map((p) => p.high))];
      if (weights) [low, high] = [0, view.top]; // the same on both sides, to compare them
      if (high - low < 1e-6) [low, high] = [-1, 1];
      const y = (v) => y0 + curveHigh - 4 - ((v - low) / (high - low)) * (curveHigh - 8);
      const ticks = roundTicks(low, high, 4);
      const digits = Math.max(0, -Math.floor(Math.log10(ticks[1] - ticks[0]) + 1e-9));
      for (const tick of ticks) {
        line([[left, y(tick)], [left + size, y(tick)]], theme.line);
        text(signed(tick, digits), left - 5, y(tick), "right", theme.muted, 11);
      }
      line([[x(0), y0], [x(0), y0 + curveHigh]], theme.line);
      if (rows <= reach && !["none", "learned"].includes(side.scheme.name)) {
        for (const end of causal ? [-rows] : [-rows, rows]) line([[x(end), y0], [x(end), y0 + curveHigh]], theme.ink, 1.2, [5, 3]);
      }
      const band = [...known.map((p) => [x(p.offset), y(p.high)]), ...known.reverse().map((p) => [x(p.offset), y(p.low)])];
      known.reverse();
      context.beginPath();
      band.forEach(([px, py], i) => (i ? context.lineTo(px, py) : context.moveTo(px, py)));
      context.fillStyle = theme.blue;
      context.globalAlpha = 0.3;
      context.fill();
      context.globalAlpha = 1;
      line(known.map((p) => [x(p.offset), y(p.mean)]), theme.blue, 1.6);
      const at = view.pointed || view.cell;
      const row = [];
      for (let s = 0; s <= (causal ? at.row : T - 1); s++) {
        const value = values[at.row * T + s];
        if (!Number.isNaN(value)) row.push([x(s - at.row), y(value)]);
      }
      line(row, theme.orange, 1.4, [3, 2]);
      const value = values[at.row * T + at.column];
      if (!Number.isNaN(value) && !(causal && at.column > at.row)) {
        context.beginPath();
        context.arc(x(at.column - at.row), y(value), 4, 0, 7);
        context.fillStyle = theme.ink;
        context.fill();
      }
      for (const tick of roundTicks(-reach, last, 6).filter(Number.isInteger)) {
        text(signed(tick, 0), x(tick), y0 + curveHigh + 10, "center", theme.muted, 11);
      }
      text("offset: key − query (positions)", left + size / 2, y0 + curveHigh + 27);
      upright(weights ? "weight" : "added", y0 + curveHigh / 2);
    }
  }

  return {
    canvas,
    resize(room) {
      size = Math.min(Math.max(Math.floor(room - left - 58), 200), 288);
      width = left + size + 54;
    },
    draw,
  };
}

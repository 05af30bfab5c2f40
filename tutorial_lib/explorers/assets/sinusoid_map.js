// One canvas: the heat map, to its right a column's wave and the binary digits on the same rows, below it a position's row.

const [LEFT, TOP, WIDE, HIGH, ROW] = [46, 26, 512, 300, 104]; // every width, a power of two, fills 512 pixels evenly

const number = (x) => x.toLocaleString("en-US", { maximumFractionDigits: x < 100 ? 1 : 0 });

// The table as one pixel a value, and the colour of any value as state.rgb.
function paintSinusoids(state, pixels) {
  const { theme, table, d, n } = state;
  const [blue, orange] = theme.dark ? [[86, 180, 233], [240, 136, 62]] : [[0, 114, 178], [213, 94, 0]];
  const ramp = Uint32Array.from({ length: 511 }, (_, i) => {
    const [strength, end] = [Math.abs(i - 255) / 255, i < 255 ? orange : blue];
    const [r, g, b] = theme.card.map((from, k) => Math.round(from + (end[k] - from) * strength));
    return (255 << 24) | (b << 16) | (g << 8) | r;
  });
  pixels.width = d;
  pixels.height = n;
  const inside = pixels.getContext("2d");
  const image = inside.createImageData(d, n);
  const colours = new Uint32Array(image.data.buffer);
  for (let i = 0; i < colours.length; i++) colours[i] = ramp[Math.round(255 * (1 + table[i]))];
  inside.putImageData(image, 0, 0);
  Object.assign(state, { painted: true, rgb: (x) => {
    const c = ramp[Math.round(255 * (1 + x))];
    return `rgb(${c & 255},${(c >> 8) & 255},${(c >> 16) & 255})`;
  } });
}

// Draws `state` on the canvas, as wide as there is room.
function drawSinusoids(canvas, pixels, state, available) {
  if (!state.painted) paintSinusoids(state, pixels);
  const { theme, n, d, value, wavelength, movingColumns } = state;
  const room = Math.max(available - LEFT - WIDE, 146);
  const roomy = room >= 260;
  const digit = Math.min(Math.max((room - (roomy ? 180 : 105)) / state.digits, 8), 24);
  const bits = { width: digit * state.digits };
  const named = Math.max(bits.width, 48); // the heading needs more room than one digit
  const wave = { left: LEFT + WIDE + (roomy ? 24 : 14), width: Math.min(room - named - (roomy ? 66 : 40), 230) };
  bits.left = wave.left + wave.width + 24;
  const right = Math.max(bits.left + named, wave.left + 132) + 2;
  const bottom = TOP + HIGH + 44 + ROW + 22;
  const context = sizedContext(canvas, right, bottom);
  const at = state.pointed || { row: state.position, column: state.column };
  context.lineWidth = 1;
  const text = (words, x, y, { align = "left", colour = theme.ink, size = 12, bold = false, base = "alphabetic" } = {}) => {
    context.font = `${bold ? "600 " : ""}${size}px system-ui, sans-serif`;
    [context.textAlign, context.textBaseline, context.fillStyle] = [align, base, colour];
    context.fillText(words, x, y);
  };
  const line = (...look) => strokeLine(context, ...look);
  const down = (t) => TOP + (t + 0.5) * HIGH / n;
  const across = (c) => LEFT + (c + 0.5) * WIDE / d;
  drawMap();
  drawWave();
  drawBits();
  drawRow();
  drawLegend();

  function ticks(end, many) {
    const step = [1, 2, 4, 5, 8, 10, 16, 20, 32, 64, 128].find((s) => end / s <= many) || 256;
    return Array.from({ length: Math.ceil(end / step) }, (_, i) => i * step);
  }

  function drawMap() {
    text("Value at each position and column", LEFT, 14, { bold: true });
    context.imageSmoothingEnabled = false;
    context.drawImage(pixels, LEFT, TOP, WIDE, HIGH);
    context.strokeStyle = theme.line;
    context.strokeRect(LEFT - 0.5, TOP - 0.5, WIDE + 1, HIGH + 1);
    for (const t of ticks(n, 9)) text(t, LEFT - 6, down(t), { align: "right", base: "middle", size: 11, colour: theme.muted });
    for (const c of ticks(d, 9)) text(c, across(c), TOP + HIGH + 15, { align: "center", size: 11, colour: theme.muted });
    context.save();
    context.translate(12, TOP + HIGH / 2);
    context.rotate(-Math.PI / 2);
    text("position", 0, 0, { align: "center" });
    context.restore();
    const edge = LEFT + movingColumns() * WIDE / d;
    if (edge > LEFT && edge < LEFT + WIDE) line([[edge, TOP - 6], [edge, TOP + HIGH + 5]], theme.ink, 1.5, [5, 3]);
    const [cell, height] = [WIDE / d, HIGH / n];
    context.lineWidth = 1.5;
    context.strokeStyle = theme.ink;
    context.strokeRect(LEFT - 1, TOP + at.row * height - 1, WIDE + 2, height + 2);
    context.strokeRect(LEFT + at.column * cell - 1, TOP - 1, cell + 2, HIGH + 2);
  }

  function drawWave() {
    const [middle, half] = [wave.left + wave.width / 2, wave.width / 2 - 6];
    const x = (v) => middle + v * half;
    const odd = at.column % 2;
    const colour = odd ? theme.pink : theme.green;
    text(`${roomy ? "Wave of column" : "Column"} ${at.column}`, wave.left, 14, { bold: true });
    line([[middle, TOP], [middle, TOP + HIGH]], theme.line);
    line([[wave.left, TOP + HIGH + 0.5], [wave.left + wave.width, TOP + HIGH + 0.5]], theme.line);
    for (const v of [-1, 0, 1]) text(String(v).replace("-", "−"), x(v), TOP + HIGH + 15, { align: "center", size: 11, colour: theme.muted });
    text("value", middle, TOP + HIGH + 30, { align: "center" });
    const rate = 2 * Math.PI / wavelength(at.column);
    const points = Array.from({ length: 601 }, (_, i) => {
      const t = (i / 600) * (n - 1);
      return [x(odd ? Math.cos(t * rate) : Math.sin(t * rate)), down(t)];
    });
    line(points, colour, 1.6);
    const dots = n <= 64 ? Array.from({ length: n }, (_, t) => t) : [];
    for (const t of new Set([...dots, at.row])) {
      context.beginPath();
      context.arc(x(value(t, at.column)), down(t), t === at.row ? 4.5 : 2.2, 0, 7);
      context.fillStyle = t === at.row ? theme.ink : colour;
      context.fill();
    }
    const length = wavelength(at.column);
    if (length <= n - 1) { // from the first zero of a sine, the first peak of a cosine
      const [from, end, edge] = [down(0), down(length), wave.left + wave.width + 5];
      line([[edge - 5, from], [edge, from], [edge, end], [edge - 5, end]], theme.ink, 1.2);
      context.save();
      context.translate(edge + 11, (from + end) / 2);
      context.rotate(-Math.PI / 2);
      if (end - from > 24) text(number(length), 0, 0, { align: "center", size: 11 });
      context.restore();
    }
  }

  function drawBits() {
    text(bits.width > 84 ? "Binary digits" : "Binary", bits.left, 14, { bold: true });
    const height = HIGH / n;
    for (let t = 0; t < n; t++) {
      for (let j = 0; j < state.digits; j++) {
        const on = (t >> j) & 1;
        context.fillStyle = on ? state.rgb(1) : state.rgb(0);
        context.fillRect(bits.left + j * digit, TOP + t * height, digit, height + 0.3);
        if (height >= 13 && digit >= 9) {
          const ink = on ? `rgb(${theme.card})` : theme.ink;
          text(on, bits.left + (j + 0.5) * digit, down(t) + 0.5, { align: "center", base: "middle", size: 11, colour: ink });
        }
      }
    }
    for (let j = 0; j <= state.digits; j++) line([[bits.left + j * digit, TOP], [bits.left + j * digit, TOP + HIGH]], theme.line);
    context.strokeRect(bits.left - 0.5, TOP - 0.5, bits.width + 1, HIGH + 1);
    for (let j = 0; j < state.digits; j++) {
      const size = digit < 14 ? 8 : 10;
      text(2 ** j, bits.left + (j + 0.5) * digit, TOP + HIGH + (digit < 20 && j % 2 ? 24 : 14), { align: "center", size, colour: theme.muted });
    }
    context.lineWidth = 1.5;
    context.strokeStyle = theme.ink;
    context.strokeRect(bits.left - 1, TOP + at.row * height - 1, bits.width + 2, height + 2);
  }

  function drawRow() {
    const [top, middle] = [TOP + HIGH + 44, TOP + HIGH + 44 + ROW / 2];
    const y = (v) => middle - v * (ROW / 2 - 6);
    text(`Vector of position ${at.row}`, LEFT, top - 6, { bold: true });
    for (const v of [-1, 0, 1]) {
      line([[LEFT, y(v)], [LEFT + WIDE, y(v)]], theme.line);
      text(String(v).replace("-", "−"), LEFT - 6, y(v), { align: "right", base: "middle", size: 11, colour: theme.muted });
    }
    const cell = WIDE / d;
    for (const [start, colour] of [[0, theme.green], [1, theme.pink]]) {
      const points = [];
      for (let c = start; c < d; c += 2) points.push([across(c), y(value(at.row, c))]);
      if (cell >= 4) {
        context.fillStyle = colour;
        for (const [x, end] of points) context.fillRect(x - cell * 0.4, Math.min(end, middle), cell * 0.8, Math.max(Math.abs(end - middle), 1));
      } else line(points, colour, 1.5);
    }
    const [x, end] = [across(at.column), y(value(at.row, at.column))];
    line([[x, top + 2], [x, top + ROW - 2]], theme.ink, 1, [2, 2]);
    context.beginPath();
    context.arc(x, end, 4, 0, 7);
    context.fillStyle = theme.ink;
    context.fill();
    text("column", LEFT + WIDE / 2, top + ROW + 16, { align: "center" });
  }

  function drawLegend() {
    const [x, y] = [wave.left, TOP + HIGH + 62];
    text(`${at.row} = ${at.row.toString(2).padStart(state.digits, "0")}${roomy ? " in binary" : ""}`, x, y + 2, { bold: true });
    context.fillStyle = theme.green;
    context.fillRect(x, y + 15, 10, 10);
    text(`sine (even${roomy ? " columns" : ""})`, x + 16, y + 24);
    context.fillStyle = theme.pink;
    context.fillRect(x, y + 33, 10, 10);
    text(`cosine (odd${roomy ? " columns" : ""})`, x + 16, y + 42);
    for (let i = 0; i < 120; i++) {
      context.fillStyle = state.rgb(i / 60 - 1);
      context.fillRect(x + i, y + 56, 1.5, 9);
    }
    context.lineWidth = 1;
    context.strokeStyle = theme.line;
    context.strokeRect(x - 0.5, y + 55.5, 121, 10);
    ["−1", "0", "1"].forEach((label, i) => text(label, x + i * 60, y + 79, { align: ["left", "center", "right"][i], size: 11, colour: theme.muted }));
  }
}

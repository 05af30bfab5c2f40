// The three panes of draw-a-digit: the paper, the picture that the model gets, and the ten bars.

const PAPER = 252;
const SEEN = 196; // 28 pixels of 7

// A sheet that is drawn on with mouse, pen or finger. `changed(strokes)` is called when the pen is lifted.
function paperView(changed) {
  const canvas = element("canvas", { class: "tl-paper", role: "img", "aria-label": "Paper to draw a digit on. Without a pointer, load a test digit below." });
  let strokes = [];
  let drawing = null;
  let pen = 0.09;

  const place = (event) => {
    const area = canvas.getBoundingClientRect();
    const part = (at, start, side) => Math.min(1, Math.max(0, (at - start) / side));
    return [part(event.clientX, area.left, area.width), part(event.clientY, area.top, area.height)];
  };
  function paint() {
    const context = sizedContext(canvas, PAPER, PAPER);
    context.strokeStyle = context.fillStyle = "#1f2430"; // ink on paper, in both themes
    context.lineWidth = pen * PAPER;
    context.lineCap = context.lineJoin = "round";
    for (const stroke of drawing ? [...strokes, drawing] : strokes) {
      const points = stroke.map(([x, y]) => [x * PAPER, y * PAPER]);
      context.beginPath();
      context.moveTo(...points[0]);
      for (const point of points.length > 1 ? points.slice(1) : points) context.lineTo(...point);
      context.stroke();
    }
  }
  const redraw = frameLoop(paint);
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button > 0 || drawing) return;
    event.preventDefault();
    canvas.setPointerCapture(event.pointerId);
    drawing = [place(event)];
    redraw();
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!drawing) return;
    drawing.push(place(event));
    redraw();
  });
  const lift = () => {
    if (!drawing) return;
    strokes = [...strokes, drawing];
    drawing = null;
    redraw();
    changed(strokes);
  };
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", lift);
  return {
    canvas,
    show(given, width) {
      [strokes, pen] = [given, width];
      redraw();
    },
  };
}

// The picture of 28 x 28 as ink, and over it how much each patch is looked at.
function seenView() {
  const canvas = element("canvas", { class: "tl-seen", role: "img", "aria-label": "The picture that the model gets, with its attention in colour; the sentence below says it in words." });
  return {
    canvas,
    draw(picture, weights, side, theme) {
      const context = sizedContext(canvas, SEEN, SEEN);
      context.fillStyle = "#fdfcf9";
      context.fillRect(0, 0, SEEN, SEEN);
      if (!picture) return;
      const pixel = SEEN / 28;
      for (let i = 0; i < 784; i++) {
        const ink = picture.getUint8(i);
        if (!ink) continue;
        context.fillStyle = `rgba(31, 36, 48, ${ink / 255})`;
        context.fillRect((i % 28) * pixel, Math.floor(i / 28) * pixel, pixel, pixel);
      }
      const most = Math.max(...weights);
      const cell = SEEN / side;
      context.fillStyle = theme.dark ? "#f0883e" : "#d55e00";
      weights.forEach((weight, i) => {
        context.globalAlpha = 0.75 * (weight / most);
        context.fillRect((i % side) * cell, Math.floor(i / side) * cell, cell, cell);
      });
      context.globalAlpha = 1;
    },
  };
}

// Ten digits with their probabilities.
function barsView() {
  const rows = Array.from({ length: 10 }, (_, digit) => {
    const fill = element("i");
    const track = element("div", { class: "tl-track" }, fill);
    const number = element("span", { text: "–" });
    return { parts: [element("b", { text: digit }), track, number], fill, track, number };
  });
  return {
    node: element("div", { class: "tl-digit-rows" }, ...rows.flatMap((row) => row.parts)),
    draw(probabilities) {
      const best = probabilities ? probabilities.indexOf(Math.max(...probabilities)) : -1;
      rows.forEach((row, digit) => {
        row.fill.style.width = `${100 * (probabilities?.[digit] ?? 0)}%`;
        row.number.textContent = probabilities ? probabilities[digit].toFixed(3) : "–";
        row.track.classList.toggle("tl-best", digit === best);
      });
    },
  };
}

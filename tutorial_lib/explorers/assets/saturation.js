// How far a softmax of random dot products saturates, over the width of a head.

const [HIGH, TOP, BOTTOM, LEFT, NAMES] = [252, 30, 44, 44, 104]; // a panel's height and margins
const TICKS = [1, 4, 16, 64, 256];

function render({ model, el }) {
  const [widths, queries, most] = [model.get("widths"), model.get("n_queries"), model.get("most_keys")];
  const view = model.get("dots");
  const dots = new Float32Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength)); // (widths, queries, keys)
  const state = {};

  function measure(place, n, scaled) {
    const factor = scaled ? 1 / Math.sqrt(widths[place]) : 1;
    let [largest, gradient, first, sum, squared] = [0, 0, null, 0, 0];
    for (let query = 0; query < queries; query++) {
      const start = (place * queries + query) * most;
      const row = dots.subarray(start, start + n);
      const peak = row.reduce((a, b) => Math.max(a, b)) * factor;
      const weights = Array.from(row, (dot) => Math.exp(dot * factor - peak));
      const total = weights.reduce((a, b) => a + b);
      for (let s = 0; s < n; s++) {
        weights[s] /= total;
        gradient += weights[s] * (1 - weights[s]);
        sum += row[s];
        squared += row[s] ** 2;
      }
      largest += 1 / total; // the peak's exponential is 1
      first ??= weights.sort((a, b) => b - a);
    }
    const count = queries * n;
    return { weights: first, largest: largest / queries, gradient: gradient / queries, deviation: Math.sqrt(squared / count - (sum / count) ** 2) };
  }

  const root = element("div", { class: "tl-explorer tl-saturation", role: "group", "aria-label": model.get("label") });
  const set = (name, value) => {
    model.set(name, value); // `changed` follows
    model.save_changes();
  };
  const sliders = {
    d: slider("Head width K", { min: 0, max: widths.length - 1, value: widths.indexOf(model.get("d")), show: (i) => widths[i], change: (i) => set("d", widths[i]) }),
    n_keys: slider("Number of keys", { min: 2, max: most, value: model.get("n_keys"), change: (n) => set("n_keys", n) }),
  };
  const scaled = element("input", { type: "checkbox", "aria-label": "Divide the scores by √K", onchange: () => set("scaled", scaled.checked) });
  const canvas = element("canvas", { role: "img" });
  const readout = element("p", { class: "tl-readout", role: "status" });
  const note = element("p", { class: "tl-note" });
  root.append(
    element("p", { class: "tl-title", text: model.get("label") }),
    element("div", { class: "tl-controls" }, ...Object.values(sliders).map((s) => s.node), element("label", {}, scaled, "Divide the scores by √K")),
    canvas, readout, note);
  el.append(root);

  function write(context, text, x, y, { colour = state.theme.muted, align = "center", base = "middle", weight = "" } = {}) {
    [context.font, context.fillStyle, context.textAlign, context.textBaseline] = [`${weight} 12px system-ui, sans-serif`, colour, align, base];
    context.fillText(text, x, y);
  }

  function frame(context, left, right, title, below) {
    const y = (share) => HIGH - BOTTOM - share * (HIGH - BOTTOM - TOP);
    for (const share of [0, 0.5, 1]) {
      strokeLine(context, [[left, y(share)], [right, y(share)]], state.theme.line, 1);
      write(context, String(share), left - 7, y(share), { align: "right" });
    }
    write(context, title, left, 8, { colour: state.theme.ink, align: "left", weight: "600" });
    write(context, below, (left + right) / 2, HIGH - 9);
    return y;
  }

  function drawBars(context, left, right, { weights }) {
    const { theme } = state;
    const n = weights.length;
    const y = frame(context, left, right, "One query’s weights", "keys, largest weight first");
    const step = (right - left) / n;
    context.fillStyle = theme.blue;
    weights.forEach((weight, s) => context.fillRect(left + (s + 0.12) * step, y(weight), 0.76 * step, y(0) - y(weight)));
    strokeLine(context, [[left, y(1 / n)], [right, y(1 / n)]], theme.muted, 1.2, [4, 3]);
    write(context, "all equal", right, y(1 / n) - 8, { align: "right" });
    write(context, "1", left + step / 2, y(0) + 13);
    write(context, String(n), right - step / 2, y(0) + 13);
  }

  function drawCurves(context, left, right, all, others) {
    const { theme, at } = state;
    const y = frame(context, left, right, "Mean of 64 queries, over the width", "head width K");
    const x = (place) => left + 8 + place / (widths.length - 1) * (right - left - 16);
    for (const tick of TICKS) write(context, String(tick), x(widths.indexOf(tick)), y(0) + 13);
    strokeLine(context, [[x(at.place), y(1)], [x(at.place), y(0)]], theme.muted, 1, [4, 3]);
    for (const [name, colour, label] of [["largest", "blue", "largest weight"], ["gradient", "pink", "gradient"]]) {
      if (others) strokeLine(context, others.map((point, i) => [x(i), y(point[name])]), theme[colour], 1.4, [2, 4]);
      strokeLine(context, all.map((point, i) => [x(i), y(point[name])]), theme[colour], 2.2);
      context.beginPath();
      context.arc(x(at.place), y(all[at.place][name]), 5.5, 0, 2 * Math.PI);
      context.fillStyle = theme[colour];
      context.fill();
      write(context, label, right + 6, y(all.at(-1)[name]), { colour: theme[colour], align: "left", weight: "600" });
    }
  }

  function draw() {
    if (!state.theme || root.clientWidth < 120) return; // a hidden cell has no room
    const { at } = state;
    const all = widths.map((_, place) => measure(place, at.n, at.scaled));
    const others = at.scaled ? widths.map((_, place) => measure(place, at.n, false)) : null;
    const width = Math.max(Math.min(root.clientWidth - 30, 800), 420);
    const middle = LEFT + (width - 2 * LEFT - NAMES) * 0.44;
    const context = sizedContext(canvas, width, HIGH);
    drawBars(context, LEFT, middle, all[at.place]);
    drawCurves(context, middle + LEFT, width - NAMES, all, others);
    const now = all[at.place];
    const strong = (text) => element("b", { text });
    readout.replaceChildren("Dot products have a standard deviation of ", strong(now.deviation.toFixed(2)), ` (√K = ${Math.sqrt(widths[at.place]).toFixed(2)})`,
      at.scaled ? ", and are divided by √K. " : ". ", "Largest weight ", strong(now.largest.toFixed(2)), ", gradient ", strong(now.gradient.toFixed(3)), ", on average.");
    note.textContent = others ? "Dotted: the same without the division." : "The gradient says how fast each weight grows when its own score is nudged, added up over the keys.";
    canvas.setAttribute("aria-label", `Bars of one query’s weights, and the largest weight and the gradient over the head width. ${readout.textContent}`);
  }

  function read() {
    const [d, n] = [model.get("d"), model.get("n_keys")];
    state.at = { place: Math.max(widths.indexOf(d), 0), n: Math.min(Math.max(n, 2), most), scaled: model.get("scaled") };
    sliders.d.input.value = state.at.place;
    sliders.d.node.querySelector("output").textContent = widths[state.at.place];
    sliders.n_keys.input.value = state.at.n;
    sliders.n_keys.node.querySelector("output").textContent = state.at.n;
    scaled.checked = state.at.scaled;
    const { largest, gradient, deviation } = measure(state.at.place, state.at.n, state.at.scaled);
    model.set("result", { largest, gradient, deviation });
  }

  const redraw = frameLoop(draw);
  read();
  model.save_changes();
  const unwatch = watchTheme(root, (theme) => {
    state.theme = theme;
    redraw();
  });
  const events = ["d", "n_keys", "scaled"].map((name) => `change:${name}`);
  const changed = () => {
    read();
    redraw();
  };
  for (const event of events) model.on(event, changed);
  return () => {
    unwatch();
    for (const event of events) model.off(event, changed);
  };
}

export default { render };

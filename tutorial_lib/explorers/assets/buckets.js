function render({ model, el }) {
  const [WIDTH, NAMES, STRIP, CURVES] = [900, 76, 34, 150];
  const NS = "http://www.w3.org/2000/svg";
  const root = element("div", { class: "tl-explorer tl-asking tl-buckets", role: "group", "aria-label": model.get("label") });
  const svg = document.createElementNS(NS, "svg");
  svg.setAttribute("role", "img");
  const summary = element("p", { class: "tl-sum", role: "status", "aria-live": "polite" });
  const bars = element("div", { role: "list", "aria-label": "What each head adds to the score" });
  const body = element("div", {}, svg, summary, bars);
  const side = (distance) => distance === 0 ? "its own place" : `${Math.abs(distance)} to the ${distance < 0 ? "left" : "right"}`;

  function shape(tag, attributes, text) {
    const node = document.createElementNS(NS, tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    if (text !== undefined) node.textContent = text;
    svg.append(node);
  }

  // Far distances get less room: a logarithm on each side of the query, as the buckets have.
  function places(first, last) {
    const at = (distance) => Math.sign(distance) * Math.log1p(Math.abs(distance) / 2);
    const [low, high] = [at(first - 0.5), at(last + 0.5)];
    return (distance) => NAMES + ((WIDTH - NAMES - 8) * (at(distance) - low)) / (high - low);
  }

  function drawAll({ runs, bucket, distance, curves, first, causal }) {
    const last = causal ? 0 : -first;
    const x = places(first, last);
    const height = STRIP + 40 + (curves.length ? CURVES : 0);
    svg.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
    svg.replaceChildren();
    for (const [name, y] of [["bucket", STRIP / 2 + 5], ["distance", STRIP + 18], ...(curves.length ? [["adds", STRIP + 48]] : [])]) shape("text", { x: 0, y, class: "name" }, name);
    for (const [number, from, to] of runs) {
      const [left, right] = [x(from - 0.5), x(to + 0.5)];
      shape("rect", { x: left + 0.75, y: 2, width: Math.max(1, right - left - 1.5), height: STRIP - 4, class: `bucket ${number === bucket ? "on" : ""}` });
      if (right - left > 8 + 7 * String(number).length || number === bucket) shape("text", { x: (left + right) / 2, y: STRIP / 2 + 5, class: `number ${number === bucket ? "on" : ""}` }, number);
    }
    for (const mark of [-128, -64, -32, -16, -8, -4, 0, 4, 8, 16, 32, 64, 128]) {
      if (mark >= first && mark <= last) shape("text", { x: x(mark), y: STRIP + 18, class: "mark" }, Math.abs(mark));
    }
    shape("line", { x1: x(distance), x2: x(distance), y1: STRIP, y2: height, class: "here" });
    if (!curves.length) return;
    const all = curves.flat();
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const y = (value) => STRIP + 30 + (CURVES - 8) * (1 - (value - low) / Math.max(high - low, 1e-9));
    for (const value of [0, Math.floor(high)]) {
      shape("line", { x1: NAMES, x2: WIDTH - 8, y1: y(value), y2: y(value), class: "zero" });
      shape("text", { x: NAMES - 8, y: y(value) + 4, class: "scale" }, value);
    }
    // All distances of a bucket get one number: a step each.
    curves.forEach((values, head) => shape("polyline", { points: values.map((value, i) => `${x(first + i - 0.5).toFixed(1)},${y(value).toFixed(1)} ${x(first + i + 0.5).toFixed(1)},${y(value).toFixed(1)}`).join(" "), class: `curve head${head % 4}` }));
  }

  function draw(reply) {
    const { bucket, shared, distance, added } = reply;
    drawAll(reply);
    const [from, to] = shared;
    summary.textContent = `A key ${distance === 0 ? "at" : ""} ${side(distance)} is in bucket ${bucket}` + (from === to ? ", alone." : `, with all from ${side(from)} to ${side(to)}.`)
      + (reply.given && !added.length ? " The model has learned numbers for other buckets: set 32 and 128 again." : "");
    const most = Math.max(1e-9, ...added.map(Math.abs));
    bars.replaceChildren(...added.map((value, head) => {
      const row = barRow({ label: `head ${head} adds`, fraction: Math.abs(value) / most / 2, target: 0.5, words: value.toFixed(2), kind: `head${head % 4}` });
      row.querySelector("i").style.marginLeft = `${50 + Math.min(0, (50 * value) / most)}%`; // zero is the middle
      return row;
    }));
    far.input.max = reply.causal ? 0 : 150;
    moveTo(far, distance);
    svg.setAttribute("aria-label", summary.textContent);
    for (const [button, on] of [[encoder, !reply.causal], [decoder, reply.causal]]) button.setAttribute("aria-pressed", String(on));
  }

  const asker = asking(model, { root, name: "", body, draw });
  const start = model.get("request");
  const far = slider("Distance", { min: -150, max: 150, value: start.distance, change: (value) => asker.ask({ distance: value }) });
  const buckets = slider("Buckets", { min: 4, max: 64, step: 4, value: start.n_buckets, change: (value) => asker.ask({ n_buckets: value }) });
  const most = slider("Up to a distance of", { min: 8, max: 256, step: 8, value: start.max_distance, change: (value) => asker.ask({ max_distance: value }) });
  const encoder = element("button", { type: "button", text: "encoder: both sides", onclick: () => asker.ask({ causal: false }) });
  const decoder = element("button", { type: "button", text: "decoder: looks back", onclick: () => asker.ask({ causal: true }) });
  root.append(
    element("p", { class: "tl-title", text: model.get("label") }),
    element("div", { class: "tl-controls" }, encoder, decoder, far.node, buckets.node, most.node),
    asker.error, body);
  el.append(root);
  return asker.stop;
}

export default { render };

function render({ model, el }) {
  const STEP = 64; // units of the drawing between two letters
  const root = element("div", { class: "tl-explorer tl-asking tl-lattice", role: "group", "aria-label": model.get("label") });
  const NS = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(NS, "svg");
  svg.setAttribute("role", "img");
  const bars = element("div", { role: "list", "aria-label": "The likeliest cuts" });
  const summary = element("p", { class: "tl-sum", role: "status", "aria-live": "polite" });
  const body = element("div", {}, svg, bars, summary);

  const written = (p) => p >= 0.00005 ? p.toFixed(4) : "< 0.0001";

  function shape(tag, attributes, text) {
    const node = document.createElementNS(NS, tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    if (text !== undefined) node.textContent = text;
    svg.append(node);
  }

  function drawArcs({ word, arcs, cuts, chosen }) {
    const letters = Array.from(word);
    const ends = new Set();
    let place = 0;
    for (const piece of cuts[chosen]?.[0] ?? []) ends.add(`${place},${(place += Array.from(piece).length)}`);
    const height = 30 + 26 * Math.min(6, Math.max(1, ...arcs.map(([start, end]) => end - start)));
    svg.setAttribute("viewBox", `0 0 ${STEP * letters.length + 24} ${height + 52}`);
    svg.style.maxWidth = `${STEP * letters.length + 24}px`;
    svg.replaceChildren();
    const x = (at) => 12 + STEP * at;
    const sorted = [...arcs].sort((a, b) => ends.has(`${a[0]},${a[1]}`) - ends.has(`${b[0]},${b[1]}`));
    for (const [start, end, p, known] of sorted) {
      const on = ends.has(`${start},${end}`);
      const top = height - 26 * Math.min(6, end - start);
      shape("path", { d: `M ${x(start)} ${height} C ${x(start)} ${top - 8}, ${x(end)} ${top - 8}, ${x(end)} ${height}`, class: `arc ${on ? "on" : ""} ${known ? "" : "unknown"}` });
    }
    for (const [start, end, p, known] of sorted) { // after all arcs, so that none crosses a number
      const on = ends.has(`${start},${end}`);
      const top = height - 26 * Math.min(6, end - start);
      shape("text", { x: (x(start) + x(end)) / 2, y: top + 0.18 * (height - top) - 8, class: `p ${on ? "on" : ""}` }, known ? written(p) : "unknown");
    }
    letters.forEach((letter, i) => shape("text", { x: x(i + 0.5), y: height + 28, class: "letter" }, letter));
    for (let i = 0; i <= letters.length; i += 1) shape("circle", { cx: x(i), cy: height, r: 3.5, class: "place" });
  }

  function draw(reply) {
    const { word, cuts, of, chosen, cut } = reply;
    svg.toggleAttribute("hidden", !word);
    drawArcs(reply);
    bars.style.setProperty("--label", "min(46%, 24em)");
    bars.replaceChildren(...cuts.map(([pieces, share], i) => barRow({ label: pieces.join(" | "), fraction: share, words: share >= 0.0005 ? share.toFixed(3) : "< 0.001", kind: i === chosen ? "chosen" : "" })));
    nth.input.max = Math.max(1, cuts.length);
    moveTo(nth, chosen + 1);
    summary.textContent = word
      ? `${of.toLocaleString("en")} ${of === 1 ? "cut" : "cuts"} in all. The one that is drawn: ${cuts[chosen][0].join(" | ")}.` + (cut ? ` Only the first 18 letters are taken.` : "")
      : "There is no word: type one.";
    svg.setAttribute("aria-label", summary.textContent);
  }

  const start = model.get("request");
  const nth = slider("Cut number", { min: 1, max: 8, value: start.chosen + 1, change: (value) => asker.ask({ chosen: value - 1 }) });
  const asker = asking(model, { root, name: "Word", rows: 1, body, draw, typed: () => ({ chosen: 0 }) });
  const alpha = slider("alpha", { min: 0, max: 2, step: 0.1, value: start.alpha, show: (value) => value.toFixed(1), change: (value) => asker.ask({ alpha: value }) });
  root.append(
    element("p", { class: "tl-title", text: model.get("label") }),
    asker.box,
    element("div", { class: "tl-controls" }, nth.node, alpha.node, asker.note),
    asker.error, body);
  el.append(root);
  return asker.stop;
}

export default { render };

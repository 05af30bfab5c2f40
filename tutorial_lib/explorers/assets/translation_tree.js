// The beam as a tree: a column for each step, the most probable candidate on top, the winner's path in orange.

function treeView() {
  const [boxWidth, boxHeight, across, down, left, top] = [100, 34, 121, 44, 64, 26];
  const svgElement = (tag, attributes = {}, text = "") => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    if (text) node.textContent = text;
    return node;
  };
  const drawing = svgElement("svg");
  const frame = element("div", {
    class: "tl-tree", tabindex: "0", role: "application", "data-lm-suppress-shortcuts": "true",
    "aria-label": "Tree of the beam search. Up and down go through the candidates of a step, left to the parent, right to the best child.",
  }, drawing);
  const readout = element("output", { class: "tl-readout", "aria-live": "polite" });
  const table = element("table", { class: "tl-beams" });
  let candidates = [];
  let boxes = [];
  let edges = [];
  let chosen = -1;
  let lit = [];

  const number = (value) => value.toFixed(2).replace("-", "−");
  const states = { kept: "the search went on from it", finished: "it has finished", dropped: "it was dropped" };
  const x = (candidate) => left + (candidate.step - 1) * across;
  const y = (candidate) => top + candidate.rank * down;

  function choose(index) {
    if (index === chosen || !candidates[index]) return;
    chosen = index;
    lit.forEach((node) => node.classList.remove("tl-lit"));
    lit = [];
    for (let at = index; at >= 0; at = candidates[at].parent) lit.push(boxes[at], edges[at]);
    lit.forEach((node) => node.classList.add("tl-lit"));
    const candidate = candidates[index];
    const p = Math.exp(candidate.log_p);
    const finished = candidate.state === "finished" ? `, score ${number(candidate.score)}` : "";
    readout.textContent = `Step ${candidate.step}, rank ${candidate.rank + 1}: “${readable(candidate.token, 30)}” makes “${candidate.text}”, ` +
      `log p ${number(candidate.log_p)} (p ${p < 0.001 ? p.toExponential(1) : p.toFixed(3)})${finished}; ${states[candidate.state]}${candidate.wins ? ", and it leads to the winner" : ""}.`;
  }

  function move(key) {
    const from = candidates[chosen];
    if (!from) return choose(0);
    const at = (step, rank) => candidates.findIndex((other) => other.step === step && other.rank === rank);
    if (key === "ArrowUp") choose(at(from.step, from.rank - 1));
    if (key === "ArrowDown") choose(at(from.step, from.rank + 1));
    if (key === "ArrowLeft") choose(from.parent);
    if (key === "ArrowRight") choose(candidates.findIndex((other) => other.parent === chosen));
    const box = candidates[chosen];
    if (x(box) < frame.scrollLeft || x(box) + boxWidth > frame.scrollLeft + frame.clientWidth) {
      frame.scrollLeft = x(box) - frame.clientWidth / 2;
    }
  }
  frame.addEventListener("keydown", (event) => {
    if (!["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    move(event.key);
  });
  drawing.addEventListener("pointerover", (event) => {
    const box = event.target.closest("[data-index]");
    if (box) choose(Number(box.dataset.index));
  });

  function edge(candidate) {
    const parent = candidates[candidate.parent];
    const [x0, y0] = parent ? [x(parent) + boxWidth, y(parent) + boxHeight / 2] : [left - across + boxWidth, top + boxHeight / 2];
    const [x1, y1] = [x(candidate), y(candidate) + boxHeight / 2];
    const bend = (x1 - x0) / 2;
    return svgElement("path", {
      class: `tl-edge tl-${candidate.state}${candidate.wins ? " tl-wins" : ""}`,
      d: `M${x0} ${y0}C${x0 + bend} ${y0} ${x1 - bend} ${y1} ${x1} ${y1}`,
    });
  }

  function box(candidate, index) {
    const group = svgElement("g", {
      class: `tl-box tl-${candidate.state}${candidate.wins ? " tl-wins" : ""}`,
      transform: `translate(${x(candidate)} ${y(candidate)})`, "data-index": index,
    });
    const numbers = candidate.state === "finished" ? `${number(candidate.log_p)} → ${number(candidate.score)}` : number(candidate.log_p);
    group.append(
      svgElement("rect", { width: boxWidth, height: boxHeight, rx: 5 }),
      svgElement("text", { x: boxWidth / 2, y: 14 }, readable(candidate.token, 12)),
      svgElement("text", { x: boxWidth / 2, y: 27, class: "tl-number" }, numbers));
    return group;
  }

  function row(cells, tag = "td") {
    // A column without a title is no heading.
    return element("tr", {}, ...cells.map((text) => element(text === "" ? "td" : tag, { text, scope: tag === "th" && text !== "" ? "col" : null })));
  }

  return {
    node: element("div", {}, frame, readout, element("div", { class: "tl-scroll" }, table)),
    take(search) {
      candidates = search.candidates || [];
      [chosen, lit] = [-1, []];
      const steps = candidates.reduce((most, c) => Math.max(most, c.step), 0);
      const ranks = candidates.reduce((most, c) => Math.max(most, c.rank + 1), 0);
      const [width, height] = [left + steps * across, top + ranks * down];
      drawing.setAttribute("width", width);
      drawing.setAttribute("height", height);
      edges = candidates.map(edge);
      boxes = candidates.map(box);
      const heads = Array.from({ length: steps }, (_, i) => svgElement("text", { x: left + i * across + boxWidth / 2, y: 14, class: "tl-number" }, `step ${i + 1}`));
      const start = svgElement("text", { x: left - across + boxWidth - 18, y: top + boxHeight / 2 + 4, class: "tl-number" }, "start");
      const behind = edges.slice().sort((a, b) => a.classList.contains("tl-wins") - b.classList.contains("tl-wins"));
      drawing.replaceChildren(start, ...heads, ...behind, ...boxes);
      readout.textContent = "Point at a box, or move through the tree with the arrow keys.";
      const alpha = search.alpha ?? 0;
      table.replaceChildren(
        element("caption", { text: "What the search ends with, best first: score = log p / penalty, penalty = ((5 + tokens) / 6)^α" }),
        row(["", "translation", "tokens", "log p", "penalty", "score", ""], "th"),
        ...(search.ends || []).map((index, place) => {
          const end = candidates[index];
          const penalty = ((5 + end.step) / 6) ** alpha;
          return row([place + 1, end.text, end.step, number(end.log_p), penalty.toFixed(2), number(end.score), end.state === "finished" ? "finished" : "not finished"]);
        }));
    },
  };
}

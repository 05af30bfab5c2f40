// A phrase goes to Python, the numbers of the nearest pictures come back; the pictures are in the page.

const SIDE = 72;

function render({ model, el }) {
  const root = element("div", { class: "tl-explorer tl-asking tl-finder", role: "group", "aria-label": model.get("label") });
  const names = model.get("names");
  const summary = element("p", { class: "tl-note", role: "status", "aria-live": "polite" });
  const list = element("ol", { "aria-label": "The nearest pictures, best first" });
  const readout = element("output", { class: "tl-name-of", "aria-live": "polite" });
  const body = element("div", {}, summary, list, readout);
  let shown = []; // [canvas, number of a picture]

  function paint() {
    if (!root.isConnected) return;
    for (const [canvas, number] of shown) {
      const context = sizedContext(canvas, SIDE, SIDE);
      context.imageSmoothingQuality = "high";
      sheet.draw(context, number, 0, 0, SIDE, SIDE);
    }
  }
  const repaint = frameLoop(paint);
  const sheet = spriteSheet(model.get("sheet"), root, repaint);

  // One found picture: a button, so that it can be reached and says its name.
  function card([number, score], rank) {
    const canvas = element("canvas", { "aria-hidden": "true" });
    shown.push([canvas, number]);
    const bar = element("i");
    bar.style.width = `${100 * Math.min(Math.max(score, 0), 1)}%`;
    const tell = () => { readout.textContent = `${rank + 1}: ${names[number]}, ${score.toFixed(3)}`; };
    const button = element("button", { type: "button", class: "tl-found", onfocus: tell, onpointerenter: tell, onclick: tell },
    canvas, element("span", { class: "tl-track" }, bar),
    element("small", {}, element("span", { text: `${rank + 1}` }),
      element("span", { class: "tl-unseen", text: `: ${names[number]}, score ` }), element("span", { text: score.toFixed(3) })),
    element("span", { class: "tl-name", "aria-hidden": "true", text: names[number] }));
    return element("li", {}, button);
  }

  function draw({ hits, asked, milliseconds }) {
    shown = [];
    list.replaceChildren(...hits.map(card));
    readout.textContent = "";
    paint();
    const many = names.length.toLocaleString("en");
    const what = element("b", { dir: "auto", text: asked.trim().length > 120 ? `${Array.from(asked.trim()).slice(0, 120).join("")}…` : asked.trim() });
    if (asked.trim()) {
      summary.replaceChildren("Asked: ", what, `. The ${hits.length} nearest of ${many} pictures, ${milliseconds} ms. A bar is full at a score of 1; point at a picture for its name.`);
    } else summary.replaceChildren(`Type something: ${many} pictures are waiting.`);
  }

  const asker = asking(model, { root, name: "What are you looking for?", rows: 1, body, draw });
  const examples = element("div", { class: "tl-examples", role: "group", "aria-label": "Examples" },
    element("span", { class: "tl-note", text: "For example:" }),
    ...model.get("examples").map((text) => element("button", { type: "button", dir: "auto", text, onclick: () => asker.ask({ text }) })));
  const named = element("input", { type: "checkbox", onchange: () => list.classList.toggle("tl-named", named.checked) });
  root.append(
    element("p", { class: "tl-title", text: model.get("label") }),
    asker.box, examples,
    element("div", { class: "tl-controls" }, element("label", {}, named, "Show all names"), asker.note),
    asker.error, body,
    element("div", { class: "tl-note", text: model.get("credit") }));
  el.append(root);
  return () => {
    asker.stop();
    sheet.stop();
  };
}

export default { render };

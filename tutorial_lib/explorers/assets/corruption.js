function render({ model, el }) {
  const root = element("div", { class: "tl-explorer tl-asking tl-corruption", role: "group", "aria-label": model.get("label") });
  const table = element("table", {});
  const summary = element("p", { class: "tl-sum", role: "status", "aria-live": "polite" });
  const body = element("div", {}, table, summary);

  // A look is "", "made" or "empty" (put in), "gone" (deleted) or "part 0" (moved).
  const TAGS = { made: "b", empty: "b", gone: "s" };
  const words = (tokens, count) => element("td", { dir: "auto" },
    ...tokens.flatMap(([token, look]) => [look ? element(TAGS[look] ?? "span", { class: look === "empty" ? "made empty" : look, text: token }) : token, " "]),
    element("small", { text: `${count}` }));

  function draw({ rows, cut }) {
    table.replaceChildren(
      element("thead", {}, element("tr", {}, ...["", "the encoder reads", "the decoder writes"].map((text) => element(text ? "th" : "td", { scope: text ? "col" : null, text })))),
      element("tbody", {}, ...rows.map(({ way, read, written, counts }) => element("tr", {}, element("th", { scope: "row", text: way }), words(read, counts[0]), words(written, counts[1])))));
    table.hidden = !rows.length;
    const [bart, t5] = [rows[0], rows[rows.length - 1]];
    const empty = rows.some(({ read }) => read.some(([, look]) => look === "empty"));
    summary.textContent = rows.length
      ? `To be written: ${bart.counts[1]} tokens for each of BART’s five ways, ${t5.counts[1]} for T5’s.` + (empty ? " A mask with a dashed border hides nothing." : "") + (cut ? ` Only the first 40 words are taken.` : "")
      : "There is no text: type one.";
  }

  const asker = asking(model, { root, name: "Text", rows: 1, body, draw });
  const start = model.get("request");
  const share = slider("Share", { min: 0, max: 1, step: 0.05, value: start.share, show: (value) => `${Math.round(100 * value)} %`, change: (value) => asker.ask({ share: value }) });
  const length = slider("Mean length of a span", { min: 1, max: 10, step: 0.5, value: start.length, show: (value) => value.toFixed(1), change: (value) => asker.ask({ length: value }) });
  root.append(
    element("p", { class: "tl-title", text: model.get("label") }),
    asker.box,
    element("div", { class: "tl-controls" }, share.node, length.node,
      element("button", { type: "button", text: "Draw again", onclick: () => asker.ask({ seed: (model.get("request").seed ?? 0) + 1 }) }), asker.note),
    asker.error, body);
  el.append(root);
  return asker.stop;
}

export default { render };

function render({ model, el }) {
  const root = element("div", { class: "tl-explorer tl-asking tl-search", role: "group", "aria-label": model.get("label") });
  const columns = element("div", { class: "tl-columns" });
  const summary = element("p", { class: "tl-note", role: "status", "aria-live": "polite" });
  const body = element("div", {}, summary, columns);

  // The text with the words of the query marked, those that few speeches have.
  function marked(text, rare) {
    return element("p", { dir: "auto" }, ...text.split(/([\p{L}\p{N}_]+)/u).map((part, i) =>
      i % 2 && rare.has(part.toLowerCase()) ? element("mark", { text: part }) : document.createTextNode(part)));
  }

  function column({ name, hits }, i, rare) {
    const items = hits.map(([score, where, text]) => element("li", {}, element("b", { text: score.toFixed(3), title: "cosine" }),
      element("div", {}, element("p", { class: "tl-note", text: where }), marked(text, rare))));
    const none = element("p", { class: "tl-note", text: i ? "No speech shares a word with this." : "Type something." });
    return element("section", { class: i ? "by-words" : "by-meaning", "aria-label": name },
      element("h4", { text: name }), items.length ? element("ol", {}, ...items) : none);
  }

  function draw(reply) {
    const rare = new Set(reply.rare);
    columns.replaceChildren(...reply.columns.map((one, i) => column(one, i, rare)));
    if (genre.options.length !== reply.genres.length + 1) {
      genre.replaceChildren(element("option", { value: "", text: "all plays" }), ...reply.genres.map((name) => element("option", { value: name, text: name })));
    }
    genre.value = model.get("request").genre;
    summary.textContent = `${reply.speeches.toLocaleString("en")} speeches, ${reply.milliseconds} ms. Each number is a cosine, either of vectors of meaning or of word counts that give rare words more weight. ` +
      (rare.size ? "Marked: your words that few speeches contain." : "");
  }

  const genre = element("select", { "aria-label": "Genre", onchange: () => asker.ask({ genre: genre.value }) });
  const asker = asking(model, { root, name: "Sentence to search for", body, draw });
  const number = slider("Results", { min: 1, max: 20, value: model.get("request").n, change: (n) => asker.ask({ n }) });
  root.append(
    element("p", { class: "tl-title", text: model.get("label") }),
    asker.box,
    element("div", { class: "tl-controls" }, number.node, element("label", {}, "Genre", genre), asker.note),
    asker.error, body);
  el.append(root);
  return asker.stop;
}

export default { render };

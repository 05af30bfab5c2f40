const COLOURS = ["#0072b2", "#a84a00", "#00734f", "#93467a", "#2f6f93", "#855c00"];

function render({ model, el }) {
  const paths = model.get("paths");
  const root = element("div", { class: "tl-explorer tl-merges", role: "group", "aria-label": model.get("label") });
  const states = () => paths[model.get("path")].states;
  const clamp = (n) => Math.max(0, Math.min(states().length - 1, n));
  const go = (n) => {
    model.set("position", clamp(n));
    model.save_changes();
    redraw();
  };

  const step = slider("Merge", {
    min: 0, max: states().length - 1, value: model.get("position"),
    show: (n) => `${n} of ${states().length - 1}`, change: go,
  });
  const back = element("button", { text: "◀ Back", "aria-label": "One merge back", onclick: () => go(model.get("position") - 1) });
  const next = element("button", { text: "Merge ▶", "aria-label": "Do the next merge", onclick: () => go(model.get("position") + 1) });
  const controls = element("div", { class: "tl-controls" }, back, next, step.node);
  let choice = null;
  if (paths.length > 1) {
    choice = element("select", { "aria-label": "How to break a tie", onchange: () => {
      model.set("path", Number(choice.value));
      model.set("position", clamp(model.get("position")));
      model.save_changes();
      redraw();
    } }, ...paths.map((path, i) => element("option", { value: i, text: path.name })));
    controls.append(element("label", {}, "At a tie", choice));
  }
  const message = element("p", { class: "tl-note tl-message", role: "status", "aria-live": "polite" });
  const words = element("div", { class: "tl-scroll", tabindex: 0, "aria-label": "Words" });
  const symbols = element("div", { class: "tl-scroll", tabindex: 0, "aria-label": "Symbols" });
  const pairs = element("div", { class: "tl-scroll", tabindex: 0, "aria-label": "Pairs" });
  const pane = (title, body) => element("section", {}, element("h4", { text: title }), body);
  root.append(
    element("p", { class: "tl-title", text: model.get("label") }), controls, message,
    element("div", { class: "tl-panes" },
      pane("Words and their counts", words), pane("Symbols", symbols), pane("Pairs", pairs)));
  el.append(root);

  // Each merged symbol keeps one colour, in the order in which merges made them.
  function colourOf(symbol) {
    const made = states().filter((s) => s.chosen).map((s) => s.chosen[0] + s.chosen[1].replace(/^##/, ""));
    return COLOURS[Math.max(0, made.indexOf(symbol)) % COLOURS.length];
  }

  function wordRow(word, chosen) {
    const row = element("div", { class: "tl-word" });
    word.symbols.forEach((symbol, i) => {
      const starts = (at) => chosen && word.symbols[at] === chosen[0] && word.symbols[at + 1] === chosen[1];
      const merged = [...symbol.replace(/^##/, "").replace(/<..>/g, "x")].length > 1;
      const chip = element("span", { text: symbol, class: `tl-chip${merged ? " merged" : ""}${starts(i) || starts(i - 1) ? " lit" : ""}` });
      if (merged) chip.style.background = colourOf(symbol);
      row.append(chip);
    });
    row.append(element("span", { class: "tl-count", text: `× ${word.count.toLocaleString("en")}` }));
    return row;
  }

  // For those who hear the table; the panes' titles say it to those who see it.
  function heading(name, number) {
    return element("tr", { class: "tl-unseen" }, ...[name, number, "as a bar", "remark"].map((text) => element("th", { scope: "col", text })));
  }

  function bar(share) {
    const node = element("div", { class: "tl-bar" });
    node.style.width = `${Math.max(0, 100 * share)}%`;
    return element("td", { class: "tl-barcell" }, node);
  }

  function draw() {
    const position = clamp(model.get("position"));
    const state = states()[position];
    step.input.max = states().length - 1;
    step.input.value = position;
    step.node.querySelector("output").textContent = `${position} of ${states().length - 1}`;
    back.disabled = position === 0;
    next.disabled = position === states().length - 1;
    if (choice) choice.value = model.get("path");
    const ties = state.pairs.filter((p) => p.tied);
    message.textContent = state.chosen
      ? `Next: ${state.chosen.join(" + ")}${ties.length ? `, one of ${ties.length} pairs that tie` : ""}.`
      : "The last merge is done.";
    if (state.cut) message.textContent += " Long lists show their first 200 rows.";
    words.replaceChildren(...state.words.map((word) => wordRow(word, state.chosen)));
    const most = Math.max(1, ...state.symbols.map(([, count]) => count));
    symbols.replaceChildren(element("table", {}, heading("symbol", "count"), ...state.symbols.map(([symbol, count]) =>
      element("tr", {}, element("td", { class: "name", text: symbol }),
        element("td", { class: "num", text: count.toLocaleString("en") }), bar(count / most),
        element("td", { class: "tl-mark", text: count === 0 ? "kept" : "" })))));
    const top = Math.max(1e-12, ...state.pairs.map((p) => p.score ?? p.count));
    pairs.replaceChildren(element("table", {}, heading("pair", state.pairs.some((p) => p.score != null) ? "score (count)" : "count"), ...state.pairs.map((p) => {
      const chosen = state.chosen && p.pair[0] === state.chosen[0] && p.pair[1] === state.chosen[1];
      const number = p.score == null ? p.count.toLocaleString("en") : `${p.score.toFixed(4)} (${p.count})`;
      return element("tr", { class: chosen ? "chosen" : p.tied ? "tied" : "" },
        element("td", { class: "name", text: p.pair.join(" + ") }),
        element("td", { class: "num", text: number }), bar((p.score ?? p.count) / top),
        element("td", { class: "tl-mark", text: `${chosen ? "chosen" : ""}${chosen && p.tied ? ", " : ""}${p.tied ? "tie" : ""}` }));
    })));
    if (!state.pairs.length) pairs.replaceChildren(element("p", { class: "tl-note", text: "No pair is left: every word is one symbol." }));
  }
  const redraw = frameLoop(draw);
  draw();
  model.on("change:position", redraw);
  model.on("change:path", redraw);
  const unwatch = watchTheme(root, () => {}); // brighter colours on a dark card
  return () => {
    unwatch();
    model.off("change:position", redraw);
    model.off("change:path", redraw);
  };
}

export default { render };

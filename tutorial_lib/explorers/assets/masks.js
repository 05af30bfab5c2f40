function presetCells(name, nQueries, nKeys, padding, window) {
  return Array.from({ length: nQueries }, (_, t) => Array.from({ length: nKeys }, (_, s) => {
    const back = t + nKeys - nQueries - s; // the last query stands at the last key
    const real = s < nKeys - padding;
    if (name === "causal") return back >= 0;
    if (name === "padding") return real;
    if (name === "both") return back >= 0 && real;
    if (name === "window") return back >= 0 && back < window;
    return true;
  }));
}

function rowWeights(visible, scores) {
  const seen = scores.filter((_, s) => visible[s]);
  if (!seen.length) return scores.map(() => 0);
  const largest = Math.max(...seen);
  const exponentials = scores.map((score, s) => (visible[s] ? Math.exp(score - largest) : 0));
  const total = exponentials.reduce((a, b) => a + b, 0);
  return exponentials.map((x) => x / total);
}

function render({ model, el }) {
  const [queries, keys] = [model.get("query_names"), model.get("key_names")];
  const [T, S] = [queries.length, keys.length];
  const root = element("div", { class: "tl-explorer tl-masks", role: "group", "aria-label": model.get("label") });
  const names = { causal: "causal", padding: "padding", both: "causal and padding", window: "window", custom: "custom" };
  const fromPreset = () => {
    if (model.get("preset") !== "custom") {
      model.set("cells", presetCells(model.get("preset"), T, S, model.get("padding"), model.get("window")));
    }
    model.save_changes();
    redraw();
  };
  const preset = element("select", { "aria-label": "Preset", onchange: () => {
    model.set("preset", preset.value);
    fromPreset();
  } }, ...Object.entries(names).map(([value, text]) => element("option", { value, text })));
  const padding = slider("Padding keys", { min: 0, max: S, value: model.get("padding"), change: (n) => {
    model.set("padding", n);
    fromPreset();
  } });
  const window = slider("Window", { min: 0, max: S, value: model.get("window"), change: (n) => {
    model.set("window", n);
    fromPreset();
  } });
  const scored = model.get("scores").flat().some((x) => x !== 0);
  const given = element("select", { "aria-label": "Scores", onchange: () => {
    model.set("given", given.value === "given");
    model.save_changes();
    redraw();
  } }, element("option", { value: "given", text: "as given" }), element("option", { value: "equal", text: "all equal" }));
  const controls = element("div", { class: "tl-controls" }, element("label", {}, "Preset", preset), padding.node, window.node);
  if (scored) controls.append(element("label", {}, "Scores", given));

  const help = "Click a square, or move with the arrow keys and press space, to show or hide a key.";
  const warning = element("p", { class: "tl-warning", role: "alert", hidden: true });
  const grid = element("div", { class: `tl-grid${S > 12 ? " tl-small" : S <= 6 ? " tl-large" : ""}`, role: "grid", "aria-label": "Mask: queries down, keys across" });
  grid.style.gridTemplateColumns = `max-content repeat(${S}, auto)`;
  grid.append(element("div", { role: "row", style: "display: contents" },
    element("div", { class: "tl-head", role: "columnheader", text: "query ↓  key →" }),
    ...keys.map((key) => element("div", { class: "tl-head col", role: "columnheader", text: key, title: key }))));
  let focus = [0, 0];
  const cells = queries.map((query, t) => {
    const row = element("div", { role: "row", style: "display: contents" }, element("div", { class: "tl-head", role: "rowheader", text: query, title: query }));
    const line = keys.map((_, s) => {
      const cell = element("div", { class: "tl-cell", role: "gridcell", tabindex: t || s ? -1 : 0, "data-lm-suppress-shortcuts": "true" });
      cell.addEventListener("click", () => { moveTo(t, s); toggle(t, s); });
      cell.addEventListener("keydown", (event) => key(event, t, s));
      return cell;
    });
    row.append(...line);
    grid.append(row);
    return line;
  });
  const note = element("p", { class: "tl-note", text: help });
  root.append(element("p", { class: "tl-title", text: model.get("label") }), controls,
    element("div", { class: "tl-scroll" }, grid), warning, note);
  el.append(root);

  function moveTo(t, s) {
    cells[focus[0]][focus[1]].tabIndex = -1;
    focus = [t, s];
    cells[t][s].tabIndex = 0;
    cells[t][s].focus();
  }

  function toggle(t, s) {
    const next = model.get("cells").map((row) => [...row]);
    next[t][s] = !next[t][s];
    model.set("preset", "custom");
    model.set("cells", next);
    model.save_changes();
    redraw();
  }

  function key(event, t, s) {
    const to = { ArrowUp: [t - 1, s], ArrowDown: [t + 1, s], ArrowLeft: [t, s - 1], ArrowRight: [t, s + 1], Home: [t, 0], End: [t, S - 1] }[event.key];
    if (to) moveTo(Math.max(0, Math.min(T - 1, to[0])), Math.max(0, Math.min(S - 1, to[1])));
    else if (event.key === " " || event.key === "Enter") toggle(t, s);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function draw() {
    const [mask, scores] = [model.get("cells"), model.get("scores")];
    const blind = [];
    mask.forEach((visible, t) => {
      const weights = rowWeights(visible, model.get("given") ? scores[t] : scores[t].map(() => 0));
      const none = !visible.some(Boolean);
      if (none) blind.push(queries[t]);
      visible.forEach((may, s) => {
        const cell = cells[t][s];
        const percent = `${Math.round(100 * weights[s])}%`;
        cell.classList.toggle("hidden", !may);
        cell.classList.toggle("blind", none);
        cell.textContent = may ? (S > 12 ? percent.slice(0, -1) : percent) : "";
        const ground = mixed(theme.card, theme.blue, 0.08 + 0.57 * weights[s]); // the ink stays readable on it
        cell.style.background = may ? `rgb(${ground.join()})` : "";
        cell.style.color = may ? inkOn(ground) : "";
        cell.setAttribute("aria-label", `${queries[t]} to ${keys[s]}: ${may ? `may look, weight ${percent}` : "hidden"}`);
      });
    });
    warning.hidden = !blind.length;
    warning.textContent = blind.length
      ? `${blind.length > 1 ? "Queries" : "Query"} ${blind.join(", ")} ${blind.length > 1 ? "see" : "sees"} no key: the softmax has nothing to share out, and a model would compute NaN here.`
      : "";
    const name = model.get("preset");
    preset.value = name;
    given.value = model.get("given") ? "given" : "equal";
    padding.node.style.display = name === "padding" || name === "both" ? "" : "none";
    window.node.style.display = name === "window" ? "" : "none";
    for (const [control, trait] of [[padding, "padding"], [window, "window"]]) {
      control.input.value = model.get(trait);
      control.node.querySelector("output").textContent = model.get(trait);
    }
  }
  const redraw = frameLoop(draw);
  let theme = readTheme(root);
  draw();
  const events = ["cells", "preset", "given", "padding", "window"].map((trait) => `change:${trait}`);
  for (const event of events) model.on(event, redraw);
  const unwatch = watchTheme(root, (now) => {
    theme = now;
    redraw();
  });
  return () => {
    unwatch();
    for (const event of events) model.off(event, redraw);
  };
}

export default { render };

function render({ model, el }) {
  const root = element("div", { class: "tl-explorer tl-asking tl-passes", role: "group", "aria-label": model.get("label") });
  const grid = element("div", { class: "tl-grid", role: "img" });
  const summary = element("p", { class: "tl-sum", role: "status", "aria-live": "polite" });
  const body = element("div", {}, grid, summary);

  function draw({ tokens, rows, never, of, expected, cut }) {
    const { anew } = model.get("request");
    const missed = new Set(never);
    grid.style.gridTemplateColumns = `max-content repeat(${tokens.length}, minmax(14px, 1fr))`;
    grid.replaceChildren(
      element("span", {}), ...tokens.map((token, i) => element("span", { class: `tl-head ${missed.has(i) ? "never" : ""}`, text: token, title: token })),
      ...rows.flatMap((places, pass) => {
        const hidden = new Set(places);
        return [element("span", { class: "tl-pass", text: `pass ${pass + 1}` }), ...tokens.map((_, i) => element("i", { class: `${hidden.has(i) ? "hidden" : ""} ${missed.has(i) ? "never" : ""}` }))];
      }));
    const share = of ? never.length / of : 0;
    const said = tokens.length ? `${never.length} of ${of} tokens (${Math.round(100 * share)} %) are never asked about in ${rows.length} ${rows.length === 1 ? "pass" : "passes"}; on average it would be ${Math.round(100 * expected)} %.` : "There is no text: type one.";
    grid.setAttribute("aria-label", `${anew ? "Dynamic" : "Static"} masks. ${said}`);
    summary.textContent = said + (cut ? ` Only the first ${tokens.length} tokens are shown.` : "");
    for (const [button, on] of [[fixed, !anew], [dynamic, anew]]) button.setAttribute("aria-pressed", String(on));
  }

  const asker = asking(model, { root, name: "Text", rows: 1, body, draw });
  const start = model.get("request");
  const fixed = element("button", { type: "button", text: "static: hidden once", onclick: () => asker.ask({ anew: false }) });
  const dynamic = element("button", { type: "button", text: "dynamic: anew in each pass", onclick: () => asker.ask({ anew: true }) });
  const passes = slider("Passes", { min: 1, max: 40, value: start.passes, change: (value) => asker.ask({ passes: value }) });
  const share = slider("Share", { min: 0.05, max: 0.5, step: 0.05, value: start.share, show: (value) => `${Math.round(100 * value)} %`, change: (value) => asker.ask({ share: value }) });
  root.append(
    element("p", { class: "tl-title", text: model.get("label") }),
    element("div", { class: "tl-controls" }, fixed, dynamic, passes.node, share.node,
      element("button", { type: "button", text: "Draw again", onclick: () => asker.ask({ seed: (model.get("request").seed ?? 0) + 1 }) }), asker.note),
    asker.error, body, asker.box);
  el.append(root);
  return asker.stop;
}

export default { render };

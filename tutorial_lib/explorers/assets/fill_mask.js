const FIXED = /^\[(PAD|CLS|SEP)\]$/;

function render({ model, el }) {
  const root = element("div", { class: "tl-explorer tl-asking tl-fill-mask", role: "group", "aria-label": model.get("label") });
  const chips = chipRow("Tokens of the text: choose one to hide it");
  const panels = element("div", { class: "tl-panels" });
  const summary = element("p", { class: "tl-note", role: "status", "aria-live": "polite" });
  const body = element("div", {}, chips.node, panels, summary);
  const help = "Type [MASK] for a gap, or click a token to hide it; click a hidden token again to show it. With the keyboard: arrow keys and Enter.";

  // A click hides a token; on a gap that is not shown yet it shows that one, on the one shown it takes its hiding back.
  function press(i) {
    const { places, place, hidden } = model.get("reply");
    if (!places.includes(i)) asker.ask({ hidden: [...hidden, i], place: i });
    else if (i === place && hidden.includes(i)) asker.ask({ hidden: hidden.filter((other) => other !== i), place: -1 });
    else asker.ask({ place: i });
  }

  function chip(token, i, { places, place, hidden }) {
    if (FIXED.test(token)) return element("span", { class: "tl-chip tl-special", text: token });
    const gap = places.includes(i);
    const said = gap ? `${token}, gap ${places.indexOf(i) + 1} of ${places.length}${i === place ? ", shown below" : ""}${hidden.includes(i) ? ", hidden by you" : ""}` : `${token}: hide it`;
    return element("button", { type: "button", class: `tl-chip ${gap ? "gap" : ""}`, text: token, "aria-label": said, "aria-current": i === place ? "true" : null, "data-place": i, "data-lm-suppress-shortcuts": "true", onclick: () => press(i) });
  }

  // All panels have one scale: highest, the largest probability; longest, the letters of a label.
  function panel({ name, rows, right }, highest, longest) {
    const list = element("div", { role: "list", "aria-label": `Most probable tokens ${name}` }, ...rows.map(([token, probability]) => barRow({
      label: token, fraction: probability / highest, words: probability.toFixed(3), kind: right && right[0] === token ? "right" : "",
    })));
    list.style.setProperty("--label", `${Math.min(Math.max(3, 0.66 * longest + 1), 12)}em`);
    const told = right ? `It was “${right[0]}”: probability ${right[1].toPrecision(3)}, rank ${right[2].toLocaleString("en")}.` : "";
    return element("figure", {}, element("figcaption", { text: name }), list, element("p", { class: "tl-note", text: told }));
  }

  function draw(reply) {
    chips.draw(reply.tokens.map((token, i) => chip(token, i, reply)));
    const rows = reply.panels.flatMap((one) => one.rows);
    const highest = Math.max(...rows.map(([, probability]) => probability)) || 1;
    const longest = Math.max(...rows.map(([token]) => Array.from(token).length));
    panels.replaceChildren(...reply.panels.map((one) => panel(one, highest, longest)));
    const cut = reply.cut ? ` The model reads no more tokens: ${reply.cut} were left out.` : "";
    summary.textContent = (reply.places.length ? help : `There is no gap. ${help}`) + cut;
    summary.classList.toggle("tl-warning", Boolean(cut));
  }

  const asker = asking(model, { root, name: "Text with [MASK]", body, draw, typed: () => ({ hidden: [], place: -1 }) });
  const left = element("input", { type: "checkbox", checked: Boolean(model.get("request").left), "aria-label": "Compare with the left side only", onchange: () => asker.ask({ left: left.checked }) });
  root.append(
    element("p", { class: "tl-title", text: model.get("label") }),
    asker.box,
    element("div", { class: "tl-controls" },
      element("label", {}, left, "compare with the left side only"),
      element("button", { type: "button", text: "Show all words", onclick: () => asker.ask({ hidden: [], place: -1 }) }), asker.note),
    asker.error, body);
  el.append(root);
  return asker.stop;
}

export default { render };

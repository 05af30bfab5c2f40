const FIXED = /^\[(PAD|CLS|SEP)\]$/;

function render({ model, el }) {
  const root = element("div", { class: "tl-explorer tl-asking tl-fill-mask tl-student", role: "group", "aria-label": model.get("label") });
  const chips = chipRow("Tokens of the text: choose one to hide it");
  const bars = element("div", { role: "list", "aria-label": "Most probable tokens: teacher and student" });
  const key = element("p", { class: "tl-key" });
  const summary = element("p", { class: "tl-sum", role: "status", "aria-live": "polite" });
  const body = element("div", {}, chips.node, key, bars, summary);

  function press(i) {
    const { places, place, hidden } = model.get("reply");
    if (!places.includes(i)) asker.ask({ hidden: [...hidden, i], place: i });
    else if (i === place && hidden.includes(i)) asker.ask({ hidden: hidden.filter((other) => other !== i), place: -1 });
    else asker.ask({ place: i });
  }

  function chip(token, i, { places, place }) {
    if (FIXED.test(token)) return element("span", { class: "tl-chip tl-special", text: token });
    const gap = places.includes(i);
    return element("button", { type: "button", class: `tl-chip ${gap ? "gap" : ""}`, text: token, "aria-label": gap ? `${token}, gap${i === place ? ", shown below" : ""}` : `${token}: hide it`, "aria-current": i === place ? "true" : null, "data-place": i, "data-lm-suppress-shortcuts": "true", onclick: () => press(i) });
  }

  // Two bars a token on one scale: the teacher's above, the student's below.
  function pair([token, ours, theirs], highest) {
    const track = (kind, p) => {
      const bar = element("i", { class: kind });
      bar.style.width = `${(100 * p) / highest}%`;
      return element("span", { class: "tl-track" }, bar);
    };
    return element("div", { class: "tl-row", role: "listitem", "aria-label": `${token}: teacher ${ours.toFixed(3)}, student ${theirs.toFixed(3)}` },
      element("span", { class: "tl-label", text: token, title: token }),
      element("span", { class: "tl-pair" }, track("teacher", ours), track("student", theirs)),
      element("span", { class: "tl-numbers" }, element("span", { text: ours.toFixed(3) }), element("span", { text: theirs.toFixed(3) })));
  }

  function draw(reply) {
    chips.draw(reply.tokens.map((token, i) => chip(token, i, reply)));
    const highest = Math.max(...reply.rows.flatMap(([, ours, theirs]) => [ours, theirs]), 1e-9);
    const longest = Math.max(3, ...reply.rows.map(([token]) => Array.from(token).length));
    bars.style.setProperty("--label", `${Math.min(0.66 * longest + 1, 12)}em`);
    bars.replaceChildren(...reply.rows.map((row) => pair(row, highest)));
    key.hidden = !reply.rows.length;
    key.replaceChildren(element("b", { class: "teacher", text: "teacher" }), ` above, `, element("b", { class: "student", text: reply.student }), ` below, at temperature ${reply.temperature.toFixed(1)}`);
    summary.textContent = (reply.divergence === null ? "There is no gap: type [MASK] or click a token." : `KL(teacher ‖ student) = ${reply.divergence.toFixed(2)} nats at this temperature; 0 would be the same answers.`)
      + (reply.cut ? ` The text is too long for the models: the last ${reply.cut} tokens were left out.` : "");
    who.value = reply.student;
  }

  const asker = asking(model, { root, name: "Text with [MASK]", rows: 1, body, draw, typed: () => ({ hidden: [], place: -1 }) });
  const { students } = model.get("reply");
  const who = element("select", { "aria-label": "Student", onchange: () => asker.ask({ student: who.value }) }, ...(students ?? []).map((name) => element("option", { value: name, text: name })));
  const temperature = slider("Temperature", { min: 0.5, max: 8, step: 0.5, value: model.get("request").temperature, show: (value) => value.toFixed(1), change: (value) => asker.ask({ temperature: value }) });
  root.append(
    element("p", { class: "tl-title", text: model.get("label") }),
    asker.box,
    element("div", { class: "tl-controls" }, element("label", {}, "Student", who), temperature.node,
      element("button", { type: "button", text: "Show all words", onclick: () => asker.ask({ hidden: [], place: -1 }) }), asker.note),
    asker.error, body);
  el.append(root);
  return asker.stop;
}

export default { render };

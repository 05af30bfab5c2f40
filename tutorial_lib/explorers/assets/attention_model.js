// The part below the views when a model stands behind them: text to type, a head to break, outputs.
// Returns { node, stop }.

function modelPanel(model, chosenHead) {
  const longest = 4000;
  const wait = 120;
  const tied = [];
  const on = (names, react) => {
    tied.push([names, react]);
    for (const name of names) model.on(`change:${name}`, react);
  };
  const field = (name, label, hint) => {
    let timer = null; // one a field: what was typed in another is not forgotten
    const input = element("input", { type: "text", "aria-label": label, placeholder: hint, value: model.get(name) });
    input.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        model.set(name, input.value.slice(0, longest));
        model.save_changes();
      }, wait);
    });
    on([name], () => {
      if (document.activeElement !== input) input.value = model.get(name);
    });
    return element("label", {}, element("span", { class: "tl-field", text: label }), input);
  };
  const ways = [["zero", "Zero it"], ["uniform", "Make it uniform"], ["patch", "Patch it from the other input"]];
  const buttons = ways.map(([how, text]) => element("button", {
    type: "button", text, "aria-pressed": "false",
    onclick: () => breakHead({ how, ...chosenHead() }),
  }));
  const repair = element("button", { type: "button", text: "Repair", onclick: () => breakHead({}) });
  const status = element("output", { class: "tl-status", "aria-live": "polite" });
  const table = element("div", { class: "tl-outputs", role: "table", "aria-label": "Outputs before and after" });
  const node = element("div", { class: "tl-model" },
    element("div", { class: "tl-fields" }, ...model.get("fields").map((about) => field(...about))),
    element("div", { class: "tl-controls", role: "group", "aria-label": "Break the chosen head" },
      element("strong", { text: "Break it:" }), ...buttons, repair, status),
    table);

  function breakHead(broken) {
    status.textContent = "running …";
    model.set("broken", broken);
    model.save_changes();
  }
  function cell(text, title = text, role = "cell") {
    return element("span", { role, text, title });
  }
  function refresh() {
    const broken = model.get("broken");
    const is = Boolean(broken.how);
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(ways[i][0] === broken.how)));
    repair.disabled = !is;
    const names = { zero: "gives zeros", uniform: "looks everywhere alike", patch: "gives what it gave for the other input" };
    status.textContent = is ? `Layer ${broken.layer}, head ${broken.head} ${names[broken.how]}.` : "Nothing is broken.";
    const outputs = model.get("outputs");
    table.hidden = outputs.length === 0;
    // The longest bar is the largest change, so that small ones can be compared; never less than 0.01.
    const full = Math.max(0.01, ...outputs.map(({ before, after }) => Math.abs(after - before)));
    const place = (change) => {
      const width = (50 * Math.abs(change)) / full;
      return `left:${change < 0 ? 50 - width : 50}%;width:${width}%`;
    };
    const row = (...cells) => element("div", { role: "row", style: "display:contents" }, ...cells);
    const titles = [model.get("outputs_title"), "before", "after", "change", `bar: −${full.toFixed(2)} to ${full.toFixed(2)}`];
    table.replaceChildren(
      row(...titles.map((text) => element("strong", { role: "columnheader", text }))),
      ...outputs.map(({ label, before, after }) => {
        const change = after - before;
        const bar = element("i", { class: change < 0 ? "tl-less" : "tl-more", style: place(change) });
        return row(cell(readable(label, 30), label, "rowheader"), cell(before.toFixed(3)), cell(after.toFixed(3)),
          cell(change === 0 ? "0" : change.toFixed(4)),
          element("span", { role: "cell", class: "tl-bar", "aria-hidden": "true" }, bar));
      }));
  }
  on(["broken", "outputs", "outputs_title", "notes"], refresh);
  refresh();
  const stop = () => {
    for (const [names, react] of tied) for (const name of names) model.off(`change:${name}`, react);
  };
  return { node, stop };
}

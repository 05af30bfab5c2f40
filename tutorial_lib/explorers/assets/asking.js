// A text box whose text goes to Python when typing rests. `ask(changes)` asks at once, with some of the request
// changed; `typed()` gives what a new text changes besides. An answer that was overtaken is dropped.
function asking(model, { root, name, rows = 2, body, draw, typed = () => ({}) }) {
  const WAIT = 90; // milliseconds without typing before Python is asked
  const box = element("textarea", { "aria-label": name, rows, dir: "auto", spellcheck: "false" });
  box.value = model.get("request").text ?? "";
  const note = element("span", { class: "tl-note", role: "status", "aria-live": "polite" });
  const error = element("p", { class: "tl-warning", role: "alert", hidden: true });
  let timer = null;
  let newest = model.get("request").number ?? 0;

  function ask(changes) {
    clearTimeout(timer);
    newest = (model.get("request").number ?? 0) + 1;
    body.classList.add("waiting");
    model.set("request", { ...model.get("request"), text: box.value, ...changes, number: newest });
    model.save_changes();
  }
  box.addEventListener("input", () => {
    const limit = model.get("limit");
    let cut = false;
    if (box.value.length > limit) {
      // Count in characters, as Python does; never split a surrogate pair.
      const start = [...box.value.slice(0, 2 * limit + 2)];
      cut = start.length > limit;
      if (cut) box.value = start.slice(0, limit).join("");
    }
    note.textContent = cut ? `Only the first ${limit.toLocaleString("en")} characters are kept.` : "";
    note.className = cut ? "tl-warning" : "tl-note";
    clearTimeout(timer);
    timer = setTimeout(() => ask(typed()), WAIT);
  });

  const redraw = frameLoop(() => {
    const reply = model.get("reply");
    body.classList.remove("waiting");
    error.hidden = !reply.error;
    error.textContent = reply.error ?? "";
    body.hidden = Boolean(reply.error);
    if (!reply.error) draw(reply);
  });
  const replied = () => {
    if ((model.get("reply").number ?? 0) >= newest) redraw();
  };
  const asked = () => {
    const request = model.get("request");
    newest = Math.max(newest, request.number ?? 0);
    if (document.activeElement !== box && box.value !== request.text) box.value = request.text;
  };
  model.on("change:reply", replied);
  model.on("change:request", asked);
  redraw();
  const unwatch = watchTheme(root, () => {}); // brighter colours on a dark card
  const stop = () => {
    clearTimeout(timer);
    unwatch();
    model.off("change:reply", replied);
    model.off("change:request", asked);
  };
  return { box: element("label", { class: "tl-box" }, name, box), note, error, ask, stop };
}

// A row of chips, those that are buttons with their number as data-place. Arrow keys go from one to the next, and the
// one with the focus keeps it when all are drawn anew.
function chipRow(label) {
  const node = element("div", { class: "tl-chips", role: "toolbar", "aria-label": label });
  let focused = 0;
  node.addEventListener("keydown", (event) => {
    const buttons = [...node.querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    event.stopPropagation();
    buttons[Math.max(0, Math.min(buttons.length - 1, to))].focus();
  });
  node.addEventListener("focusin", (event) => { focused = Number(event.target.dataset.place ?? 0); });
  const draw = (chips) => {
    const hadFocus = node.contains(document.activeElement);
    node.replaceChildren(...chips);
    if (hadFocus) node.querySelector(`[data-place="${focused}"]`)?.focus();
  };
  return { node, draw };
}

// A row of bars: fraction from 0 to 1, a mark at `target` where one is given.
function barRow({ label, fraction, target = null, words, kind = "" }) {
  const bar = element("i", { class: kind });
  bar.style.width = `${100 * Math.min(fraction, 1)}%`;
  const track = element("span", { class: "tl-track" }, bar);
  if (target !== null) {
    const mark = element("b", {});
    mark.style.left = `${100 * target}%`;
    track.append(mark);
  }
  return element("div", { class: "tl-row", role: "listitem" }, element("span", { class: "tl-label", text: label, title: label }), track, element("span", { text: words }));
}

const HELP = "Point at a token, or move through a strip with the arrow keys, to see its id and bytes.";
const WAIT = 90; // milliseconds without typing before Python is asked

function render({ model, el }) {
  const root = element("div", { class: "tl-explorer tl-tokens", role: "group", "aria-label": model.get("label") });
  const box = element("textarea", { "aria-label": "Text to cut into tokens", rows: 3, dir: "auto", spellcheck: "false" });
  box.value = model.get("request").text ?? "";
  const ids = element("input", { type: "checkbox", "aria-label": "Show ids", checked: true, onchange: () => rows.classList.toggle("plain", !ids.checked) });
  const note = element("span", { class: "tl-note", role: "status", "aria-live": "polite" });
  const rows = element("div", {});
  const detail = element("div", { class: "tl-note tl-detail", role: "status", "aria-live": "polite", text: HELP });
  root.append(
    element("p", { class: "tl-title", text: model.get("label") }),
    element("label", { class: "tl-box" }, "Text", box),
    element("div", { class: "tl-controls" }, element("label", {}, ids, "ids"), note),
    rows, detail);
  el.append(root);

  let timer = null;
  let newest = model.get("request").number ?? 0;
  function typed() {
    const limit = model.get("limit");
    let pasted = 0;
    if (box.value.length > limit) {
      // Count in characters, as Python does; never split a surrogate pair.
      const start = [...box.value.slice(0, 2 * limit + 2)];
      if (start.length > limit) {
        pasted = box.value.length;
        box.value = start.slice(0, limit).join("");
      }
    }
    note.textContent = pasted ? `Only the first ${limit.toLocaleString("en")} characters are kept.` : "";
    note.className = pasted ? "tl-warning" : "tl-note";
    rows.classList.add("waiting");
    clearTimeout(timer);
    timer = setTimeout(() => {
      newest = (model.get("request").number ?? 0) + 1;
      model.set("request", { number: newest, text: box.value });
      model.save_changes();
    }, WAIT);
  }
  box.addEventListener("input", typed);

  function explain(name, token) {
    detail.textContent = `${name}: “${token[0]}” is id ${token[1]}, bytes ${token[2] || "none"}`;
  }

  const CHIPS = [0, 1, 2, 3, 4].map((colour) =>
    element("span", { class: `tl-token c${colour}`, role: "option" }, "?", element("small", { text: "?" })));

  function strip(row) {
    const node = element("div", { class: "tl-strip", tabindex: 0, role: "listbox", "aria-label": `Tokens of ${row.name}`, "data-lm-suppress-shortcuts": "true" });
    // Thousands of chips: copies of one, changed as little as can be, put in at once.
    const all = document.createDocumentFragment();
    row.tokens.forEach((token, i) => {
      const chip = CHIPS[i % CHIPS.length].cloneNode(true);
      chip.firstChild.data = token[0] || "∅";
      chip.lastChild.firstChild.data = token[1];
      all.append(chip);
    });
    node.append(all);
    const chips = node.children;
    let active = -1;
    const light = (i) => {
      chips[active]?.classList.remove("active");
      active = i;
      chips[i].classList.add("active");
      explain(row.name, row.tokens[i]);
    };
    node.addEventListener("mouseover", (event) => {
      const chip = event.target.closest(".tl-token");
      if (chip) light([...chips].indexOf(chip));
    });
    node.addEventListener("keydown", (event) => {
      const to = { ArrowRight: active + 1, ArrowLeft: active - 1, Home: 0, End: chips.length - 1 }[event.key];
      if (to === undefined || !chips.length) return;
      event.preventDefault();
      event.stopPropagation();
      light(Math.max(0, Math.min(chips.length - 1, to)));
      chips[active].scrollIntoView({ block: "nearest" });
    });
    return node;
  }

  function tokenizerRow(row) {
    if (row.error) {
      return element("div", { class: "tl-row" }, element("strong", { text: row.name }),
        element("div", { class: "tl-warning", role: "alert", text: row.error }));
    }
    const n = row.tokens.length;
    const per = n && row.characters ? `${(row.characters / n).toFixed(2)} characters a token` : "nothing to cut";
    return element("div", { class: "tl-row" },
      element("div", { class: "tl-head" }, element("strong", { text: row.name }),
        element("span", { class: "tl-note", text: `${n.toLocaleString("en")} tokens · ${per} · ${row.characters.toLocaleString("en")} characters · ${row.bytes.toLocaleString("en")} bytes` })),
      strip(row));
  }

  function draw() {
    rows.classList.remove("waiting");
    detail.textContent = HELP;
    rows.replaceChildren(...(model.get("reply").rows ?? []).map(tokenizerRow));
  }
  const redraw = frameLoop(draw);
  const replied = () => {
    if ((model.get("reply").number ?? 0) >= newest) redraw(); // an older one was overtaken
  };
  const asked = () => {
    const request = model.get("request");
    newest = Math.max(newest, request.number ?? 0);
    if (document.activeElement !== box && box.value !== request.text) box.value = request.text;
  };
  draw();
  model.on("change:reply", replied);
  model.on("change:request", asked);
  const unwatch = watchTheme(root, () => {}); // brighter colours on a dark card
  return () => {
    unwatch();
    clearTimeout(timer);
    model.off("change:reply", replied);
    model.off("change:request", asked);
  };
}

export default { render };

// A table on a canvas: a row for each layer, the last on top, a column for each token that was read.

function render({ model, el }) {
  const root = element("div", { class: "tl-explorer tl-asking tl-logit-lens", role: "group", "aria-label": model.get("label") });
  const canvas = element("canvas", {
    tabindex: "0", role: "application", "data-lm-suppress-shortcuts": "true",
    "aria-label": "Layers by positions. Arrow keys move, Enter follows the token of a square, Escape follows none.",
  });
  const caption = element("figcaption", { "aria-live": "polite" });
  const list = element("div", { role: "list", "aria-label": "The likeliest next tokens there" });
  const next = element("p", { class: "tl-note" });
  const square = element("figure", { class: "tl-square" }, caption, list, next);
  const told = element("p", { class: "tl-note", role: "status", "aria-live": "polite" });
  const release = element("button", { type: "button", text: "Follow none", onclick: () => follow(-1) });
  const body = element("div", {}, element("div", { class: "tl-controls" }, release, told), element("div", { class: "tl-panels" }, element("div", { class: "tl-scroll" }, canvas), square));
  const [left, top] = [66, 4];
  let [high, wide, theme, places, shares, followed] = [18, 66, null, null, null, null];
  const state = { T: 0, S: 0, row: 0, column: 0, pointed: null };

  // Row 0 of the canvas is the last layer; `cell` is where its numbers begin among all layers' ones.
  const layerOf = (row) => state.T - 1 - row;
  const cell = (row, column) => (layerOf(row) * state.S + column) * shown.listed;
  let shown = {}; // the reply that is drawn; the newest one may have another size
  const layerName = (row) => (layerOf(row) ? `layer ${layerOf(row)}` : "input");
  const shareAt = (row, column) => (followed ? followed[layerOf(row) * state.S + column] : shares[cell(row, column)]);
  const at = () => state.pointed ?? state;

  function update(changes) {
    Object.assign(state, changes);
    paint();
  }
  function follow(id) {
    model.set("follow", id);
    model.save_changes();
  }
  function choose({ row, column }) {
    const id = shown.ids[places[cell(row, column)]];
    update({ row, column });
    follow(id === model.get("follow") ? -1 : id);
  }
  gridEvents(canvas, state, update, {
    grid: () => ({ left, top, width: wide, height: high }),
    choose,
    step: ([down, right]) => update({
      pointed: null,
      row: Math.min(Math.max(state.row + down, 0), state.T - 1),
      column: Math.min(Math.max(state.column + right, 0), state.S - 1),
    }),
    leave: () => follow(-1),
  });
  canvas.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    if (state.T) choose(state);
  });

  const paint = frameLoop(() => {
    if (!theme || !state.T) return;
    const { tokens, words, ids, next: following } = shown;
    const context = sizedContext(canvas, left + state.S * wide + 8, top + state.T * high + 24);
    context.textBaseline = "middle";
    for (let row = 0; row < state.T; row++) {
      const middle = top + (row + 0.5) * high;
      context.font = "12px system-ui, sans-serif";
      context.textAlign = "right";
      context.fillStyle = theme.muted;
      context.fillText(layerName(row), left - 8, middle);
      context.textAlign = "center";
      for (let column = 0; column < state.S; column++) {
        const place = places[cell(row, column)];
        const ground = theme.mix(shareAt(row, column));
        const x = left + column * wide;
        context.fillStyle = `rgb(${ground})`;
        context.fillRect(x, top + row * high, wide, high);
        if (ids[place] === following[column]) {
          context.strokeStyle = theme.green;
          context.lineWidth = 2;
          context.strokeRect(x + 2, top + row * high + 1.5, wide - 4, high - 3);
        }
        context.fillStyle = inkOn(ground);
        context.fillText(readable(words[place], 9), x + wide / 2, middle, wide - 8);
      }
    }
    context.fillStyle = theme.ink;
    tokens.forEach((token, column) => context.fillText(readable(token, 9), left + (column + 0.5) * wide, top + state.T * high + 12, wide - 6));
    context.strokeStyle = theme.line;
    context.lineWidth = 1;
    context.strokeRect(left - 0.5, top - 0.5, state.S * wide + 1, state.T * high + 1);
    const here = at();
    context.strokeStyle = theme.amber;
    context.lineWidth = 2;
    context.strokeRect(left + here.column * wide, top + here.row * high, wide, high);
    tell(here);
  });

  function tell({ row, column }) {
    const { tokens, words, ids, next: following, listed } = shown;
    const start = cell(row, column);
    const rows = Array.from({ length: listed }, (_, i) => ({
      label: words[places[start + i]], fraction: shares[start + i], words: shares[start + i].toFixed(3),
      kind: ids[places[start + i]] === following[column] ? "right" : "",
    }));
    const where = layerOf(row) ? `After layer ${layerOf(row)}` : "Before the first layer";
    const said = `${where}, at “${tokens[column]}”`;
    const really = column + 1 < tokens.length ? `What comes next: “${tokens[column + 1]}”.` : "";
    // Announced only when something else is shown.
    if (caption.textContent !== said) caption.textContent = said;
    list.replaceChildren(...rows.map(barRow));
    next.textContent = really;
  }

  function tellFollowed() {
    const { name } = model.get("followed");
    release.disabled = !name;
    const key = element("span", { class: "tl-key" });
    const { left_out: leftOut } = shown;
    const cut = leftOut ? ` Only the first ${state.S} of ${state.S + leftOut} tokens are read.` : "";
    if (!state.T) told.replaceChildren("Type a text.");
    else if (name) told.replaceChildren(`The stronger the colour, the likelier “${name}” is as the next token.${cut}`);
    else told.replaceChildren("Each square names the likeliest next token; the stronger its colour, the likelier. ", key, ` This token does come next. Click a square to follow its token.${cut}`);
  }

  function draw(reply) {
    shown = reply;
    const { tokens, layers, places: bytes, shares: half } = reply;
    places = layers && new Int32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    shares = layers && fromFloat16(half);
    canvas.hidden = square.hidden = !layers;
    const kept = state.S === tokens.length && state.T === layers;
    state.T = layers;
    state.S = tokens.length;
    takeFollowed();
    high = layers > 14 ? 18 : 24;
    wide = Math.max(52, Math.min(78, 760 / Math.max(state.S, 1)));
    if (!kept) update({ row: 0, column: Math.max(0, state.S - 1), pointed: null });
    else paint();
    tellFollowed();
  }

  function takeFollowed() {
    const { shares: half } = model.get("followed");
    followed = half ? fromFloat16(half) : null;
    if (followed?.length !== state.T * state.S) followed = null; // of a text that is not drawn yet
  }
  const changed = () => {
    takeFollowed();
    tellFollowed();
    paint();
  };

  const asker = asking(model, { root, name: "Text", body, draw });
  root.append(element("p", { class: "tl-title", text: model.get("label") }), asker.box, asker.note, asker.error, body);
  el.append(root);
  model.on("change:followed", changed);
  const unwatch = watchTheme(root, (now) => { theme = now; paint(); });
  return () => {
    asker.stop();
    unwatch();
    model.off("change:followed", changed);
  };
}

export default { render };

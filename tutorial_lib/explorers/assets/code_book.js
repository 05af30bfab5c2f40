// A picture as codes. Pictures, codes and what each code stands for are in the page; only decoding asks Python.

const SIDE = 224; // of the three pictures
const THUMB = 60;
const WAIT = 90; // milliseconds without another swap before Python is asked to decode

function render({ model, el }) {
  const root = element("div", { class: "tl-explorer tl-codes", role: "group", "aria-label": model.get("label") });
  const [rows, columns] = model.get("grid");
  const [nCodes, names, use] = [model.get("n_codes"), model.get("names"), model.get("use")];
  const bytes = model.get("codes");
  const codes = Array.from({ length: bytes.byteLength / 2 }, (_, i) => bytes.getUint16(2 * i, true));
  const nCells = rows * columns;
  // The book in the order of use: the most used code first.
  const book = Array.from({ length: nCodes }, (_, code) => code).sort((a, b) => use[b] - use[a] || a - b);
  const rankOf = new Map(book.map((code, rank) => [code, rank]));
  const nUsed = Math.max(1, use.filter((count) => count).length); // the others have no look
  const TILE = nUsed <= 64 ? 32 : nUsed <= 160 ? 26 : 20; // a code of the book
  let theme = null;
  let pending = null; // swaps that Python does not know yet
  let timer = null;
  let others = []; // the pictures in the row below: [number, its cells with the code]
  let focused = 0; // which of them the arrow keys are at
  let across = 1; // tiles in a row of the book
  let drawn = null; // the state that the canvases show
  let drawnDecoded = null;
  let under = null; // the code under the pointer
  let counted = { total: 0, many: 0 }; // cells and pictures with the chosen code

  const inside = (value, count) => Math.min(Math.max(value, 0), count - 1);
  const swaps = () => pending ?? model.get("swaps");
  function set(values) {
    clearTimeout(timer);
    if (pending && !("swaps" in values) && !("picture" in values)) values.swaps = pending;
    pending = null;
    for (const [name, value] of Object.entries(values)) model.set(name, value);
    model.save_changes();
  }
  // The page shows a swap at once, and Python decodes when no other follows.
  function swap(code) {
    const { cell, own } = now();
    const { [cell]: _, ...rest } = swaps();
    pending = code === own[cell] ? rest : { ...rest, [cell]: code };
    clearTimeout(timer);
    timer = setTimeout(() => set({ swaps: pending }), WAIT);
    redraw();
  }
  function now() {
    const picture = model.get("picture");
    const own = codes.slice(picture * nCells, (picture + 1) * nCells);
    const shown = own.slice();
    for (const [cell, code] of Object.entries(swaps())) shown[cell] = code;
    const cell = model.get("row") * columns + model.get("column");
    return { picture, own, shown, cell, code: shown[cell] };
  }

  // The same colours as the static figure's: neighbours in number are far apart in hue.
  const hue = (code) => (code * 137.508) % 360;
  const hslToRgb = (h, s, l) => [0, 8, 4].map((n) => {
    const k = (n + h / 30) % 12;
    return Math.round(255 * (l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  });
  const colourOf = (code) => hslToRgb(hue(code), 0.5, theme.dark ? 0.36 : 0.76);

  const height = Math.round((SIDE * model.get("sheet").height) / model.get("sheet").width);
  const cellSize = () => [SIDE / columns, height / rows];
  function board(label) {
    const canvas = element("canvas", { tabindex: "0", role: "application", "aria-label": `${label} A click or the arrow keys choose a cell.`, "data-lm-suppress-shortcuts": "true" });
    gridEvents(canvas, { T: rows, S: columns, pointed: null }, () => {}, {
      grid: () => ({ left: 0, top: 0, width: cellSize()[0], height: cellSize()[1] }),
      choose: ({ row, column }) => set({ row, column }),
      step: ([down, right]) => set({ row: inside(model.get("row") + down, rows), column: inside(model.get("column") + right, columns) }),
    });
    return canvas;
  }
  const original = board("The picture, cut into cells.");
  const grid = board("Its codes.");
  const made = board("What the decoder makes of the codes.");

  const bookBoard = element("canvas", { tabindex: "0", role: "application", "aria-label": "The code book, the most used code first. A click or the arrow keys put a code into the chosen cell.", "data-lm-suppress-shortcuts": "true" });
  const bookSize = { T: 1, S: 1, pointed: null };
  const putRank = (rank) => rank < nUsed && swap(book[rank]);
  gridEvents(bookBoard, bookSize, ({ pointed }) => { bookSize.pointed = pointed; anew(); }, {
    grid: () => ({ left: 0, top: 0, width: TILE, height: TILE }),
    choose: ({ row, column }) => putRank(row * across + column),
    step: ([down, right]) => putRank(inside(rankOf.get(now().code) + down * across + right, nUsed)),
  });

  const bars = element("canvas", { role: "img" });
  const othersBoard = element("canvas", { tabindex: "0", role: "application", "data-lm-suppress-shortcuts": "true" });
  const goTo = ([picture, cells]) => set({ picture, row: Math.floor(cells[0] / columns), column: cells[0] % columns, swaps: {} });
  const othersSize = { T: 1, S: 1, pointed: null };
  gridEvents(othersBoard, othersSize, () => {}, {
    grid: () => ({ left: 0, top: 0, width: THUMB + 6, height: THUMB + 6 }),
    choose: ({ row, column }) => others[row * othersSize.S + column] && goTo(others[row * othersSize.S + column]),
    step: ([down, right]) => {
      focused = inside(focused + down * othersSize.S + right, Math.max(1, others.length));
      anew();
    },
  });
  othersBoard.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !others[focused]) return;
    event.preventDefault();
    goTo(others[focused]);
  });

  const which = element("select", { "aria-label": "Picture", onchange: () => set({ picture: Number(which.value), swaps: {} }) },
    ...names.map((name, i) => element("option", { value: i, text: name })));
  const put = slider("Code in the cell", { min: 0, max: nCodes - 1, value: 0, change: swap });
  const back = element("button", { type: "button", text: "Put all back", onclick: () => set({ swaps: {} }) });
  const readout = element("output", { class: "tl-readout", "aria-live": "polite" });
  const warning = element("p", { class: "tl-warning", role: "alert", hidden: true });
  const othersWords = element("span");
  const barsWords = element("span");

  function gridLines(context, width, high, colour) {
    context.globalAlpha = 0.5;
    for (let i = 1; i < columns; i++) strokeLine(context, [[(i * width) / columns, 0], [(i * width) / columns, high]], colour, 0.6);
    for (let i = 1; i < rows; i++) strokeLine(context, [[0, (i * high) / rows], [width, (i * high) / rows]], colour, 0.6);
    context.globalAlpha = 1;
  }
  function frame(context, cell, colour, thick = 3, x = 0, y = 0, width = SIDE, high = height) {
    const [w, h] = [width / columns, high / rows];
    const corner = [x + (cell % columns) * w, y + Math.floor(cell / columns) * h];
    for (const [ink, size] of [["#fff", thick + 2], [colour, thick]]) {
      [context.strokeStyle, context.lineWidth] = [ink, size];
      context.strokeRect(corner[0] + 1, corner[1] + 1, w - 2, h - 2);
    }
  }

  function drawBoards({ picture, shown, own, cell }) {
    const context = sizedContext(original, SIDE, height);
    context.imageSmoothingEnabled = false;
    sheet.draw(context, picture, 0, 0, SIDE, height);
    gridLines(context, SIDE, height, "#888");
    frame(context, cell, theme.blue);
    const [w, h] = cellSize();
    const coded = sizedContext(grid, SIDE, height);
    coded.textAlign = "center";
    coded.textBaseline = "middle";
    const size = Math.min(12, w / 2.1, h / 1.4);
    coded.font = `${size}px system-ui, sans-serif`;
    shown.forEach((code, i) => {
      const ground = colourOf(code);
      const [x, y] = [(i % columns) * w, Math.floor(i / columns) * h];
      coded.fillStyle = `rgb(${ground})`;
      coded.fillRect(x, y, w - 0.7, h - 0.7);
      coded.fillStyle = inkOn(ground);
      if (size >= 7.5) coded.fillText(code, x + w / 2, y + h / 2 + 0.5);
      if (code !== own[i]) {
        [coded.strokeStyle, coded.lineWidth] = [inkOn(ground), 2.5];
        coded.strokeRect(x + 2, y + 2, w - 4.7, h - 4.7);
      }
    });
    frame(coded, cell, theme.blue);
  }

  function drawBook({ code }) {
    const wide = root.clientWidth - 30;
    across = Math.max(1, Math.min(Math.floor(wide / TILE), Math.ceil(nUsed / Math.min(6, Math.ceil(nUsed / 8)))));
    const down = Math.ceil(nUsed / across);
    [bookSize.T, bookSize.S] = [down, across];
    const context = sizedContext(bookBoard, across * TILE, down * TILE);
    context.imageSmoothingEnabled = false;
    const outline = (rank, colour, thick) => {
      const [x, y] = [(rank % across) * TILE, Math.floor(rank / across) * TILE];
      for (const [ink, size] of [["#fff", thick + 2], [colour, thick]]) {
        [context.strokeStyle, context.lineWidth] = [ink, size];
        context.strokeRect(x + 1, y + 1, TILE - 3, TILE - 3);
      }
    };
    book.slice(0, nUsed).forEach((each, rank) => {
      const [x, y] = [(rank % across) * TILE, Math.floor(rank / across) * TILE];
      looks.draw(context, each, x, y, TILE - 1, TILE - 1);
      [context.strokeStyle, context.lineWidth] = [theme.line, 1];
      context.strokeRect(x + 0.5, y + 0.5, TILE - 2, TILE - 2);
    });
    const at = bookSize.pointed && bookSize.pointed.row * across + bookSize.pointed.column;
    if (at !== null && at < nUsed) outline(at, theme.ink, 1.5);
    if (rankOf.get(code) < nUsed) outline(rankOf.get(code), theme.blue, 2.5);
    return at !== null && at < nUsed ? book[at] : null;
  }

  function drawBars({ code }) {
    const wide = Math.min(root.clientWidth - 30, 720);
    const high = 84;
    const context = sizedContext(bars, wide, high);
    const most = Math.log1p(Math.max(1, use[book[0]]));
    const step = wide / nCodes;
    book.forEach((each, rank) => {
      const tall = (high - 16) * (Math.log1p(use[each]) / most);
      context.fillStyle = each === code ? theme.orange : theme.blue;
      if (tall) context.fillRect(rank * step, high - Math.max(tall, 1), Math.max(step - (step > 3 ? 1 : 0), 0.7), Math.max(tall, 1));
    });
    strokeLine(context, [[0, high - 0.5], [wide, high - 0.5]], theme.muted, 1);
    const rank = rankOf.get(code);
    const x = Math.max(6, (rank + 0.5) * step);
    context.fillStyle = theme.orange;
    context.beginPath();
    context.moveTo(x - 5, 0);
    context.lineTo(x + 5, 0);
    context.lineTo(x, 8);
    context.fill();
    const dead = use.filter((count) => count === 0).length;
    barsWords.textContent = `the most used ${use[book[0]].toLocaleString("en")} times, ${dead} of ${nCodes} never in these pictures; orange: this one, ${use[code].toLocaleString("en")} (heights are logarithms)`;
    bars.setAttribute("aria-label", `How often each code is used: ${barsWords.textContent}`);
  }

  function drawOthers({ code, picture }) {
    const found = [];
    let total = 0;
    for (let n = 0; n < names.length; n++) {
      const cells = [];
      for (let i = 0; i < nCells; i++) if (codes[n * nCells + i] === code) cells.push(i);
      total += cells.length;
      if (cells.length && n !== picture) found.push([n, cells]);
    }
    found.sort((a, b) => b[1].length - a[1].length || a[0] - b[0]);
    const each = THUMB + 6;
    othersSize.S = Math.max(1, Math.floor((root.clientWidth - 30) / each));
    others = found.slice(0, othersSize.S * 2);
    othersSize.T = Math.max(1, Math.ceil(others.length / othersSize.S));
    focused = inside(focused, Math.max(1, others.length));
    const context = sizedContext(othersBoard, Math.min(othersSize.S, Math.max(1, others.length)) * each, othersSize.T * each);
    context.imageSmoothingQuality = "high";
    const tall = Math.min(THUMB, (THUMB * sheet.height) / sheet.width);
    others.forEach(([n, cells], i) => {
      const [x, y] = [(i % othersSize.S) * each + 2, Math.floor(i / othersSize.S) * each + 2];
      sheet.draw(context, n, x, y, THUMB, tall);
      [context.strokeStyle, context.lineWidth] = [theme.orange, cells.length > 12 ? 0.7 : 1.6];
      for (const cell of cells) {
        context.strokeRect(x + ((cell % columns) * THUMB) / columns + 0.5, y + (Math.floor(cell / columns) * tall) / rows + 0.5, THUMB / columns - 1, tall / rows - 1);
      }
      if (i === focused && document.activeElement === othersBoard) {
        [context.strokeStyle, context.lineWidth] = [theme.blue, 2.5];
        context.strokeRect(x - 1, y - 1, THUMB + 2, tall + 2);
      }
    });
    othersBoard.hidden = !others.length;
    othersWords.textContent = found.length ? `${found.length} other ${found.length === 1 ? "picture has" : "pictures have"} code ${code}${found.length > others.length ? `; the ${others.length} with most of it` : ""}` : `no other picture has code ${code}`;
    othersBoard.setAttribute("aria-label", `Pictures that have this code: ${others.slice(0, 8).map(([n]) => names[n]).join(", ")}. Arrow keys and Enter, or a click, go to one.`);
    return { total, many: found.length + (codes.slice(picture * nCells, (picture + 1) * nCells).includes(code) ? 1 : 0) };
  }

  function draw() {
    if (!theme || !root.isConnected) return;
    const state = now();
    const key = JSON.stringify([state.picture, state.cell, swaps()]);
    if (drawn !== key) { // what Python has taken or decoded changes the words alone
      drawBoards(state);
      under = drawBook(state);
      drawBars(state);
      counted = drawOthers(state);
      drawn = key;
    }
    const { total, many } = counted;
    which.value = state.picture;
    moveTo(put, state.code);
    const swapped = Object.keys(swaps()).length;
    back.disabled = !swapped;
    const place = `Row ${Math.floor(state.cell / columns)}, column ${state.cell % columns}`;
    const was = state.code === state.own[state.cell] ? `holds code ${state.code}` : `held code ${state.own[state.cell]} and now holds ${state.code}`;
    const { changed, picture: decodedPicture, swaps: decodedSwaps } = model.get("decoded");
    const answered = decodedPicture === state.picture && JSON.stringify(decodedSwaps) === JSON.stringify(swaps());
    const reach = swapped && answered && changed !== undefined
      ? ` ${swapped} ${swapped === 1 ? "code is" : "codes are"} swapped, and the picture has changed in ${changed} of ${nCells} cells.` : "";
    const pointer = under === null ? "" : ` Under the pointer: code ${under}, used ${use[under].toLocaleString("en")} times.`;
    readout.textContent = `${place} ${was}. It is in ${total.toLocaleString("en")} ${total === 1 ? "cell" : "cells"}, in ${many} of ${names.length} pictures.${reach}${pointer}`;
  }
  const redraw = frameLoop(draw);
  const anew = () => {
    drawn = null;
    redraw();
  };

  // What the decoder made: its own canvas, drawn when it has come.
  function drawDecoded() {
    if (!theme || !root.isConnected) return;
    const { pixels, width, height: high, error, picture, swaps: swapped } = model.get("decoded");
    const state = now();
    // An answer that was overtaken, or that is drawn already, is not drawn.
    const key = JSON.stringify([picture, swapped, state.cell, error]);
    if (picture !== state.picture || JSON.stringify(swapped) !== JSON.stringify(swaps()) || drawnDecoded === key) return;
    drawnDecoded = key;
    warning.hidden = !error;
    warning.textContent = error ?? "";
    const context = sizedContext(made, SIDE, height);
    if (error) return;
    const tile = element("canvas", { width, height: high });
    const image = new ImageData(width, high);
    for (let i = 0; i < width * high; i++) {
      for (let c = 0; c < 3; c++) image.data[4 * i + c] = pixels.getUint8(3 * i + c);
      image.data[4 * i + 3] = 255;
    }
    tile.getContext("2d").putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(tile, 0, 0, SIDE, height);
    frame(context, state.cell, theme.blue, 1.5);
  }
  const redrawDecoded = frameLoop(drawDecoded);
  const sheet = spriteSheet(model.get("sheet"), root, anew);
  const looks = spriteSheet(model.get("looks"), root, anew);

  const pane = (name, words, canvas, kind = "") => element("figure", { class: kind }, element("figcaption", {}, `${name} `, typeof words === "string" ? element("span", { text: words }) : words), canvas);
  root.append(
    element("div", { class: "tl-title", text: model.get("label") }),
    element("div", { class: "tl-controls" }, element("label", {}, "Picture", which), put.node, back),
    element("div", { class: "tl-panes" },
      pane("Picture", `${rows} × ${columns} cells`, original),
      pane("Its codes", "framed: swapped", grid),
      pane("Decoded", "from the codes alone", made)),
    warning, readout,
    pane("Elsewhere:", othersWords, othersBoard, "tl-others"),
    pane("The code book:", "the codes of these pictures, each as the mean of its cells, most used first; a click puts it into the cell", bookBoard, "tl-book"),
    pane("Use:", barsWords, bars),
    element("div", { class: "tl-note", text: model.get("credit") }));
  el.append(root);
  othersBoard.addEventListener("focus", anew);
  othersBoard.addEventListener("blur", anew);

  const tied = [[["picture", "row", "column", "swaps", "decoded"], redraw], [["row", "column", "decoded"], redrawDecoded]];
  for (const [names, react] of tied) names.forEach((name) => model.on(`change:${name}`, react));
  const stop = watchTheme(root, (changed) => {
    theme = changed;
    drawnDecoded = null;
    anew();
    redrawDecoded();
  });
  return () => {
    clearTimeout(timer);
    stop();
    sheet.stop();
    looks.stop();
    for (const [names, react] of tied) names.forEach((name) => model.off(`change:${name}`, react));
  };
}

export default { render };

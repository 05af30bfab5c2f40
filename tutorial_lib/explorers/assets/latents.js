// What the latents read: all weights are in the page, so a click costs one pass over a picture's pixels.

const SIDE = 370; // of what is read
const SMALL = 176; // of the answer, below the latents
const THUMB = 40;

function render({ model, el }) {
  const root = element("div", { class: "tl-explorer tl-latents", role: "group", "aria-label": model.get("label") });
  const [nHeads, nLatents] = [model.get("n_heads"), model.get("n_latents")];
  const pictures = model.get("pictures").map(unpacked);
  const across = Math.min(nLatents, 8);
  const down = Math.ceil(nLatents / across);
  let theme = null;

  const set = (values) => {
    for (const [name, value] of Object.entries(values)) model.set(name, value);
    model.save_changes();
  };
  const now = () => ({ picture: pictures[model.get("picture")], latent: model.get("latent"), head: model.get("head") });

  function unpacked(packed) {
    const grey = ({ rows, columns, pixels }) => ({ rows, columns, values: Float32Array.from({ length: rows * columns }, (_, i) => pixels.getUint8(i) / 255) });
    const [read, answer] = [grey(packed.read), grey(packed.answer)];
    const reads = fromFloat16(packed.reads); // H x N x M, and their mean after the heads
    const size = nLatents * read.values.length;
    const mean = Float32Array.from({ length: size }, (_, i) => {
      let sum = 0;
      for (let head = 0; head < nHeads; head++) sum += reads[head * size + i];
      return sum / nHeads;
    });
    return { name: packed.name, read, answer, reads, mean, asks: fromFloat16(packed.asks) };
  }

  const readsOf = ({ picture, head }, latent) => {
    const n = picture.read.values.length;
    const from = head < 0 ? picture.mean : picture.reads.subarray(head * nLatents * n);
    return from.subarray(latent * n, (latent + 1) * n);
  };
  const asksOf = ({ picture }, latent) => {
    const n = picture.answer.values.length;
    return picture.asks.subarray(latent * n, (latent + 1) * n);
  };
  const highest = (count, value) => {
    let best = 0;
    for (let i = 1; i < count; i++) if (value(i) > value(best)) best = i;
    return best;
  };

  // A canvas of cells, with what a click or an arrow key does.
  function board(label, width, height, size, choose, step) {
    const canvas = element("canvas", { tabindex: "0", role: "application", "aria-label": label, "data-lm-suppress-shortcuts": "true" });
    const state = { T: 1, S: 1, pointed: null };
    gridEvents(canvas, state, ({ pointed }) => { state.pointed = pointed; }, {
      grid: () => {
        [state.T, state.S] = size();
        return { left: 0, top: 0, width: width / state.S, height: height / state.T };
      },
      choose, step,
    });
    return canvas;
  }
  const stepLatent = ([rows, columns]) => set({ latent: Math.min(Math.max(model.get("latent") + rows * across + columns, 0), nLatents - 1) });
  const read = board("What it reads. A click chooses the latent that reads this pixel most; arrow keys go through the latents.", SIDE, SIDE,
    () => [now().picture.read.rows, now().picture.read.columns],
    ({ row, column }) => {
      const at = row * now().picture.read.columns + column;
      set({ latent: highest(nLatents, (i) => readsOf(now(), i)[at]) });
    }, stepLatent);
  const answer = board("The answer. A click chooses the latent that this pixel asks most; arrow keys go through the latents.", SMALL, SMALL,
    () => [now().picture.answer.rows, now().picture.answer.columns],
    ({ row, column }) => {
      const at = row * now().picture.answer.columns + column;
      set({ latent: highest(nLatents, (i) => asksOf(now(), i)[at]) });
    }, stepLatent);
  const all = board("All latents. A click or an arrow key chooses one.", across * THUMB, down * THUMB, () => [down, across],
    ({ row, column }) => row * across + column < nLatents && set({ latent: row * across + column }), stepLatent);

  const which = element("select", { "aria-label": "Picture", onchange: () => set({ picture: Number(which.value) }) },
    ...pictures.map(({ name }, i) => element("option", { value: i, text: name })));
  const inWords = (head) => (head < 0 ? "mean of all" : String(head));
  const latent = slider("Latent", { min: 0, max: nLatents - 1, value: model.get("latent"), change: (value) => set({ latent: value }) });
  const head = slider("Head", { min: -1, max: nHeads - 1, value: model.get("head"), show: inWords, change: (value) => set({ head: value }) });
  const readout = element("output", { class: "tl-readout", "aria-live": "polite" });

  // A grey picture, ink dark on light, under a colour as strong as the weight.
  function paint(context, { rows, columns, values }, weights, colour, x, y, size) {
    const most = weights.reduce((a, b) => Math.max(a, b), 1e-9);
    const tile = new ImageData(columns, rows);
    const paper = theme.dark ? [58, 62, 70] : [236, 234, 228];
    const ink = theme.dark ? [235, 235, 235] : [40, 44, 52];
    for (let i = 0; i < rows * columns; i++) {
      const ground = mixed(paper, ink, 0.75 * values[i]);
      mixed(ground, colour, 0.88 * (weights[i] / most)).forEach((c, k) => { tile.data[4 * i + k] = c; });
      tile.data[4 * i + 3] = 255;
    }
    const small = element("canvas", { width: columns, height: rows });
    small.getContext("2d").putImageData(tile, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(small, x, y, size, size);
  }

  function draw() {
    if (!theme || !root.isConnected) return;
    const shown = now();
    const [weights, asked] = [readsOf(shown, shown.latent), asksOf(shown, shown.latent)];
    const orange = mixed([0, 0, 0], theme.orange, 1);
    const blue = mixed([0, 0, 0], theme.blue, 1);
    paint(sizedContext(read, SIDE, SIDE), shown.picture.read, weights, orange, 0, 0, SIDE);
    paint(sizedContext(answer, SMALL, SMALL), shown.picture.answer, asked, blue, 0, 0, SMALL);
    const context = sizedContext(all, across * THUMB, down * THUMB);
    for (let i = 0; i < nLatents; i++) {
      const [x, y] = [(i % across) * THUMB, Math.floor(i / across) * THUMB];
      paint(context, shown.picture.read, readsOf(shown, i), orange, x + 2, y + 2, THUMB - 4);
      if (i === shown.latent) {
        [context.strokeStyle, context.lineWidth] = [theme.blue, 3];
        context.strokeRect(x + 1.5, y + 1.5, THUMB - 3, THUMB - 3);
      }
    }
    which.value = model.get("picture");
    moveTo(latent, shown.latent);
    moveTo(head, shown.head, inWords);
    const n = weights.length;
    const best = highest(n, (i) => weights[i]);
    const even = weights[best] * n;
    const place = `row ${Math.floor(best / shown.picture.read.columns)}, column ${best % shown.picture.read.columns}`;
    const share = asked.reduce((a, b) => a + b, 0) / asked.length;
    readout.textContent = `Latent ${shown.latent} reads most at ${place}: ${even.toFixed(1)} times as much as if it read all ${n} pixels evenly. `
      + `The queries give it ${(100 * share).toFixed(1)} % of their attention (an even share is ${(100 / nLatents).toFixed(1)} %).`;
  }
  const redraw = frameLoop(draw);

  const pane = (caption, canvas) => element("figure", {}, element("figcaption", { text: caption }), canvas);
  root.append(
    element("div", { class: "tl-title", text: model.get("label") }),
    element("div", { class: "tl-controls" }, element("label", {}, "Picture", which), latent.node, head.node),
    element("div", { class: "tl-panes" },
      pane("Orange: what it reads", read),
      element("div", { class: "tl-column" },
        pane(`All ${nLatents} latents, and what each reads`, all),
        pane("Blue: where it is asked", answer))),
    readout);
  el.append(root);

  const names = ["picture", "latent", "head"];
  names.forEach((name) => model.on(`change:${name}`, redraw));
  const stop = watchTheme(root, (changed) => {
    theme = changed;
    redraw();
  });
  return () => {
    stop();
    names.forEach((name) => model.off(`change:${name}`, redraw));
  };
}

export default { render };

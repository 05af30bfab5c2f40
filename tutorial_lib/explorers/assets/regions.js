// Words above, the picture with its regions below: what is chosen shades what it looks at. All maps are in the page.

const SIDE = 316;

function render({ model, el }) {
  const root = element("div", { class: "tl-explorer tl-asking tl-regions", role: "group", "aria-label": model.get("label") });
  const [nLayers, nHeads] = [model.get("n_layers"), model.get("n_heads")];
  const directions = model.get("directions");
  const scenes = model.get("scenes").map((packed) => ({ ...packed, maps: fromFloat16(packed.weights), picture: painted(packed) }));
  let theme = null;
  let pointed = -1; // the region under the pointer
  let built = null; // the scene whose words stand in the page
  let chips = [];
  let known = {}; // the scene's maps with a head silenced, as numbers

  const set = (values) => {
    for (const [name, value] of Object.entries(values)) model.set(name, value);
    model.save_changes();
  };

  function painted({ width, height, pixels }) {
    const canvas = element("canvas", { width, height });
    const image = new ImageData(width, height);
    for (let i = 0; i < width * height; i++) {
      for (let c = 0; c < 3; c++) image.data[4 * i + c] = pixels.getUint8(3 * i + c);
      image.data[4 * i + 3] = 255;
    }
    canvas.getContext("2d").putImageData(image, 0, 0);
    return canvas;
  }

  function now() {
    const scene = scenes[model.get("scene")];
    const [T, R] = [scene.words.length, scene.boxes.length];
    const result = model.get("silence_result");
    let maps = scene.maps;
    if (result.weights && result.scene === model.get("scene")) {
      if (known.from !== result.weights) known = { from: result.weights, maps: fromFloat16(result.weights) };
      maps = known.maps;
    }
    return {
      scene, maps, T, R, S: T + R,
      chosen: Math.min(model.get("chosen"), T + R - 1),
      target: Math.min(model.get("target"), R - 1),
      layer: model.get("layer"), head: model.get("head"), looks: model.get("direction") === directions[0],
    };
  }

  // What the chosen one looks at, or what looks at it, in one head or (-1) in the mean of all.
  function rowOf({ maps, S, chosen, looks }, layer, head) {
    const row = new Float32Array(S);
    const heads = head < 0 ? Array.from({ length: nHeads }, (_, i) => i) : [head];
    for (const each of heads) {
      const start = (layer * nHeads + each) * S * S;
      for (let i = 0; i < S; i++) row[i] += maps[start + (looks ? chosen * S + i : i * S + chosen)] / heads.length;
    }
    return row;
  }
  const best = (values, from, to) => {
    let at = from;
    for (let i = from + 1; i < to; i++) if (values[i] > values[at]) at = i;
    return at;
  };
  // How strong the colour of a weight is beside the others of its row; the root keeps small ones in sight.
  const shade = (row, weight) => Math.sqrt(weight / row.reduce((a, b) => Math.max(a, b), 1e-9));
  const labelOf = ({ scene, T }, i) => `“${readable(i < T ? scene.words[i] : scene.names[i - T], 40)}”`;

  // The smallest region at a place of the window.
  function regionAt(x, y) {
    const area = picture.getBoundingClientRect();
    const [across, down] = [(x - area.left) / area.width, (y - area.top) / area.height];
    let found = -1;
    let least = Infinity;
    now().scene.boxes.forEach(([left, top, right, bottom], i) => {
      const size = (right - left) * (bottom - top);
      if (across >= left && across <= right && down >= top && down <= bottom && size < least) [found, least] = [i, size];
    });
    return found;
  }

  const picture = element("canvas", {
    tabindex: "0", role: "application", "data-lm-suppress-shortcuts": "true",
    "aria-label": "The picture with its regions. A click or the arrow keys choose a region, Escape goes back to the words.",
  });
  picture.addEventListener("pointermove", (event) => {
    const region = regionAt(event.clientX, event.clientY);
    if (region === pointed) return;
    pointed = region;
    redraw();
  });
  picture.addEventListener("pointerleave", () => {
    pointed = -1;
    redraw();
  });
  picture.addEventListener("click", (event) => {
    const region = regionAt(event.clientX, event.clientY);
    if (region >= 0) set({ chosen: now().T + region, target: -1 });
  });
  picture.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Escape: 0 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const { T, R, chosen, scene } = now();
    if (!step) set({ chosen: scene.first, target: -1 });
    else set({ chosen: T + (chosen < T ? 0 : Math.min(Math.max(chosen - T + step, 0), R - 1)), target: -1 });
  });

  // All heads at a glance: how much the chosen one looks at the target, or at the other side as a whole.
  const CELL = Math.max(14, Math.min(30, Math.floor(250 / nHeads)));
  const [LEFT, TOP] = [22, 18];
  const grid = element("canvas", {
    tabindex: "0", role: "application", "data-lm-suppress-shortcuts": "true",
    "aria-label": "All heads, a row for each layer. A click or the arrow keys choose layer and head.",
  });
  gridEvents(grid, { T: nLayers, S: nHeads, pointed: null }, () => {}, {
    grid: () => ({ left: LEFT, top: TOP, width: CELL, height: CELL }),
    choose: ({ row, column }) => set({ layer: row, head: column }),
    step: ([down, right]) => set({
      layer: Math.min(Math.max(model.get("layer") + down, 0), nLayers - 1),
      head: Math.min(Math.max(model.get("head") + right, 0), nHeads - 1),
    }),
  });

  const words = chipRow("Words of the caption. Arrow keys choose a word.");
  words.node.addEventListener("keydown", (event) => {
    if (!["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) return;
    const at = chips.indexOf(document.activeElement);
    if (at >= 0) set({ chosen: at, target: -1 });
  });

  // A word is dragged to a region: it moves with the pointer, and where it is let go it is measured.
  let drag = null;
  const ghost = element("div", { class: "tl-ghost", hidden: true, "aria-hidden": "true" });
  function moved(event) {
    if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > 6) drag.begun = true;
    if (!drag.begun) return;
    ghost.hidden = false;
    ghost.textContent = readable(now().scene.words[drag.word], 24);
    [ghost.style.left, ghost.style.top] = [`${event.clientX}px`, `${event.clientY}px`];
    const region = regionAt(event.clientX, event.clientY);
    if (region !== pointed) {
      pointed = region;
      redraw();
    }
  }
  function dropped(event) {
    const { begun, word } = drag;
    letGo();
    if (!begun) return;
    const region = event.type === "pointerup" ? regionAt(event.clientX, event.clientY) : -1;
    pointed = -1;
    if (region >= 0) set({ chosen: word, target: region, direction: directions[0] });
    else redraw();
  }
  function letGo() {
    drag = null;
    ghost.hidden = true;
    document.removeEventListener("pointermove", moved);
    for (const name of ["pointerup", "pointercancel"]) document.removeEventListener(name, dropped);
  }
  function grab(event, word) {
    if (drag) letGo();
    drag = { word, x: event.clientX, y: event.clientY, begun: false };
    document.addEventListener("pointermove", moved);
    for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, dropped);
  }

  function build({ scene }) {
    chips = scene.words.map((word, i) => element("button", {
      type: "button", class: "tl-chip", "data-place": i, dir: "auto", text: readable(word, 40), "aria-label": `Word ${i}: ${readable(word, 40)}`,
      onpointerdown: (event) => grab(event, i), onclick: () => set({ chosen: i, target: -1 }),
    }));
    words.draw(chips);
    target.replaceChildren(element("option", { value: -1, text: "none" }), ...scene.names.map((name, i) => element("option", { value: i, text: readable(name, 40) })));
    built = scene;
  }

  const which = element("select", { "aria-label": "Scene", onchange: () => {
    const scene = Number(which.value);
    set({ scene, chosen: scenes[scene].first, target: -1 });
  } }, ...scenes.map(({ title }, i) => element("option", { value: i, text: title })));
  const way = element("select", { "aria-label": "Show", onchange: () => set({ direction: way.value }) },
    ...directions.map((name) => element("option", { value: name, text: name })));
  const target = element("select", { "aria-label": "Measure at", onchange: () => set({ target: Number(target.value) }) });
  const inWords = (head) => (head < 0 ? "mean of all" : String(head));
  const layer = slider("Layer", { min: 0, max: nLayers - 1, value: model.get("layer"), change: (value) => set({ layer: value }) });
  const head = slider("Head", { min: -1, max: nHeads - 1, value: model.get("head"), show: inWords, change: (value) => set({ head: value }) });
  const readout = element("output", { class: "tl-readout", "aria-live": "polite" });

  const silence = element("button", { type: "button", onclick: () => set({ silenced: { layer: model.get("layer"), head: model.get("head") } }) });
  const repair = element("button", { type: "button", text: "Repair", onclick: () => set({ silenced: {} }) });
  const said = element("div", { role: "status", "aria-live": "polite" });
  const below = element("div", { class: "tl-silence", hidden: !model.get("can_silence") },
    element("div", { class: "tl-controls" }, silence, repair), said);

  function drawPicture(state, row) {
    const { scene, T, R, chosen, target: aim } = state;
    const [width, height] = [SIDE, Math.round((SIDE * scene.height) / scene.width)];
    const context = sizedContext(picture, width, height);
    context.imageSmoothingQuality = "high";
    context.drawImage(scene.picture, 0, 0, width, height);
    context.fillStyle = `rgba(${theme.card}, 0.35)`;
    context.fillRect(0, 0, width, height);
    context.font = "600 12px system-ui, sans-serif";
    context.textBaseline = "middle";
    for (let i = 0; i < R; i++) {
      const [left, top, right, bottom] = scene.boxes[i].map((side, k) => side * (k % 2 ? height : width));
      context.globalAlpha = 0.62 * shade(row, row[T + i]);
      context.fillStyle = theme.orange;
      context.fillRect(left, top, right - left, bottom - top);
      context.globalAlpha = 1;
      [context.strokeStyle, context.lineWidth] = [theme.orange, 1.5];
      context.strokeRect(left + 1, top + 1, right - left - 2, bottom - top - 2);
      if (T + i === chosen) {
        [context.strokeStyle, context.lineWidth] = [theme.blue, 4];
        context.strokeRect(left + 2, top + 2, right - left - 4, bottom - top - 4);
      }
      if (i === aim || i === pointed) {
        [context.strokeStyle, context.lineWidth] = [theme.ink, 2.5];
        context.setLineDash([6, 4]);
        context.strokeRect(left + 1, top + 1, right - left - 2, bottom - top - 2);
        context.setLineDash([]);
      }
      const number = row[T + i].toFixed(2);
      const [tagWidth, tagHeight] = [context.measureText(number).width + 8, 17];
      // Above the region, or below it where there is no room.
      const [x, y] = [Math.min(left, width - tagWidth), top > tagHeight ? top - tagHeight : Math.min(bottom, height - tagHeight)];
      context.fillStyle = `rgb(${theme.card})`;
      context.fillRect(x, y, tagWidth, tagHeight);
      context.fillStyle = theme.ink;
      context.fillText(number, x + 4, y + tagHeight / 2 + 0.5);
    }
  }

  function drawGrid(state) {
    const { T, S, chosen, target: aim } = state;
    const context = sizedContext(grid, LEFT + nHeads * CELL + 3, TOP + nLayers * CELL + 3);
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    const [from, to] = aim >= 0 ? [T + aim, T + aim + 1] : chosen < T ? [T, S] : [0, T];
    const values = [];
    for (let l = 0; l < nLayers; l++) {
      for (let h = 0; h < nHeads; h++) values.push(rowOf(state, l, h).subarray(from, to).reduce((a, b) => a + b, 0));
    }
    const most = state.looks ? 1 : Math.max(1e-9, ...values);
    context.fillStyle = theme.muted;
    for (let h = 0; h < nHeads; h++) context.fillText(h, LEFT + (h + 0.5) * CELL, 9);
    for (let l = 0; l < nLayers; l++) context.fillText(l, 10, TOP + (l + 0.5) * CELL);
    values.forEach((value, i) => {
      const [x, y] = [LEFT + (i % nHeads) * CELL, TOP + Math.floor(i / nHeads) * CELL];
      context.fillStyle = `rgb(${mixed(theme.card, theme.orange, Math.min(1, value / most))})`;
      context.fillRect(x + 1, y + 1, CELL - 2, CELL - 2);
      [context.strokeStyle, context.lineWidth] = [theme.line, 1];
      context.strokeRect(x + 1.5, y + 1.5, CELL - 3, CELL - 3);
    });
    const { layer: off, head: gone } = model.get("silenced");
    if (off !== undefined) {
      const [x, y] = [LEFT + gone * CELL, TOP + off * CELL];
      strokeLine(context, [[x + 3, y + 3], [x + CELL - 3, y + CELL - 3]], theme.ink, 2);
      strokeLine(context, [[x + CELL - 3, y + 3], [x + 3, y + CELL - 3]], theme.ink, 2);
    }
    [context.strokeStyle, context.lineWidth] = [theme.blue, 3];
    if (state.head < 0) context.strokeRect(LEFT - 0.5, TOP + state.layer * CELL, nHeads * CELL + 1, CELL);
    else context.strokeRect(LEFT + state.head * CELL, TOP + state.layer * CELL, CELL, CELL);
    const whom = aim >= 0 ? `at ${labelOf(state, T + aim)}` : chosen < T ? "at the picture" : "at the words";
    gridWords.textContent = state.looks ? `how much it looks ${whom}` : `how much of the ${aim >= 0 ? `gaze of ${labelOf(state, T + aim)}` : chosen < T ? "picture’s" : "words’"} it gets`;
  }

  function inSentences(state, row) {
    const { T, R, S, chosen, target: aim, looks } = state;
    const place = `Layer ${state.layer}, ${state.head < 0 ? "mean of all heads" : `head ${state.head}`}. `;
    const word = chosen < T;
    const [from, to] = word ? [T, S] : [0, T];
    const at = best(row, from, to);
    if (!row.some((weight) => weight > 0)) return `${place}Nothing: all weights are 0 here.`;
    const who = `${word ? "The word" : "The region"} ${labelOf(state, chosen)}`;
    let words = looks
      ? `${who} looks most at ${word ? "the region" : "the word"} ${labelOf(state, at)}: ${row[at].toFixed(3)}. `
      : `${who} gets most from ${word ? "the region" : "the word"} ${labelOf(state, at)}: ${row[at].toFixed(3)} of what that one gives. `;
    if (looks) {
      const share = row.subarray(from, to).reduce((a, b) => a + b, 0);
      words += `${(100 * share).toFixed(0)} % of its weight goes to the ${word ? "picture" : "words"}; evenly it would be ${((100 * (to - from)) / S).toFixed(0)} %. `;
    }
    if (aim >= 0) {
      const rank = 1 + Array.from(row.subarray(T)).filter((weight) => weight > row[T + aim]).length;
      words += `At ${labelOf(state, T + aim)} it is ${row[T + aim].toFixed(3)}, number ${rank} of ${R} regions. `;
    }
    if (pointed >= 0 && pointed !== aim) words += `Under the pointer, ${labelOf(state, T + pointed)}: ${row[T + pointed].toFixed(3)}.`;
    return place + words;
  }

  function drawSilence({ head: chosenHead, layer: chosenLayer }) {
    const { layer: off, head: gone } = model.get("silenced");
    const result = model.get("silence_result");
    silence.textContent = chosenHead < 0 ? "Silence a head: choose one" : `Silence head ${chosenHead} of layer ${chosenLayer}`;
    silence.disabled = chosenHead < 0;
    repair.disabled = off === undefined;
    if (off === undefined || result.scene !== model.get("scene")) {
      said.replaceChildren(element("span", { class: "tl-note", text: off === undefined ? "No head is silenced." : "running …" }));
    } else if (result.error) {
      said.replaceChildren(element("div", { class: "tl-warning", text: result.error }));
    } else {
      const heading = (text) => element("th", { scope: "col", text });
      const rows = result.outputs.map(([label, before, after]) => element("tr", {}, element("td", { text: label }),
        ...[before, after, after - before].map((value) => element("td", { text: value.toFixed(3) }))));
      said.replaceChildren(
        element("div", { class: "tl-note", text: `Head ${gone} of layer ${off} gives zeros${result.weights ? ", and the maps are those without it" : ""}.` }),
        element("table", {}, element("thead", {}, element("tr", {}, ...["what the model says", "before", "after", "change"].map(heading))), element("tbody", {}, ...rows)));
    }
  }

  function draw() {
    if (!theme || !root.isConnected) return;
    const state = now();
    if (built !== state.scene) build(state);
    const row = rowOf(state, state.layer, state.head);
    chips.forEach((chip, i) => {
      const ground = mixed(theme.card, theme.orange, 0.75 * shade(row, row[i]));
      chip.style.background = `rgb(${ground})`;
      chip.style.color = inkOn(ground);
      chip.title = row[i].toFixed(3);
      chip.setAttribute("aria-pressed", String(i === state.chosen));
    });
    drawPicture(state, row);
    drawGrid(state);
    which.value = model.get("scene");
    way.value = model.get("direction");
    target.value = state.target;
    moveTo(layer, state.layer);
    moveTo(head, state.head, inWords);
    readout.textContent = inSentences(state, row);
    drawSilence(state);
  }
  const redraw = frameLoop(draw);

  const gridWords = element("span");
  root.append(
    element("div", { class: "tl-title", text: model.get("label") }),
    element("div", { class: "tl-controls" },
      element("label", {}, "Scene", which), layer.node, head.node, element("label", {}, "Show", way), element("label", {}, "Measure at", target)),
    words.node,
    element("div", { class: "tl-panes" },
      element("figure", { class: "tl-scene" }, element("figcaption", {}, "Picture ", element("span", { text: "click a word, or drag it to a region" })), picture),
      element("div", { class: "tl-beside" },
        element("figure", { class: "tl-grid" }, element("figcaption", {}, "All heads: ", gridWords), grid), readout)),
    below, ghost,
    element("div", { class: "tl-note", text: model.get("credit") }));
  el.append(root);

  const names = ["scene", "chosen", "target", "layer", "head", "direction", "silenced", "silence_result"];
  names.forEach((name) => model.on(`change:${name}`, redraw));
  const stop = watchTheme(root, (changed) => {
    theme = changed;
    redraw();
  });
  return () => {
    letGo();
    stop();
    names.forEach((name) => model.off(`change:${name}`, redraw));
  };
}

export default { render };

// Draw a digit: strokes go to the kernel when the pen is lifted, a reading comes back.

function render({ model, el }) {
  const root = element("div", { class: "tl-explorer tl-digits", role: "group", "aria-label": model.get("label") });
  const [layers, heads] = model.get("shape");
  const readers = model.get("readers");
  const set = (values) => {
    for (const [name, value] of Object.entries(values)) model.set(name, value);
    model.save_changes();
  };
  const paper = paperView((strokes) => set({ strokes, example: -1 }));
  const seen = seenView();
  const bars = barsView();
  const note = element("div", { role: "status" });
  const readout = element("output", { class: "tl-readout", "aria-live": "polite" });
  let theme = null;

  const button = (text, label, onclick) => element("button", { type: "button", text, "aria-label": label, onclick });
  const undo = button("Undo", "Undo the last stroke", () => set({ strokes: model.get("strokes").slice(0, -1), example: -1 }));
  const clear = button("Clear", "Clear the paper", () => set({ strokes: [], example: -1 }));
  const pen = slider("Pen", { min: 0.02, max: 0.2, step: 0.01, value: model.get("pen"), show: (width) => width.toFixed(2), change: (width) => set({ pen: width }) });
  const number = element("input", { type: "number", class: "tl-example", min: 0, max: model.get("n_examples") - 1, step: 1, "aria-label": "Number of the test digit" });
  number.addEventListener("change", () => {
    if (number.value !== "") set({ example: Math.round(Number(number.value)) || 0, strokes: [] });
  });
  const step = (by) => set({ example: (model.get("example") + by + model.get("n_examples")) % model.get("n_examples"), strokes: [] });
  const next = button("Load a test digit", "Load a test digit: the next one", () => step(1));
  const choice = (name, label, first, count) => {
    const select = element("select", { "aria-label": label, onchange: () => set({ [name]: Number(select.value) }) },
      element("option", { value: -1, text: first }),
      ...Array.from({ length: count }, (_, i) => element("option", { value: i, text: `${label.toLowerCase()} ${i}` })));
    return select;
  };
  const layer = choice("layer", "Layer", "rollout of all layers", layers);
  const head = choice("head", "Head", "mean of the heads", heads);
  const reader = element("select", { "aria-label": "Model", onchange: () => set({ reader: Number(reader.value) }) },
    ...readers.map((name, i) => element("option", { value: i, text: name })));

  function weights(answer) {
    const n = answer.side * answer.side;
    const start = ((model.get("layer") + 1) * (heads + 1) + (model.get("layer") < 0 ? 0 : model.get("head") + 1)) * n;
    return fromFloat16(answer.attention).subarray(start, start + n);
  }

  function words(answer, looks) {
    const order = answer.probabilities.map((p, digit) => [p, digit]).sort((a, b) => b[0] - a[0]);
    const [[first, digit], [second, other]] = order;
    const truth = answer.label === null ? "" : ` Its label is ${answer.label}: ${answer.label === digit ? "right" : "wrong"}.`;
    const place = looks.indexOf(Math.max(...looks));
    const where = `row ${Math.floor(place / answer.side)}, column ${place % answer.side}`;
    const one = (digit) => `${digit === 8 ? "an" : "a"} ${digit}`;
    const said = (name, digit, probability) => `${name ? name[0].toUpperCase() + name.slice(1) : "The model"} reads ${one(digit)} with probability ${probability.toFixed(3)}`;
    const others = answer.others.map((each) => ` ${said(...each)}.`).join("");
    return `${said(readers[model.get("reader")], digit, first)}, then ${one(other)} with ${second.toFixed(3)}.${truth} It looks most at the patch in ${where} (from 0).${others}`;
  }

  function draw() {
    if (!theme || !root.isConnected) return;
    const answer = model.get("answer");
    const some = answer.picture !== undefined;
    const looks = some ? weights(answer) : [];
    paper.show(model.get("strokes"), model.get("pen"));
    seen.draw(some ? answer.picture : null, looks, answer.side, theme);
    bars.draw(some ? answer.probabilities : null);
    readout.textContent = some ? words(answer, looks) : "Draw a digit from 0 to 9, large, in the middle or anywhere else. It is read when you lift the pen.";
    note.replaceChildren(...(model.get("note") ? [element("div", { class: "tl-warning", text: model.get("note") })] : []));
    undo.disabled = clear.disabled = !model.get("strokes").length && model.get("example") < 0;
    undo.disabled ||= !model.get("strokes").length;
    head.disabled = model.get("layer") < 0;
    if (document.activeElement !== number) number.value = model.get("example") < 0 ? "" : model.get("example");
    pen.input.value = model.get("pen");
    pen.node.querySelector("output").textContent = model.get("pen").toFixed(2);
    [layer.value, head.value, reader.value] = [model.get("layer"), model.get("head"), model.get("reader")];
  }
  const redraw = frameLoop(draw);

  const pane = (name, about, ...nodes) => element("figure", {},
    element("figcaption", {}, `${name} `, element("span", { text: about })), ...nodes);
  root.append(
    element("div", { class: "tl-title", text: model.get("label") }),
    element("div", { class: "tl-controls" },
      ...(readers.length > 1 ? [element("label", {}, "Model", reader)] : []), pen.node,
      element("label", {}, "Test digit", number), next,
      element("label", {}, "Attention of", layer), element("label", {}, "and", head)),
    note,
    element("div", { class: "tl-panes" },
      pane("Paper", "mouse, pen or finger", paper.canvas, element("div", { class: "tl-buttons" }, undo, clear)),
      pane("What the model gets", "its look in orange", seen.canvas),
      pane("What it reads", "probabilities", bars.node)),
    readout);
  el.append(root);

  const names = ["strokes", "pen", "example", "reader", "layer", "head", "answer", "note"];
  names.forEach((name) => model.on(`change:${name}`, redraw));
  const stop = watchTheme(root, (now) => {
    theme = now;
    redraw();
  });
  return () => {
    stop();
    names.forEach((name) => model.off(`change:${name}`, redraw));
  };
}

export default { render };

// The controls of the generation explorer; the bars stand in generation_bars.js, the text in generation_text.js.

const WAIT = 120; // milliseconds without typing before Python is asked

function render({ model, el }) {
  const limits = model.get("limits");
  const simple = model.get("simple"); // no more than a newcomer needs
  const root = element("div", { class: `tl-explorer tl-generation${simple ? " tl-simple" : ""}`, role: "group", "aria-label": model.get("label") });
  const state = { pointed: -1, running: false, number: 0, waiting: false };
  const redraw = frameLoop(draw);
  const redrawNext = frameLoop(drawNext); // all that a slider changes
  const drawClock = frameLoop(drawTimesNow);
  const set = (values) => {
    for (const [name, value] of Object.entries(values)) model.set(name, value);
    model.save_changes(); // what is drawn follows the events of the model
  };
  const kSteps = ladder(limits.vocabulary);

  const sliders = {
    temperature: slider("Temperature", { min: 0, max: limits.temperature, step: 0.05, value: model.get("temperature"),
      show: (t) => (t === 0 ? "0 = greedy" : t.toFixed(2)), change: (temperature) => set({ temperature }) }),
    top_k: slider("Top-k", { min: 0, max: kSteps.length - 1, value: nearest(kSteps, model.get("top_k")),
      show: (i) => (kSteps[i] ? String(kSteps[i]) : "off"), change: (i) => set({ top_k: kSteps[i] }) }),
    top_p: slider("Top-p", { min: 0.01, max: 1, step: 0.01, value: model.get("top_p"),
      show: (p) => (p < 1 ? p.toFixed(2) : "off"), change: (top_p) => set({ top_p }) }),
  };
  const written = model.get("prompt").split("\n").length;
  const box = element("textarea", { rows: String(Math.min(6, Math.max(2, written))), "aria-label": "Prompt", spellcheck: "false", dir: "auto" });
  box.value = model.get("prompt");
  const seed = element("input", { type: "number", min: "0", step: "1", "aria-label": "Seed", value: model.get("seed") });
  const cached = element("input", { type: "checkbox", "aria-label": "Keep keys and values (cache)" });
  cached.checked = model.get("cached");
  const [cut, unknown, error, unseen, done] = Array.from({ length: 5 }, () => element("p", { class: "tl-warning", role: "status", hidden: true }));
  const chosenPanel = barPanel("How the token was chosen", limits.bars, simple);
  const nextPanel = barPanel("Next token", limits.bars, simple);
  const text = textPanel({
    point: (index) => {
      if (index === state.pointed) return;
      state.pointed = index;
      readout.textContent = tokenInWords();
    },
    select: (selected) => {
      text.mark(selected);
      set({ selected });
    },
  });
  const readout = element("p", { class: "tl-readout", role: "status" });
  const [stats, clockWords] = [element("p", { class: "tl-stats" }), element("p", { class: "tl-stats" })];
  const clock = element("canvas", { role: "img", "aria-label": "Milliseconds for each written token against the tokens so far; the sentence above gives the means." });

  let timer = null;
  function typed() {
    clearTimeout(timer);
    timer = null;
    const letters = Array.from(box.value.slice(0, 2 * limits.prompt));
    const prompt = letters.slice(0, limits.prompt).join("");
    cut.hidden = prompt.length === box.value.length;
    cut.textContent = `Only the first ${limits.prompt.toLocaleString("en-US")} characters of this text are read.`;
    if (prompt !== model.get("prompt")) set({ prompt });
  }
  box.addEventListener("input", () => {
    stop();
    clearTimeout(timer);
    timer = setTimeout(typed, WAIT);
  });
  seed.addEventListener("input", () => {
    const value = Math.floor(Number(seed.value));
    if (seed.value === "" || !(value >= 0)) return;
    stop();
    set({ seed: Math.min(value, 2 ** 31 - 1) });
  });
  cached.addEventListener("change", () => set({ cached: cached.checked }));

  function ask(action, tokens = 1) {
    if (timer) typed();
    state.number = Math.floor(Math.random() * 2 ** 40) + 1; // of this view alone
    state.waiting = action === "write";
    set({ request: { action, tokens, number: state.number } });
  }
  function stop() {
    state.running = false;
    redraw();
  }
  const button = (words, label, onclick) => element("button", { type: "button", text: words, "aria-label": label, onclick });
  const buttons = {
    step: button("Step", "Step: write one token", () => ask("write")),
    run: button("▶ Run", "Run: write token after token", () => {
      state.running = true;
      ask("write", limits.burst);
    }),
    stop: button("■ Stop", "Stop writing", stop),
    reset: button("Reset", "Reset to the prompt", () => {
      stop();
      ask("reset");
    }),
  };

  const finished = () => state.answer.ended || state.answer.full;
  function takeAnswer() {
    const answer = model.get("answer");
    if (!answer.next) return;
    if (answer.from) {
      // Only what is new has come. It is completed in place, so that other views find it whole.
      const had = state.answer?.written ?? [];
      if (had.length < answer.from) return ask("tell all");
      answer.written = [...had.slice(0, answer.from), ...answer.written];
      answer.from = 0;
    }
    state.answer = answer;
    state.logits = floats(answer.next.logits);
    state.pointed = -1;
    text.take(answer);
    const mine = answer.number === state.number;
    if (mine) state.waiting = false;
    if (state.running && finished()) state.running = false;
    if (state.running && mine) ask("write", limits.burst);
    drawClock();
    redraw();
  }
  function takeChosen() {
    const chosen = model.get("chosen");
    state.chosen = chosen.logits ? { ...chosen, logits: floats(chosen.logits) } : null;
    redraw();
  }
  function takeError() {
    const message = model.get("error");
    error.hidden = !message;
    error.textContent = message;
    if (message) stop();
  }
  function takeControls() {
    const [temperature, k, p] = ["temperature", "top_k", "top_p"].map((name) => model.get(name));
    for (const [control, value, words] of [[sliders.temperature, temperature, temperature === 0 ? "0 = greedy" : temperature.toFixed(2)],
      [sliders.top_k, nearest(kSteps, k), k ? String(k) : "off"], [sliders.top_p, p, p < 1 ? p.toFixed(2) : "off"]]) {
      if (Number(control.input.value) !== value) control.input.value = value;
      control.node.querySelector("output").textContent = words;
      control.input.setAttribute("aria-valuetext", words);
    }
    for (const control of [sliders.top_k, sliders.top_p]) {
      control.input.disabled = temperature === 0;
      control.node.classList.toggle("tl-idle", temperature === 0);
    }
    if (document.activeElement !== box && Array.from(box.value).slice(0, limits.prompt).join("") !== model.get("prompt")) box.value = model.get("prompt");
    if (document.activeElement !== seed) seed.value = model.get("seed");
    cached.checked = model.get("cached");
    redrawNext();
  }

  function tokenInWords() {
    const at = state.pointed >= 0 ? state.pointed : state.chosen ? state.chosen.index : -1;
    const token = text.token(at);
    if (!token) return "Nothing is written yet. Step writes one token, Run one after another.";
    const own = Math.exp(token[LOG_P]);
    return `Token ${at + 1}, “${tokenName(token[LABEL], 30)}”: probability ${probability(own)} by the model (${token[LOG_P].toFixed(2).replace("-", "−")} nats), `
      + `chosen with ${probability(token[DRAWN])} after temperature and cuts${simple ? "" : `; ${token[MS].toFixed(1)} ms ${token[CACHED] ? "with" : "without"} cache`}.`;
  }

  function draw() {
    if (!state.answer || !root.isConnected) return;
    const { answer, chosen } = state;
    buttons.step.disabled = buttons.run.disabled = state.running || finished();
    buttons.stop.disabled = !state.running;
    buttons.reset.disabled = !answer.written.length;
    unknown.hidden = !answer.unknown.length;
    if (answer.unknown.length) {
      const more = answer.unknown.length - 6;
      unknown.textContent = `The model has no token for ${answer.unknown.slice(0, 6).join(", ")}${more > 0 ? ` and ${more} more` : ""}: it reads your text without.`;
    }
    unseen.hidden = !answer.unseen;
    unseen.textContent = `The model sees its last ${limits.context} tokens only; the first ${answer.unseen} are out of its sight. The window slides, so every token has a new place and the cache has to be filled anew.`;
    done.hidden = !finished();
    done.textContent = answer.ended ? "The model has ended the text. Reset starts again." : `${limits.written.toLocaleString("en-US")} tokens are written. Reset starts again.`;
    text.mark(chosen ? chosen.index : -1);
    readout.textContent = tokenInWords();
    stats.textContent = likelihoodInWords(answer);
    clockWords.textContent = timesInWords(answer);
    if (chosen) {
      const [temperature, k, p] = chosen.settings;
      chosenPanel.show({ heading: `Token ${chosen.index + 1} was chosen:`, logits: chosen.logits, labels: chosen.labels, settings: { temperature, k, p }, chosen });
    }
    chosenPanel.node.hidden = !chosen;
    drawNext();
  }
  function drawNext() {
    if (!state.answer) return;
    const settings = { temperature: model.get("temperature"), k: model.get("top_k"), p: model.get("top_p") };
    nextPanel.show({ heading: "Next token:", logits: state.logits, labels: state.answer.next.labels, settings, chosen: null });
  }
  function drawTimesNow() {
    const width = root.clientWidth - 28;
    if (state.theme && state.answer && width > 100) drawTimes(clock, state.answer, limits.context, state.theme, Math.min(width, 900));
  }

  const cutControls = [sliders.top_k.node, sliders.top_p.node, element("label", {}, "Seed", seed), element("label", {}, cached, "Cache")];
  const note = element("span", { class: "tl-note", text: "The same prompt, settings and seed write the same text. A new prompt or seed starts again." });
  const barKeys = keys([["tl-pale", "probability at this temperature"], ["tl-dark", "drawn with, after the cuts"], ["tl-lit", "chosen"], ["tl-grey", "cut away"]]);
  const clockKeys = keys([["tl-dark", "with cache"], ["tl-lit", "without cache"]]);
  for (const node of [...cutControls, note, stats, barKeys, clockWords, clock, clockKeys]) node.classList.toggle("tl-left-out", simple);
  root.append(
    element("div", { class: "tl-title", text: model.get("label") }),
    element("label", { class: "tl-entry" }, "Prompt", box),
    cut, unknown, error,
    element("div", { class: "tl-controls" }, sliders.temperature.node, ...cutControls),
    element("div", { class: "tl-controls" }, ...Object.values(buttons), note),
    text.node, keys([["tl-likely", "likely to the model"], ["tl-unlikely", "unlikely (probability below 1/400)"]], "Written tokens; point at one, or use the arrow keys:"),
    readout, stats, unseen, done,
    element("div", { class: "tl-panels" }, chosenPanel.node, nextPanel.node),
    barKeys, clockWords, clock, clockKeys);
  el.append(root);
  const tied = [
    [["answer"], takeAnswer],
    [["chosen"], takeChosen],
    [["error"], takeError],
    [["prompt", "temperature", "top_k", "top_p", "seed", "cached"], takeControls],
  ];
  for (const [names, react] of tied) names.forEach((name) => model.on(`change:${name}`, react));
  const unwatch = watchTheme(root, (theme) => {
    state.theme = theme;
    drawClock();
    redraw();
  });
  for (const [, react] of tied) react();
  return () => {
    unwatch();
    clearTimeout(timer);
    state.running = false;
    for (const [names, react] of tied) names.forEach((name) => model.off(`change:${name}`, react));
  };
}

function keys(pairs, before = "") {
  return element("span", { class: "tl-key tl-note" }, ...(before ? [element("span", { class: "tl-before", text: before })] : []), ...pairs.map(([name, words]) => element("span", {}, element("i", { class: name }), words)));
}

// Full-precision bytes (a DataView from the kernel) as a Float32Array.
function floats(view) {
  return new Float32Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
}

// The values of k worth a place on the slider: 0 is off.
function ladder(vocabulary) {
  const round = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 40, 50, 75, 100, 200, 500, 1000, 5000].filter((k) => k < vocabulary);
  return [0, ...round, vocabulary];
}

function nearest(values, wanted) {
  return values.reduce((best, value, i) => (Math.abs(value - wanted) < Math.abs(values[best] - wanted) ? i : best), 0);
}

export default { render };

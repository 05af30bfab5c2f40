// One choice as bars: probabilities after the temperature, what top-k and top-p leave, the chosen token.

// What `tutorial_lib.sampling` does, on logits (V) from the highest down; temperature 0 is greedy.
function chances(logits, { temperature, k, p }) {
  const softmax = (values) => {
    const powers = Float64Array.from(values, (value) => Math.exp(value - values[0]));
    const sum = powers.reduce((total, power) => total + power, 0);
    return powers.map((power) => power / sum);
  };
  if (temperature === 0) return { alone: softmax(logits), byK: 1, kept: 1, mass: 1 };
  const warmed = logits.map((value) => value / temperature); // still single precision, ties included
  let byK = logits.length;
  if (k > 0 && k < byK) for (byK = k; byK < logits.length && warmed[byK] === warmed[k - 1];) byK++;
  let [kept, mass] = [byK, 1];
  if (p < 1) {
    const left = softmax(warmed.subarray(0, byK));
    for (kept = 0, mass = 0; kept < byK && mass < p; kept++) mass += left[kept]; // the one that crosses p stays
  }
  return { alone: softmax(warmed), byK, kept, mass };
}

// A token as a label: spaces alone are ␣, beside letters ·, a new line is ⏎.
function tokenName(token, longest = 14) {
  return readable(token, longest).replace(/^ | $/g, "·");
}

function probability(value) {
  return value >= 0.0005 || value === 0 ? value.toFixed(3) : value.toExponential(0);
}

function settingsInWords({ temperature, k, p }) {
  if (temperature === 0) return "greedy";
  return [`temperature ${temperature.toFixed(2)}`, k > 0 && `top-k ${k}`, p < 1 && `top-p ${p.toFixed(2)}`].filter(Boolean).join(", ");
}

// simple: at temperature 0 the few likeliest tokens, with nothing about cuts.
function barPanel(name, rows, simple) {
  const lines = Array.from({ length: rows }, () => {
    const [label, pale, dark, number, drawn] = ["span", "i", "b", "span", "span"].map((tag) => element(tag));
    return { label, pale, dark, number, drawn, node: element("div", { class: "tl-row", role: "listitem" }, label, element("span", { class: "tl-bar" }, pale, dark), number, drawn) };
  });
  const [title, caption, summary] = [element("b"), element("span"), element("p", { class: "tl-note" })];
  const list = element("div", { class: "tl-bars", role: "list", "aria-label": name }, ...lines.map((line) => line.node));
  const node = element("figure", {}, element("figcaption", {}, title, " ", caption), list, summary);

  // labels: of the first logits; chosen: { rank, label } or null.
  function show({ heading, logits, labels, settings, chosen }) {
    title.textContent = heading;
    caption.textContent = settingsInWords(settings);
    list.hidden = summary.hidden = !logits;
    if (!logits) return null;
    const { alone, byK, kept, mass } = chances(logits, settings);
    const total = alone.subarray(0, kept).reduce((sum, value) => sum + value, 0);
    const plain = simple && settings.temperature === 0;
    const shown = Math.min(plain ? 8 : rows, labels.length);
    const far = chosen && chosen.rank >= shown;
    const longest = Math.max(...labels.map((label) => tokenName(label).length), chosen ? tokenName(chosen.label).length : 0);
    list.style.setProperty("--label", `${Math.max(2, 0.72 * longest).toFixed(1)}em`);
    const tallest = plain ? alone[0] : Math.max(alone[0], alone[0] / total);
    lines.forEach((line, i) => {
      line.node.hidden = i >= shown;
      if (i >= shown) return;
      const place = far && i === shown - 1 ? chosen.rank : i;
      const [isChosen, isKept] = [chosen?.rank === place, place < kept];
      line.label.textContent = tokenName(place === i ? labels[i] : chosen.label);
      line.pale.style.width = `${(100 * alone[place]) / tallest}%`;
      line.dark.style.width = plain ? line.pale.style.width : isKept ? `${(100 * alone[place]) / total / tallest}%` : "0";
      line.number.textContent = probability(alone[place]);
      line.drawn.textContent = [plain ? "" : isKept ? (kept < logits.length ? `→ ${probability(alone[place] / total)}` : "") : "cut",
        isChosen && `chosen${place === i ? "" : `, rank ${place + 1}`}`].filter(Boolean).join(" ");
      line.node.classList.toggle("tl-cut", !isKept && !plain);
      line.node.classList.toggle("tl-whole", plain || total > 0.9999); // nothing is cut: both bars are one
      line.node.classList.toggle("tl-chosen", isChosen);
      line.node.classList.toggle("tl-last", !plain && i === kept - 1 && kept < logits.length);
    });
    summary.textContent = inWords(settings, { size: logits.length, byK, kept, mass, shown, alone, total });
    return { kept, probabilities: alone, total };
  }

  function inWords({ temperature, k, p }, { size, byK, kept, mass, shown, alone, total }) {
    if (temperature === 0) return `Greedy: the most probable of ${size} tokens, always; nothing is drawn. The bars are the model's own.`;
    const steps = [k > 0 && byK < size && `top-k keeps ${byK}`, p < 1 && kept < size && `top-p keeps ${kept} (total ${mass.toFixed(3)})`].filter(Boolean);
    const cut = steps.length ? `Of ${size} tokens, ${steps.join(", ")}.` : `All ${size} tokens can be drawn.`;
    const hidden = kept - shown;
    const rest = alone.subarray(shown, Math.max(kept, shown)).reduce((sum, value) => sum + value, 0) / total;
    return hidden > 0 ? `${cut} ${hidden} of them not shown here ${hidden === 1 ? "has" : "have together"} ${probability(rest)}.` : cut;
  }
  return { node, show };
}

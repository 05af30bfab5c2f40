const FATES = ["mask", "random", "same"];
const BECAME = { mask: "became [MASK], it was", random: "became a random token, it was", same: "was chosen and stayed" };

function render({ model, el }) {
  const root = element("div", { class: "tl-explorer tl-asking tl-masking", role: "group", "aria-label": model.get("label") });
  const chips = element("div", { class: "tl-chips", role: "list", "aria-label": "Tokens after the masking" });
  const bars = element("div", { role: "list", "aria-label": "Shares over all draws, with their targets" });
  const summary = element("p", { class: "tl-note", role: "status", "aria-live": "polite" });
  const body = element("div", {}, chips, bars, summary);
  const percent = (value) => `${(100 * value).toFixed(1)} %`;

  function chip([shown, was, fate]) {
    const special = /^\[(PAD|UNK|CLS|SEP|MASK)\]$/.test(was);
    const node = element("span", { class: `tl-chip ${fate} ${special ? "tl-special" : ""}`, role: "listitem", text: shown });
    if (fate) {
      node.append(element("small", { text: fate === "same" ? "the same" : was }));
      node.setAttribute("aria-label", `${shown}: ${BECAME[fate]} ${was}`);
    }
    return node;
  }

  function draw({ tokens, counts, shares }) {
    chips.replaceChildren(...tokens.map(chip));
    bars.replaceChildren(...shares.map(([label, fraction, target], i) => barRow({
      label, fraction, target, kind: ["chosen", ...FATES][i], words: `${percent(fraction)} (target ${Number((100 * target).toFixed(1))} %)`,
    })));
    const number = (value) => value.toLocaleString("en");
    summary.textContent = counts.draws
      ? `${number(counts.draws)} ${counts.draws === 1 ? "draw" : "draws"}: ${number(counts.chosen)} of ${number(counts.candidates)} tokens chosen, ${number(counts.mask)} became [MASK], ${number(counts.random)} a random token, ${number(counts.same)} stayed. ` +
        "How many are chosen is rounded to whole tokens in each draw, at least one; [CLS], [SEP] and other special tokens never are."
      : "There is no token to choose: special tokens never are.";
  }

  const asker = asking(model, { root, name: "Text to mask", body, draw, typed: () => ({ times: 1 }) });
  const share = slider("Share", { min: 5, max: 100, step: 5, value: Math.round(100 * model.get("request").share), show: (value) => `${value} %`, change: (value) => asker.ask({ share: value / 100, times: 1 }) });
  const seed = element("input", { type: "number", min: 0, max: 9999, step: 1, value: model.get("request").seed, "aria-label": "Seed" });
  seed.addEventListener("input", () => {
    const value = Math.round(Number(seed.value));
    if (seed.value !== "" && value >= 0 && value <= 9999) asker.ask({ seed: value, times: 1 });
  });
  const again = (times, text) => element("button", { type: "button", text, onclick: () => asker.ask({ times }) });
  const key = element("p", { class: "tl-note" }, "Chosen tokens: ",
    element("span", { class: "tl-chip mask", text: "[MASK]" }), " 80 %, ",
    element("span", { class: "tl-chip random", text: "random" }), " 10 %, ",
    element("span", { class: "tl-chip same", text: "the same" }), " 10 %; below each what stood there.");
  root.append(
    element("p", { class: "tl-title", text: model.get("label") }),
    asker.box,
    element("div", { class: "tl-controls" }, share.node, element("label", {}, "Seed", seed),
      again(1, "Draw again"), again(100, "Draw 100 times"), asker.note),
    key, asker.error, body);
  el.append(root);
  return asker.stop;
}

export default { render };

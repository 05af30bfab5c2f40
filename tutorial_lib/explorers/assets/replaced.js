function render({ model, el }) {
  const root = element("div", { class: "tl-explorer tl-asking tl-replaced", role: "group", "aria-label": model.get("label") });
  const line = chipRow("Words of the line: mark those that look wrong");
  const verdict = element("p", { class: "tl-verdict", role: "status", "aria-live": "polite" });
  const table = element("table", { "aria-label": "Score" });
  const cut = element("p", { class: "tl-warning" });
  const body = element("div", {}, line.node, cut, verdict, table);

  const reply = () => model.get("reply");
  const plural = (n, one) => `${n} ${one}${n === 1 ? "" : "s"}`;

  function press(i) {
    const { marked, judged } = reply();
    if (!judged) asker.ask({ marked: marked.includes(i) ? marked.filter((other) => other !== i) : [...marked, i] });
  }

  function chip(word, i, { marked, judged, truth, theirs }) {
    const yours = marked.includes(i);
    if (!judged) return element("button", { type: "button", class: "tl-chip", text: word, "aria-pressed": String(yours), "data-place": i, "data-lm-suppress-shortcuts": "true", onclick: () => press(i) });
    const [was] = truth[i];
    const who = [yours && "you", theirs.includes(i) && "ELECTRA"].filter(Boolean);
    const kind = was === null ? (who.length ? "wronged" : "") : "forged";
    const said = [was === null ? "as it was written" : `was ${was}`, who.length ? `marked by ${who.join(" and ")}` : ""].filter(Boolean).join(", ");
    return element("span", { class: `tl-chip ${kind}`, title: `${word}: ${said}` },
      element("span", { text: word }),
      element("small", { text: was === null ? (who.length ? "was genuine" : "\u00a0") : `was ${was}` }),
      element("small", { class: "tl-who", text: who.join(" + ") || "\u00a0" }));
  }

  function told({ judged, marked, truth, theirs, replaced }) {
    if (!replaced) return "Nothing was replaced here: the text has no whole word that this forger knows, or it drew each as it was.";
    if (!judged) {
      const left = replaced - marked.length;
      return `${plural(replaced, "word")} ${replaced === 1 ? "was" : "were"} replaced. ${left ? `Click ${left === replaced ? replaced : `${left} more`} that look${left === 1 ? "s" : ""} wrong.` : "Press Judge."} With the keyboard: arrow keys and Enter.`;
    }
    const of = (list) => list.filter((i) => truth[i][0] !== null).length;
    const [you, they] = [of(marked), of(theirs)];
    return `You found ${you} of ${replaced}, ELECTRA ${they}. ${you > they ? "This one is yours." : you < they ? "This one is ELECTRA’s." : "A draw."}`;
  }

  function scores({ score }) {
    table.hidden = score.lines === 0;
    const head = (text, scope) => element("th", { text, scope });
    const row = (name, ...numbers) => element("tr", {}, head(name, "row"), ...numbers.map((text) => element("td", { text })));
    table.replaceChildren(
      element("tr", {}, ...[`after ${plural(score.lines, "line")}`, "words found"].map((text) => head(text, "col"))),
      row("you", `${score.yours} of ${score.replaced}`),
      row("ELECTRA", `${score.theirs} of ${score.replaced}`));
  }

  function draw(shown) {
    line.draw(shown.words.map((word, i) => chip(word, i, shown)));
    verdict.textContent = shown.words.length ? told(shown) : "There is no text. Type one below, or press Next line.";
    judge.disabled = shown.judged || !shown.replaced;
    scores(shown);
    cut.hidden = !shown.cut;
    cut.textContent = shown.cut ? `The text is too long for the models: the last ${shown.cut} tokens were left out.` : "";
  }

  function next() {
    const { passages } = reply();
    const at = passages.indexOf(model.get("request").text);
    asker.box.querySelector("textarea").value = passages[(at + 1) % passages.length];
    asker.ask({ round: (model.get("request").round ?? 0) + 1, marked: [], judged: false });
  }

  const asker = asking(model, { root, name: "The line, or one of your own", body, draw, typed: () => ({ marked: [], judged: false }) });
  const judge = element("button", { type: "button", class: "tl-primary", text: "Judge", onclick: () => asker.ask({ judged: true }) });
  const share = slider("Share replaced", { min: 0.05, max: 0.5, step: 0.05, value: model.get("request").share, show: (value) => `${Math.round(100 * value)} %`, change: (value) => asker.ask({ share: value, marked: [], judged: false }) });
  const own = element("details", {}, element("summary", { text: "See the true line, or type your own" }), asker.box, asker.note);
  root.append(
    element("p", { class: "tl-title", text: model.get("label") }),
    body,
    element("div", { class: "tl-controls" }, judge, element("button", { type: "button", text: "Next line", onclick: next }), share.node),
    asker.error, own);
  el.append(root);
  return asker.stop;
}

export default { render };

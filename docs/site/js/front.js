// The front page: replays what a model wrote, and moves explorers until a reader takes over.
import writing from "./writing.json";

const still = matchMedia("(prefers-reduced-motion: reduce)");
const element = (tag, text = "", name = "") => Object.assign(document.createElement(tag), { textContent: text, className: name });

function replay(card) {
  const [text, list, button] = [".tl-text", "ol", ".tl-play"].map((part) => card.querySelector(part));
  const caret = element("span", "", "tl-caret");
  let [at, timer] = [0, null];

  function show() {
    const bold = element("b", writing.prompt);
    const written = writing.tokens.slice(0, at).map(([token, p]) => {
      const span = element("span", token, "tl-new");
      span.style.setProperty("--p", p);
      return span;
    });
    text.replaceChildren(bold, ...written, caret);
    const [taken, , could] = writing.tokens[Math.min(Math.max(at - 1, 0), writing.tokens.length - 1)];
    list.replaceChildren(...could.map(([token, p]) => {
      const row = element("li", "", at && token === taken ? "tl-taken" : "");
      const bar = element("i");
      bar.style.setProperty("--p", p);
      row.append(element("code", token.replace(/\n/g, "⏎")), bar, element("span", `${Math.round(100 * p)} %`));
      return row;
    }));
  }
  function step() {
    at = at < writing.tokens.length ? at + 1 : 0;
    show();
    timer = setTimeout(step, at === 0 ? 900 : at === writing.tokens.length ? 5000 : 620);
  }
  const run = (on) => {
    clearTimeout(timer);
    timer = on ? setTimeout(step, 500) : null;
    button.textContent = on ? "Pause" : "Play";
  };
  button.addEventListener("click", () => run(timer === null));
  document.addEventListener("visibilitychange", () => document.hidden && run(false));
  if (still.matches) at = writing.tokens.length;
  show();
  run(!still.matches);
}

// Moves one trait of an explorer up and down, until somebody touches it.
function play(figure) {
  const [trait, from, to, every] = figure.dataset.play.split(" ");
  const button = element("button", "Pause", "tl-play");
  button.type = "button";
  let [at, way, timer] = [Number(from), 1, null];
  const step = () => {
    if (!figure.model || document.hidden) return;
    if (at + way > Number(to) || at + way < Number(from)) way = -way;
    at += way;
    figure.model.receive({ [trait]: at });
  };
  const run = (on) => {
    clearInterval(timer);
    timer = on ? setInterval(step, Number(every)) : null;
    button.textContent = on ? "Pause" : "Play";
  };
  button.addEventListener("click", () => run(timer === null));
  for (const event of ["pointerdown", "pointerenter", "focusin"]) {
    figure.addEventListener(event, (happened) => happened.target !== button && timer !== null && run(false));
  }
  const row = element("p", "", "tl-row");
  row.append(button);
  figure.after(row);
  new IntersectionObserver(([{ isIntersecting }], seen) => {
    if (!isIntersecting || still.matches) return;
    seen.disconnect();
    run(true);
  }, { threshold: 0.4 }).observe(figure);
  run(false);
}

function begin() {
  document.querySelectorAll("[data-writing]").forEach(replay);
  document.querySelectorAll("figure[data-play]").forEach(play);
}
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
else begin();

// Wakes the explorers of a page when the reader comes near, and keeps guesses in the browser.
import { inWords, missing } from "../models/large.js";
import { Model, revive } from "./model.js";

const base = new URL(".", document.currentScript.src).href;
const NEAR = "700px 0px"; // how far from the window an explorer wakes
const SERVED = "This one needs a web server: browsers don't let a page read files next to it.";
const scripts = new Map();

// A script, once: unlike fetch, that works from the file system, too.
function script(path) {
  if (!scripts.has(path)) {
    scripts.set(path, new Promise((done, failed) => {
      const node = document.createElement("script");
      node.src = base + path;
      node.onload = done;
      node.onerror = () => failed(new Error(`${path} cannot be loaded`));
      document.head.append(node);
    }));
  }
  return scripts.get(path);
}

// An explorer's headings come one level below the heading that stands above it.
function level(el) {
  const above = [...document.querySelectorAll("article :is(h1, h2, h3, h4, h5, h6)")]
    .filter((heading) => !heading.closest(".tl-alive") && heading.compareDocumentPosition(el) & Node.DOCUMENT_POSITION_FOLLOWING);
  const below = String(Number(above.at(-1)?.tagName[1] ?? 1) + 1);
  const set = () => el.querySelectorAll("h4:not([aria-level])").forEach((heading) => heading.setAttribute("aria-level", below));
  set();
  new MutationObserver(set).observe(el, { childList: true, subtree: true });
}

// What is scrolled sideways has to be reached by the keyboard.
function reachable() {
  for (const node of document.querySelectorAll("pre, .katex-display, div.cell_output, .table-wrapper")) {
    const scrolls = node.scrollWidth > node.clientWidth + 1;
    if (scrolls !== (node.getAttribute("tabindex") === "0")) scrolls ? node.setAttribute("tabindex", "0") : node.removeAttribute("tabindex");
  }
}

// What is large comes only when the reader says so. Returns ask(files), a promise kept once the button in `place` was pressed.
function asker(place) {
  let answer = null;
  return (files) => (answer ??= new Promise((agreed, refused) => {
    if (location.protocol === "file:") {
      refused(new Error(SERVED));
      return;
    }
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = `Load ${inWords(files)} and try it`;
    const note = document.createElement("span");
    note.textContent = "Until then it shows a stored answer. The model runs in this page; nothing you type leaves it.";
    place.replaceChildren(button, note);
    button.addEventListener("click", () => {
      place.replaceChildren();
      agreed();
    });
  }));
}

async function wake(figure) {
  const { state: name, module, brain } = figure.dataset;
  await Promise.all([script(`states/${name}.js`), script(`explorers/${module}.js`)]);
  const stored = tl.states[name];
  const line = document.createElement("p");
  line.className = "tl-busy";
  line.setAttribute("role", "status");
  const busy = (text) => { line.textContent = text ?? ""; };
  const offer = document.createElement("p");
  offer.className = "tl-offer";
  const ask = asker(offer);
  const large = JSON.parse(figure.dataset.large ?? "[]");
  const context = { extras: stored.extras, base, script, busy, large, ask };
  const makeBrain = brain === undefined ? null : async () => {
    await script(`brains/${module}.js`);
    return tl.brains[module].default(context);
  };
  const model = new Model(revive(stored.state), makeBrain);
  model.failed = (error) => {
    console.error(error);
    busy(location.protocol === "file:" ? SERVED : `That didn't work here (${error.message}).`);
  };
  // The button stands there from the start when the explorer cannot answer without what is large.
  const propose = async () => {
    const wanted = await missing(context, large);
    if (wanted.length) ask(wanted).then(() => model.prepare(), () => busy(SERVED));
  };
  const el = document.createElement("div");
  el.className = "tl-alive";
  const picture = figure.querySelector("img");
  if (large.length) picture.after(offer, line, el);
  else picture.after(offer, el, line);
  picture.hidden = true;
  const clean = await tl.explorers[module].default.render({ model, el });
  level(el);
  figure.dataset.awake = "";
  figure.model = model;
  propose();
  window.addEventListener("pagehide", (event) => {
    if (event.persisted) return;
    clean?.();
    model.close();
  });
}

function wakeWhenNear() {
  const near = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      wake(target).catch((error) => {
        console.error(error);
        target.querySelector("img")?.removeAttribute("hidden");
        target.querySelector(".tl-alive")?.remove();
      });
    }
  }, { rootMargin: NEAR });
  document.querySelectorAll("figure.tl-live[data-state][data-module]").forEach((figure) => near.observe(figure));
}

// Guesses: never graded, never sent anywhere.
const kept = {
  get: (number) => { try { return localStorage.getItem(`guess ${number}`); } catch { return null; } },
  set: (number, value) => { try { localStorage.setItem(`guess ${number}`, value); } catch { /* not allowed: kept for this page */ } },
};

function guesses() {
  const say = (form, value) => { form.querySelector("output").textContent = value ? `Kept in this browser: ${value}` : ""; };
  const reveal = (number, value) => {
    for (const place of document.querySelectorAll("details.tl-after")) {
      if (!place.dataset.reveals.split(" ").includes(number)) continue;
      let line = place.querySelector(`[data-of="${number}"]`);
      if (!line) {
        line = document.createElement("p");
        line.className = "tl-yours";
        line.dataset.of = number;
        place.append(line);
      }
      line.textContent = value ? `Your guess for ${number} was ${value}.` : "";
    }
  };
  for (const form of document.querySelectorAll("form.tl-guess")) {
    const number = form.dataset.guess;
    const input = form.querySelector("input");
    input.value = kept.get(number) ?? "";
    say(form, input.value);
    reveal(number, input.value);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      kept.set(number, input.value.trim());
      say(form, input.value.trim());
      reveal(number, input.value.trim());
    });
  }
}

// A link into something folded unfolds it.
function unfold() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let node = target; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
}

function begin() {
  wakeWhenNear();
  guesses();
  unfold();
  reachable();
  window.addEventListener("resize", reachable);
  document.addEventListener("toggle", reachable, true);
  window.addEventListener("hashchange", unfold);
  window.addEventListener("beforeprint", () => {
    for (const node of document.querySelectorAll("details:not(.tl-open)")) node.open = true;
  });
}
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
else begin();

export { Model, script };

// Helpers that every explorer's script starts with. Text from outside goes in with textContent only.

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") node.textContent = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children);
  // Without this JupyterLab takes the arrow keys for itself.
  if (["INPUT", "SELECT", "TEXTAREA"].includes(node.tagName)) {
    node.setAttribute("data-lm-suppress-shortcuts", "true");
  }
  return node;
}

function slider(label, { min, max, step = 1, value, show = String, change }) {
  const readout = element("output", { text: show(value) });
  const input = element("input", { type: "range", min, max, step, value, "aria-label": label });
  input.addEventListener("input", () => {
    readout.textContent = show(Number(input.value));
    change(Number(input.value));
  });
  return { input, node: element("label", {}, label, input, readout) };
}

// Moves a slider as if by hand, but tells nobody.
function moveTo({ input, node }, value, show = String) {
  input.value = value;
  node.querySelector("output").textContent = show(value);
}

// Redraws at most once a frame, always with the newest state.
function frameLoop(draw) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      draw();
    });
  };
}

// Pointer and arrow keys on a canvas that shows state.T x state.S cells: the cell under the pointer goes to
// state.pointed, `choose(cell)` is a click, `step([down, right])` an arrow key, `leave()` Escape where it means something.
function gridEvents(canvas, state, update, { grid, choose, step, leave }) {
  const hit = (event) => {
    const area = canvas.getBoundingClientRect();
    const { left, top, width, height } = grid();
    const row = Math.floor((event.clientY - area.top - top) / height);
    const column = Math.floor((event.clientX - area.left - left) / width);
    return row >= 0 && row < state.T && column >= 0 && column < state.S ? { row, column } : null;
  };
  canvas.addEventListener("pointermove", (event) => {
    const now = hit(event);
    if (now?.row !== state.pointed?.row || now?.column !== state.pointed?.column) update({ pointed: now });
  });
  canvas.addEventListener("pointerleave", () => state.pointed && update({ pointed: null }));
  canvas.addEventListener("click", (event) => {
    const now = hit(event);
    if (now) choose(now);
  });
  canvas.addEventListener("keydown", (event) => {
    const way = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!way && !(leave && event.key === "Escape")) return;
    event.preventDefault();
    event.stopPropagation();
    way ? step(way) : leave();
  });
}

// Colours as the browser has resolved them, for canvases; `mix(t)` runs from the card to the ink of a weight.
function readTheme(root) {
  const parse = (text) => (text.match(/[\d.]+/g) || [255, 255, 255]).slice(0, 3).map(Number);
  const card = parse(getComputedStyle(root).backgroundColor);
  const dark = card[0] * 0.3 + card[1] * 0.59 + card[2] * 0.11 < 128;
  root.toggleAttribute("data-dark", dark);
  const style = getComputedStyle(root);
  const named = (name) => style.getPropertyValue(`--tl-${name}`).trim();
  const stops = dark
    ? [card, [21, 68, 102], [86, 180, 233], [235, 247, 255]]
    : [card, [169, 207, 230], [0, 114, 178], [8, 48, 107]];
  const mix = (t) => {
    const at = Math.min(Math.max(t, 0), 1) * (stops.length - 1);
    const low = Math.min(Math.floor(at), stops.length - 2);
    return stops[low].map((from, i) => Math.round(from + (stops[low + 1][i] - from) * (at - low)));
  };
  const theme = { dark, card, mix, ink: style.color };
  for (const name of ["muted", "line", "blue", "orange", "green", "pink", "amber"]) theme[name] = named(name);
  return theme;
}

// A share of the second colour over the first, which is [r, g, b]; the second is [r, g, b] or "#rrggbb".
function mixed(ground, colour, share) {
  const over = typeof colour === "string" ? [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16)) : colour;
  return ground.map((from, i) => Math.round(from + (over[i] - from) * share));
}

// Black or white, whichever can be read on [r, g, b]: both have a contrast of 4.5 where they meet.
function inkOn(ground) {
  const linear = ground.map((c) => (c <= 10 ? c / 3294 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return linear.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0) > 0.179 ? "#000" : "#fff";
}

// Calls `changed(theme)` once the page shows `root` and whenever the notebook switches between light
// and dark; returns a function that stops it.
function watchTheme(root, changed) {
  const tell = () => changed(readTheme(root));
  let width = -1; // a sentence that wraps makes the explorer higher, and asks for no new drawing
  const seen = new ResizeObserver(() => {
    if (root.clientWidth === width) return;
    width = root.clientWidth;
    tell();
  });
  seen.observe(root);
  // JupyterLab renames the theme on <body> before or after its stylesheet has loaded.
  const observer = new MutationObserver(() => [0, 300, 1000].forEach((wait) => setTimeout(tell, wait)));
  observer.observe(document.body, { attributes: true });
  const media = matchMedia("(prefers-color-scheme: dark)");
  media.addEventListener("change", tell);
  return () => {
    observer.disconnect();
    seen.disconnect();
    media.removeEventListener("change", tell);
  };
}

// A canvas of CSS size width x height, sharp on any screen; returns its cleared context.
function sizedContext(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

function strokeLine(context, points, colour, thick = 1, dash = []) {
  context.beginPath();
  points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
  [context.strokeStyle, context.lineWidth] = [colour, thick];
  context.setLineDash(dash);
  context.stroke();
  context.setLineDash([]);
}

// A token as people can read it: white space made visible, very long ones shortened by characters.
function readable(token, longest = Infinity) {
  if (token === "") return "(empty)";
  const letters = Array.from(token.replace(/\n/g, "⏎").replace(/\t/g, "⇥").replace(/\p{Cc}/gu, "�"));
  if (letters.every((letter) => letter.trim() === "")) return "␣".repeat(Math.min(letters.length, 8));
  return letters.length > longest ? `${letters.slice(0, longest - 1).join("")}…` : letters.join("");
}

// Half-precision bytes (a DataView from the kernel) as a Float32Array.
function fromFloat16(view) {
  const half = new Uint16Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
  const table = (fromFloat16.table ??= Float32Array.from({ length: 65536 }, (_, bits) => {
    const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
    const size = exponent === 31 ? (fraction ? NaN : Infinity)
      : exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024);
    return bits & 32768 ? -size : size;
  }));
  const values = new Float32Array(half.length);
  for (let i = 0; i < half.length; i++) values[i] = table[half[i]];
  return values;
}

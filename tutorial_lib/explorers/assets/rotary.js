// Hands that turn with their positions. Turned counter-clockwise, as (u cos a - v sin a, u sin a + v cos a).

const [FOOT, CURVE] = [58, 150]; // room below a dial, and for the curve

function render({ model, el }) {
  const [q, k, most] = ["q", "k", "most"].map((name) => model.get(name));
  const pairs = q.length / 2;
  const reach = most; // the curve shows offsets from -most to most
  const rate = (i) => 10000 ** (-2 * i / q.length);
  const hand = (vector, i, at) => {
    const length = Math.hypot(vector[2 * i], vector[2 * i + 1]);
    return { length, angle: Math.atan2(vector[2 * i + 1], vector[2 * i]) + at * rate(i) };
  };
  const part = (i, offset) => {
    const [one, other] = [hand(q, i, 0), hand(k, i, offset)];
    return one.length * other.length * Math.cos(other.angle - one.angle);
  };
  const score = (offset) => Array.from({ length: pairs }, (_, i) => part(i, offset)).reduce((a, b) => a + b) / Math.sqrt(q.length);
  const longest = Math.max(...[q, k].flatMap((vector) => Array.from({ length: pairs }, (_, i) => hand(vector, i, 0).length)));
  const state = {};

  const root = element("div", { class: "tl-explorer tl-rotary", role: "group", "aria-label": model.get("label") });
  const set = (name, value) => {
    model.set(name, value); // `changed` follows
    model.save_changes();
  };
  const control = (label, name) => slider(label, { min: 0, max: most, value: model.get(name), change: (x) => {
    stop();
    set(name, x);
  } });
  const sliders = { query: control("Query at position", "query"), key: control("Key at position", "key"), shift: control("Move both by", "shift") };
  let walking = null;
  const stop = () => {
    clearInterval(walking);
    walking = null;
    walk.textContent = "▶ Walk through the text";
  };
  const walk = element("button", { text: "▶ Walk through the text", onclick: () => {
    if (walking) return stop();
    if (model.get("shift") === most) set("shift", 0);
    walk.textContent = "■ Stop";
    walking = setInterval(() => (model.get("shift") < most ? set("shift", model.get("shift") + 1) : stop()), 250);
  } });
  const canvas = element("canvas", { role: "img" });
  const readout = element("p", { class: "tl-readout", role: "status" });
  root.append(
    element("p", { class: "tl-title", text: model.get("label") }),
    element("div", { class: "tl-controls" }, ...Object.values(sliders).map((s) => s.node), walk),
    canvas, readout,
    element("p", { class: "tl-note", text: "Each dial is one pair of numbers. Hands turn counter-clockwise; the first pair by 57.3° a position, later pairs less and less. The score is what all pairs add, divided by √K." }));
  el.append(root);

  const degrees = (angle) => {
    const turned = angle * 180 / Math.PI % 360;
    return turned > 180 ? turned - 360 : turned <= -180 ? turned + 360 : turned;
  };
  const minus = (number, digits) => number.toFixed(digits).replace("-", "−").replace(/^−(0\.?0*)$/, "$1");

  function dial(context, i, x, y, radius) {
    const { theme, at } = state;
    const hands = [["blue", hand(q, i, at.query)], ["orange", hand(k, i, at.key)]];
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    [context.strokeStyle, context.lineWidth] = [theme.line, 1.5];
    context.stroke();
    const between = degrees(hands[1][1].angle - hands[0][1].angle) * Math.PI / 180;
    context.beginPath();
    context.moveTo(x, y);
    context.arc(x, y, radius * 0.36, -hands[0][1].angle, -hands[0][1].angle - between, between > 0);
    [context.fillStyle, context.globalAlpha] = [theme.green, 0.35];
    context.fill();
    context.globalAlpha = 1;
    for (const [colour, { length, angle }] of hands) {
      const far = radius * 0.96 * length / longest;
      const [dx, dy] = [Math.cos(angle), -Math.sin(angle)];
      const tip = [x + far * dx, y + far * dy];
      strokeLine(context, [[x, y], tip], theme[colour], 3);
      for (const side of [2.6, -2.6]) {
        strokeLine(context, [tip, [tip[0] + 9 * Math.cos(angle + side), tip[1] - 9 * Math.sin(angle + side)]], theme[colour], 3);
      }
    }
    [context.textAlign, context.textBaseline] = ["center", "top"];
    const lines = [[`pair ${i}`, theme.muted, ""], [`angle ${minus(degrees(hands[1][1].angle - hands[0][1].angle), 0)}°`, theme.ink, "600 "],
      [`adds ${minus(part(i, at.key - at.query), 2)}`, theme.ink, ""]];
    lines.forEach(([text, colour, weight], row) => {
      context.font = `${weight}13px system-ui, sans-serif`;
      context.fillStyle = colour;
      context.fillText(text, x, y + radius + 6 + 17 * row);
    });
  }

  function curve(context, top, width) {
    const { theme, at } = state;
    const offset = at.key - at.query;
    const all = Array.from({ length: 2 * reach + 1 }, (_, n) => score(n - reach));
    const [low, high] = [Math.min(...all, 0), Math.max(...all, 0)];
    const [left, bottom] = [44, top + CURVE - 34];
    const x = (o) => left + (o + reach) / (2 * reach) * (width - left - 12);
    const y = (s) => bottom - (s - low) / (high - low) * (bottom - top - 22);
    const whole = [-2, -1, 0, 1, 2].filter((s) => s >= low && s <= high);
    for (const s of whole) strokeLine(context, [[left, y(s)], [width - 12, y(s)]], theme.line, 1);
    strokeLine(context, [[x(offset), top + 16], [x(offset), bottom]], theme.muted, 1, [4, 3]);
    strokeLine(context, all.map((s, n) => [x(n - reach), y(s)]), theme.green, 2);
    context.beginPath();
    context.arc(x(offset), y(score(offset)), 6, 0, 2 * Math.PI);
    context.fillStyle = theme.green;
    context.fill();
    context.font = "12px system-ui, sans-serif";
    context.fillStyle = theme.muted;
    [context.textAlign, context.textBaseline] = ["center", "top"];
    for (const o of [-reach, -reach / 2, 0, reach / 2, reach]) context.fillText(minus(o, 0), x(o), bottom + 4);
    context.fillText("offset: key’s position minus query’s", (left + width) / 2, bottom + 18);
    [context.textAlign, context.textBaseline] = ["right", "middle"];
    for (const s of whole) context.fillText(minus(s, 0), left - 6, y(s));
    context.textAlign = "left";
    context.fillText("score", 2, top + 8);
  }

  function draw() {
    if (!state.theme || root.clientWidth < 120) return; // a hidden cell has no room for dials
    const width = Math.min(root.clientWidth - 30, 760);
    const radius = Math.min(width / pairs / 2 - 8, 84);
    const high = 2 * radius + FOOT + CURVE + 12;
    const context = sizedContext(canvas, width, high);
    for (let i = 0; i < pairs; i++) dial(context, i, width / pairs * (i + 0.5), radius + 4, radius);
    curve(context, 2 * radius + FOOT + 10, width);
    const { at } = state;
    readout.replaceChildren(element("span", { class: "tl-query", text: "Query" }), ` at position ${at.query}, `,
      element("span", { class: "tl-key", text: "key" }), ` at position ${at.key}: offset ${minus(at.key - at.query, 0)}, score `,
      element("b", { text: minus(score(at.key - at.query), 3) }));
    canvas.setAttribute("aria-label", `${pairs} dials with a hand of the query and one of the key, and the score over the offset. ${readout.textContent}`);
  }

  function read() {
    const [query, key, shift] = ["query", "key", "shift"].map((name) => model.get(name));
    state.at = { query: query + shift, key: key + shift };
    for (const [name, value] of Object.entries({ query, key, shift })) {
      sliders[name].input.value = value;
      sliders[name].node.querySelector("output").textContent = value;
    }
    model.set("result", { score: score(key - query), query: state.at.query, key: state.at.key });
  }

  const redraw = frameLoop(draw);
  read();
  model.save_changes();
  const unwatch = watchTheme(root, (theme) => {
    state.theme = theme;
    redraw();
  });
  const events = ["query", "key", "shift"].map((name) => `change:${name}`);
  const changed = () => {
    read();
    redraw();
  };
  for (const event of events) model.on(event, changed);
  return () => {
    stop();
    unwatch();
    for (const event of events) model.off(event, changed);
  };
}

export default { render };

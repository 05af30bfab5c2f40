// Lines between the tokens that look (left) and the tokens that are looked at (right).
// Only what is in sight is drawn, so that a long input stays smooth.

const sameToken = (a, b) => a?.side === b?.side && a?.index === b?.index;

// Pointing at a token isolates it, a click keeps it so and lets it go; hit(event) tells which token.
function tokenEvents(canvas, state, update, hit) {
  canvas.addEventListener("pointermove", (event) => {
    const token = hit(event);
    if (!sameToken(token, state.hover)) update({ hover: token });
  });
  canvas.addEventListener("pointerleave", () => state.hover && update({ hover: null }));
  canvas.addEventListener("click", (event) => {
    const token = hit(event);
    update({ pinned: sameToken(token, state.pinned) ? null : token });
  });
}

function linesView(state, update) {
  const canvas = element("canvas", {
    tabindex: "0", role: "application", "data-lm-suppress-shortcuts": "true",
    "aria-label": "Lines between tokens. Up and down choose a token, left and right the side, Escape lets go.",
  });
  const filler = element("div");
  const node = element("div", { class: "tl-lines" }, canvas, filler);
  const note = element("div", { class: "tl-note" });
  const [tall, pad, most] = [440, 6, 600];
  let height = tall;
  let width = 380;
  let rowHeight = 22;
  let gutter = 110;

  const y = (index) => pad + (index + 0.5) * rowHeight - node.scrollTop;
  const hit = (event) => {
    const area = canvas.getBoundingClientRect();
    const [x, at] = [event.clientX - area.left, event.clientY - area.top + node.scrollTop - pad];
    const index = Math.floor(at / rowHeight);
    const side = x < gutter ? "row" : x > width - gutter ? "column" : null;
    const count = side === "row" ? state.T : state.S;
    return side && index >= 0 && index < count ? { side, index } : null;
  };
  tokenEvents(canvas, state, update, hit);
  canvas.addEventListener("keydown", (event) => {
    const now = state.pinned || { side: "row", index: -1 };
    const count = now.side === "row" ? state.T : state.S;
    let next;
    if (event.key === "ArrowDown") next = { side: now.side, index: Math.min(now.index + 1, count - 1) };
    else if (event.key === "ArrowUp") next = { side: now.side, index: Math.max(now.index - 1, 0) };
    else if (event.key === "Home") next = { side: now.side, index: 0 };
    else if (event.key === "End") next = { side: now.side, index: count - 1 };
    else if (event.key === "ArrowLeft") next = { side: "row", index: Math.min(Math.max(now.index, 0), state.T - 1) };
    else if (event.key === "ArrowRight") next = { side: "column", index: Math.min(Math.max(now.index, 0), state.S - 1) };
    else if (event.key === "Escape") next = null;
    else return;
    event.preventDefault();
    event.stopPropagation();
    update({ pinned: next, hover: null });
  });
  node.addEventListener("scroll", () => update({}));

  let revealed = null;
  function reveal(token) {
    if (state.hover || sameToken(token, revealed)) return;
    revealed = token;
    const top = token ? pad + token.index * rowHeight : node.scrollTop;
    if (top < node.scrollTop || top + rowHeight > node.scrollTop + height) node.scrollTop = top - height / 2;
  }

  function labels(context, side, x) {
    const { labels: tokens, segments } = side;
    const left = x === 0;
    const isolated = state.isolated?.side === (left ? "row" : "column") ? state.isolated.index : -1;
    const two = segments.some((segment) => segment !== segments[0]);
    context.textBaseline = "middle";
    context.textAlign = left ? "right" : "left";
    for (let i = 0; i < tokens.length; i++) {
      const middle = y(i);
      if (middle < -rowHeight || middle > height + rowHeight) continue;
      const colour = segments[i] ? state.theme.orange : state.theme.blue;
      if (i === isolated) {
        context.globalAlpha = 0.22;
        context.fillStyle = colour;
        context.fillRect(x, middle - rowHeight / 2, gutter, rowHeight);
      }
      if (isolated < 0 && state.isolated) {
        context.globalAlpha = 0.45 * state.isolatedWeights[i];
        context.fillStyle = state.theme.blue;
        context.fillRect(x, middle - rowHeight / 2, gutter, rowHeight);
      }
      context.globalAlpha = two ? 0.9 : 0;
      context.fillStyle = colour;
      context.fillRect(left ? gutter - 4 : x + 1, middle - rowHeight / 2 + 1, 3, rowHeight - 2);
      context.globalAlpha = 1;
      context.fillStyle = state.theme.ink;
      context.fillText(state.shown(tokens[i]), left ? gutter - 9 : x + 9, middle);
    }
  }

  // [weight, row, column] of every line to draw, the strongest last; `left` says how many are left out.
  function inSight(isolated) {
    const lines = [];
    const least = Math.max(state.threshold, 0.004);
    for (let t = 0; t < state.T; t++) {
      if (isolated?.side === "row" && isolated.index !== t) continue;
      const from = y(t);
      for (let s = 0; s < state.S; s++) {
        const weight = state.weights[t * state.S + s];
        if (weight < least || (isolated?.side === "column" && isolated.index !== s)) continue;
        const to = y(s);
        if ((from < 0 && to < 0) || (from > height && to > height)) continue;
        lines.push([weight, t, s]);
      }
    }
    lines.sort((a, b) => a[0] - b[0]);
    const left = Math.max(0, lines.length - most);
    return { lines: lines.slice(left), left };
  }

  return {
    node: element("div", {}, node, note),
    canvas,
    resize() {
      const count = Math.max(state.T, state.S);
      rowHeight = count <= 20 ? Math.max(20, Math.min(26, tall / (count + 1))) : 18;
      height = count <= 32 ? Math.max(tall, count * rowHeight + 2 * pad) : tall; // a few lines too many need no scrolling
      const total = Math.min(height, count * rowHeight + 2 * pad);
      gutter = 16 + state.widest(13);
      width = Math.max(250, 2 * gutter + 110);
      node.style.height = `${total}px`;
      // Room for the scroll bar, so that it does not hide the labels on the right.
      node.style.width = `${width + (count * rowHeight > height ? 16 : 0)}px`;
      filler.style.height = `${Math.max(0, count * rowHeight + 2 * pad - total)}px`;
      this.height = total;
    },
    draw() {
      const context = sizedContext(canvas, width, this.height);
      context.font = "13px system-ui, sans-serif";
      const isolated = state.isolated;
      reveal(isolated);
      // An isolated token's lines are told apart by their share of its strongest one.
      const strongest = isolated ? Math.max(1e-6, ...state.isolatedWeights) : 1;
      const [x0, x1] = [gutter + 2, width - gutter - 2];
      const bend = (x1 - x0) * 0.45;
      const straight = state.T + state.S > 120;
      const { lines, left } = inSight(isolated);
      note.textContent = left ? `The ${lines.length} strongest of ${lines.length + left} lines in sight.` : "";
      for (const [weight, t, s] of lines) {
        const [from, to] = [y(t), y(s)];
        context.strokeStyle = state.rows.segments[t] ? state.theme.orange : state.theme.blue;
        context.globalAlpha = Math.min(1, 0.1 + 0.9 * (weight / strongest) ** 0.8);
        context.lineWidth = 0.6 + 4.4 * weight;
        context.beginPath();
        context.moveTo(x0, from);
        if (straight) context.lineTo(x1, to);
        else context.bezierCurveTo(x0 + bend, from, x1 - bend, to, x1, to);
        context.stroke();
      }
      context.globalAlpha = 1;
      labels(context, state.rows, 0);
      labels(context, state.columns, width - gutter);
    },
  };
}

// The text so far, each written token tinted by its probability, and the time each token took.

const [TEXT, LABEL, LOG_P, DRAWN, MS, CACHED] = [0, 1, 2, 3, 4, 5]; // of a written token

function textPanel({ point, select }) {
  const [prompt, written] = [element("span", { class: "tl-prompt" }), element("span")];
  const node = element("div", {
    class: "tl-text", tabindex: "0", role: "group", dir: "auto", "data-lm-suppress-shortcuts": "true",
    "aria-label": "Text so far. Left and right arrow keys choose a written token.",
  }, prompt, written);
  let tokens = [];
  const indexOf = (event) => {
    const span = event.target.closest?.("[data-index]");
    return span && written.contains(span) ? Number(span.dataset.index) : -1;
  };
  node.addEventListener("pointermove", (event) => point(indexOf(event)));
  node.addEventListener("pointerleave", () => point(-1));
  node.addEventListener("click", (event) => indexOf(event) >= 0 && select(indexOf(event)));
  node.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    if (!step || !tokens.length) return;
    event.preventDefault();
    event.stopPropagation();
    const now = written.querySelector(".tl-here");
    const at = now ? Number(now.dataset.index) : tokens.length - 1;
    select(Math.min(Math.max(at + step, 0), tokens.length - 1));
  });

  function span(token, index) {
    const cost = Math.min(-token[LOG_P] / 6, 1); // 6 nats are a probability of 0.0025
    return element("span", { "data-index": index, style: `--cost:${(cost * 55).toFixed(0)}%`, text: token[TEXT].replace(/\n/g, "⏎\n") });
  }
  // Only what is new is added, so that a long text stays quick; another text starts anew.
  function take(answer) {
    const same = (i) => answer.written[i]?.[MS] === tokens[i][MS] && answer.written[i][LABEL] === tokens[i][LABEL];
    if (tokens.length && !(same(0) && same(tokens.length - 1))) {
      written.replaceChildren();
      tokens = [];
    }
    prompt.textContent = answer.prompt || readable(answer.start);
    prompt.classList.toggle("tl-start", !answer.prompt);
    written.append(...answer.written.slice(tokens.length).map((token, i) => span(token, tokens.length + i)));
    tokens = answer.written;
    node.scrollTop = node.scrollHeight;
  }
  function mark(index) {
    written.querySelector(".tl-here")?.classList.remove("tl-here");
    written.children[index]?.classList.add("tl-here");
  }
  return { node, take, mark, token: (index) => tokens[index] };
}

function tokenCount(n) {
  return `${n.toLocaleString("en-US")} ${n === 1 ? "token" : "tokens"}`;
}

// What the model thinks of the text: nats and bits per character of the prompt and of what was written.
function likelihood(answer) {
  const letters = (token) => Array.from(token[TEXT]).length;
  const own = { nats: answer.written.reduce((sum, token) => sum + token[LOG_P], 0), tokens: answer.written.length, letters: answer.written.reduce((sum, token) => sum + letters(token), 0) };
  const [nats, tokens] = answer.prompt_scored;
  const all = { nats: own.nats + nats, tokens: own.tokens + tokens, letters: own.letters + answer.prompt_letters };
  const bits = ({ nats: sum, letters: n }) => (n ? -sum / Math.LN2 / n : NaN);
  return { all, own, bits: { all: bits(all), own: bits(own) } };
}

function likelihoodInWords(answer) {
  const { all, own, bits } = likelihood(answer);
  const part = (name, { nats, tokens }, rate) => `${name}: log p = ${nats.toFixed(1).replace("-", "−")} nats over ${tokenCount(tokens)}`
    + (Number.isFinite(rate) ? `, ${rate.toFixed(2)} bits per character` : "");
  if (!all.tokens) return "Text so far: its first token has nothing before it, so there is no probability yet.";
  return [part("Text so far", all, bits.all), own.tokens && part("written part", own, bits.own)].filter(Boolean).join("; ") + ".";
}

function timesInWords(answer) {
  const mean = (cached) => {
    const some = answer.written.filter((token) => token[CACHED] === cached).map((token) => token[MS]);
    return some.length ? `mean ${(some.reduce((a, b) => a + b) / some.length).toFixed(1)} ms ${cached ? "with" : "without"} cache (${some.length})` : "";
  };
  const where = answer.timed ?? "in Python here"; // a page without a kernel says where
  const last = answer.written[answer.written.length - 1];
  const reading = `reading ${answer.prompt_tokens === 1 ? "the first token" : `the first ${answer.written.length + answer.prompt_tokens} tokens`}`;
  if (!last) return `Time, as measured ${where}: ${answer.prompt_ms.toFixed(1)} ms for ${reading}. Step or run to see the time of each token.`;
  return `Time for a token, as measured ${where}: last ${last[MS].toFixed(1)} ms; ${[mean(true), mean(false)].filter(Boolean).join("; ")}.`;
}

// A dot for each written token: how long the text was, and how long the model took.
function drawTimes(canvas, answer, context, theme, width) {
  const [height, left, bottom, top] = [104, 58, 30, 8];
  const pen = sizedContext(canvas, width, height);
  const times = answer.written.map((token) => token[MS]);
  const sorted = [...times].sort((a, b) => a - b);
  const most = Math.max(1, 1.25 * (sorted[Math.floor(0.97 * (sorted.length - 1))] || 0)); // a hiccup of the machine does not set the scale
  const longest = Math.max(answer.prompt_tokens + times.length, answer.prompt_tokens + 40);
  const x = (length) => left + ((width - left - 10) * (length - answer.prompt_tokens)) / (longest - answer.prompt_tokens);
  const y = (ms) => height - bottom - ((height - bottom - top) * Math.min(ms, most)) / most;
  pen.font = "11.5px system-ui, sans-serif";
  pen.fillStyle = pen.strokeStyle = theme.muted;
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  for (const ms of [0, most / 2, most]) {
    pen.fillText(`${ms.toFixed(ms && most < 10 ? 1 : 0)} ms`, left - 5, y(ms));
    pen.globalAlpha = 0.3;
    pen.fillRect(left, Math.round(y(ms)), width - left - 10, 1);
    pen.globalAlpha = 1;
  }
  if (context > answer.prompt_tokens && context <= longest) {
    pen.setLineDash([4, 3]);
    pen.beginPath();
    pen.moveTo(x(context), top);
    pen.lineTo(x(context), height - bottom);
    pen.stroke();
    pen.setLineDash([]);
    pen.fillText(`context ${context}`, x(context) - 4, top + 6);
  }
  pen.textBaseline = "alphabetic";
  pen.textAlign = "left";
  pen.fillText(tokenCount(answer.prompt_tokens), left, height - 14);
  pen.textAlign = "right";
  pen.fillText(tokenCount(longest), width - 10, height - 14);
  answer.written.forEach((token, i) => {
    pen.fillStyle = token[CACHED] ? theme.blue : theme.orange;
    pen.beginPath();
    pen.arc(x(answer.prompt_tokens + i + 1), y(token[MS]), 2.2, 0, 2 * Math.PI);
    pen.fill();
  });
}

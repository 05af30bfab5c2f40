"""What holds for every explorer's page: text that stands out, and controls that can be reached."""

# Texts whose contrast with what is painted behind them is under WCAG's 4.5 (controls that are
# switched off excepted).
_FAINT = """
() => {
  const brush = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const paint = (colours) => {
    brush.clearRect(0, 0, 1, 1);
    for (const colour of colours) { brush.fillStyle = colour; brush.fillRect(0, 0, 1, 1); }
    return [...brush.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (rgb) => rgb.map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const faint = [];
  for (const node of document.querySelectorAll(".tl-explorer, .tl-explorer *")) {
    const own = [...node.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    const typed = node.matches("input[type=number], textarea, select");
    if (!(own || typed) || node.disabled || node.matches("option")) continue;
    if (!node.checkVisibility()) continue;
    const behind = [];
    for (let n = node; n; n = n.parentElement) behind.unshift(getComputedStyle(n).backgroundColor);
    const [ground, ink] = [behind, [...behind, getComputedStyle(node).color]].map(paint).map(light);
    const ratio = (Math.max(ground, ink) + 0.05) / (Math.min(ground, ink) + 0.05);
    if (ratio < 4.5) faint.push(`${node.className} ${node.textContent} ${ratio.toFixed(2)}`);
  }
  return faint;
}
"""

_UNREACHABLE = """
() => [...document.querySelectorAll('button, input, select, textarea, [tabindex]')]
  .filter((n) => n.offsetParent !== null)
  .filter((n) => !(n.getAttribute('aria-label') || n.textContent.trim() || n.closest('label'))
    || (n.tabIndex < 0 && n.getAttribute('role') !== 'gridcell'))
  .map((n) => n.outerHTML.slice(0, 90))
"""

# Milliseconds from typing a text to the frame after its answer is drawn.
_TYPED = """
async ([selector, text]) => {
  const box = document.querySelector(selector);
  const start = performance.now();
  box.value = text;
  box.dispatchEvent(new Event("input", { bubbles: true }));
  const frame = () => new Promise(requestAnimationFrame);
  for (;;) {
    await frame();
    const [request, reply] = [kernel.get("request"), kernel.get("reply")];
    if (request.text === text && reply.number === request.number
      && !document.querySelector(".waiting")) break;
    if (performance.now() - start > 20000) throw new Error(`no answer to ${text}`);
  }
  await frame();
  return performance.now() - start;
}
"""


def faint(page):
    """Texts on the page that do not stand out enough."""
    return page.evaluate(_FAINT)


def unreachable(page):
    """Controls that have no name or that the Tab key cannot reach (a grid has one entry)."""
    return page.evaluate(_UNREACHABLE)


def typed(page, text, box="textarea"):
    """Type a text; milliseconds from the input event to the frame after the answer is drawn."""
    return page.evaluate(_TYPED, [box, text])


def kernel_is_done(page):
    """Wait until the newest request is answered and drawn."""
    page.wait_for_function(
        "() => kernel.get('reply').number === kernel.get('request').number"
        " && !document.querySelector('.waiting')"
    )

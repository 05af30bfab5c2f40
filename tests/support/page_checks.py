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


def faint(page):
    """Texts on the page that do not stand out enough."""
    return page.evaluate(_FAINT)


def unreachable(page):
    """Controls that have no name or that the Tab key cannot reach (a grid has one entry)."""
    return page.evaluate(_UNREACHABLE)


def typed(page, text, box="textarea"):
    """Type a text and wait until its answer is drawn."""
    page.locator(box).fill(text)
    page.wait_for_function("(text) => kernel.get('request').text === text", arg=text)
    kernel_is_done(page)


def kernel_is_done(page):
    """Wait until the newest request is answered and drawn."""
    page.wait_for_function(
        "() => kernel.get('reply').number === kernel.get('request').number"
        " && !document.querySelector('.waiting')"
    )

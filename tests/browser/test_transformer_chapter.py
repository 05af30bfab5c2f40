"""Chapter 04 in JupyterLab: its translation explorer, typed in, stepped through, by keyboard."""

import statistics

import pytest
from browser import changes, quickest

pytestmark = pytest.mark.slow
NAME = "04_transformer.ipynb"
ROOT = ".tl-translation"

# Milliseconds from typing to the frame in which the translation stands there.
TYPE = """async (box, [text, wanted]) => {
  const start = performance.now();
  box.value = text;
  box.dispatchEvent(new Event("input", { bubbles: true }));
  while (!document.querySelector(".tl-written").innerText.includes(wanted)) {
    await new Promise(requestAnimationFrame);
  }
  return performance.now() - start;
}"""


def test_the_translation_explorer(open_notebook, capsys):
    lab = open_notebook(NAME, theme="dark", width=1400, height=1300)
    lab.run_all()
    page, press = lab.page, lab.page.keyboard.press
    explorer = lab.show(ROOT)
    page.wait_for_selector(f"{ROOT} .tl-step canvas")
    assert changes(page, ROOT, page.get_by_role("button", name="Forward one token").click)
    for label, key in (
        ("Token", "ArrowRight"),
        ("Layer", "ArrowLeft"),
        ("Head", "ArrowRight"),
        ("Beams", "ArrowRight"),
        ("Length penalty α", "ArrowRight"),
    ):
        page.focus(f"{ROOT} input[aria-label='{label}']")
        assert changes(page, ROOT, lambda key=key: press(key)), label
    assert "“zwei”" in explorer.locator(".tl-readout").first.inner_text()
    lab.screenshot("04_translation", explorer)

    box = explorer.locator("input[type=text]")
    pairs = [("1984-03-21", "März"), ("377,777", "siebenundsiebzig"), ("42", "zweiundvierzig")]
    typed = statistics.median(box.evaluate(TYPE, list(pair)) for pair in pairs)
    explorer.get_by_label("Language").select_option("French")
    page.wait_for_function(
        "() => document.querySelector('.tl-written').innerText.includes('quarante')"
    )
    moves = {
        name: quickest(page, f"{ROOT} input[aria-label={name}]", 50) for name in ("Token", "Head")
    }
    with capsys.disabled():
        shown = ", ".join(f"{label} {time:.0f} ms" for label, time in moves.items())
        print(f"\nchapter 04: {shown}, typed text {typed:.0f} ms")
    assert max(moves.values()) < 50
    assert typed < 500
    assert lab.complaints() == []

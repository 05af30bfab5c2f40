"""The translation explorer in a real JupyterLab: typed in, stepped through, measured."""

import os

import pytest
from browser import fingerprint, measure
from example_notebook import write
from nbformat.v4 import new_code_cell, new_notebook
from store_outputs import normalise

pytestmark = pytest.mark.slow

CELL = """from tutorial_lib.explorers import TranslationExplorer
from tutorial_lib.recipes.translator import Translator
TranslationExplorer({"German": Translator.load("de"), "French": Translator.load("fr")}, head=1)"""
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


def test_it_moves_in_jupyterlab(lab, open_notebook, tmp_path, capsys):
    book = normalise(new_notebook(cells=[new_code_cell(CELL)]))
    lab_page = open_notebook(lab.add(write(book, tmp_path, "translation.ipynb")), "dark")
    lab_page.run_all()
    page = lab_page.page
    page.wait_for_selector(f"{ROOT} .tl-step canvas")
    before = fingerprint(page, ROOT)
    page.get_by_role("button", name="Forward one token").click()
    page.wait_for_function("() => document.querySelector('.tl-readout').innerText.includes('hund')")
    assert fingerprint(page, ROOT) != before
    page.focus(f"{ROOT} input[aria-label=Token]")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.querySelector('.tl-readout').innerText.includes('zwei')")
    moved = min(measure(page, f"{ROOT} input[aria-label=Head]") for _ in range(2))
    pairs = [("1984-03-21", "März"), ("377,777", "siebenundsiebzig"), ("42", "zweiundvierzig")]
    box = page.locator(f"{ROOT} input[type=text]")
    times = sorted(box.evaluate(TYPE, list(pair)) for pair in pairs)
    with capsys.disabled():
        print(f"\nJupyterLab: a move {moved:.0f} ms, typed text {times[1]:.0f} ms")
    assert moved < 50
    assert times[1] < 500
    if folder := os.environ.get("TUTORIAL_SCREENSHOTS"):
        page.locator(ROOT).first.screenshot(path=f"{folder}/translation_lab.png")
    assert lab_page.complaints() == []

"""The generation explorer in a real JupyterLab: run and stopped, typed in, measured."""

import os

import pytest
from browser import measure
from example_notebook import write
from nbformat.v4 import new_code_cell, new_notebook
from store_outputs import normalise

pytestmark = pytest.mark.slow

CELL = """from tutorial_lib.explorers import GenerationExplorer
from tutorial_lib.recipes import load_checkpoint
from tutorial_lib.recipes.shakespeare_gpt import decode, encode
model = load_checkpoint("shakespeare-gpt")
GenerationExplorer(model, encode, decode, prompt="HAMLET.\\nTo be", temperature=0.8, top_k=20)"""
ROOT = ".tl-generation"
COUNT = "document.querySelectorAll('.tl-text [data-index]').length"

# Milliseconds from typing to the frame in which the text stands there with its next token.
TYPE = """async (box, text) => {
  const start = performance.now();
  box.value = text;
  box.dispatchEvent(new Event("input", { bubbles: true }));
  while (document.querySelector(".tl-prompt").textContent !== text) {
    await new Promise(requestAnimationFrame);
  }
  await new Promise(requestAnimationFrame);
  return performance.now() - start;
}"""


def test_it_writes_in_jupyterlab(lab, open_notebook, tmp_path, capsys):
    book = normalise(new_notebook(cells=[new_code_cell(CELL)]))
    lab_page = open_notebook(lab.add(write(book, tmp_path, "generation.ipynb")), "dark")
    lab_page.run_all()
    page = lab_page.page
    page.wait_for_selector(f"{ROOT} figure:nth-of-type(2) .tl-row")
    page.click(f"{ROOT} button[aria-label='Write token after token']")
    page.wait_for_function(f"() => {COUNT} >= 20")
    # While it runs a slider is heard, and so is the cache.
    page.focus(f"{ROOT} input[aria-label=Temperature]")
    page.keyboard.press("ArrowRight")
    page.uncheck(f"{ROOT} input[type=checkbox]")
    now = page.evaluate(COUNT)
    page.wait_for_function(f"() => {COUNT} >= {now + 40}")
    page.click(f"{ROOT} button[aria-label='Stop writing']")
    page.wait_for_timeout(700)
    stopped = page.evaluate(COUNT)
    page.wait_for_timeout(500)
    assert page.evaluate(COUNT) == stopped
    assert "without cache" in page.inner_text(f"{ROOT} .tl-stats >> nth=1")
    assert "temperature 0.85" in page.inner_text(f"{ROOT} figure:nth-of-type(1)")
    if folder := os.environ.get("TUTORIAL_SCREENSHOTS"):
        page.locator(ROOT).first.screenshot(path=f"{folder}/generation_lab.png")
    moved = min(measure(page, f"{ROOT} input[aria-label=Temperature]") for _ in range(2))
    box = page.locator(f"{ROOT} textarea")
    times = sorted(box.evaluate(TYPE, text) for text in ("O Romeo", "JULIET.\nAy", "x" * 400))
    with capsys.disabled():
        print(f"\nJupyterLab: a move {moved:.0f} ms, typed text {times[1]:.0f} ms")
    assert moved < 50
    assert times[1] < 500
    assert lab_page.complaints() == []

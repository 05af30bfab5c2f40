"""The attention and the walk explorer inside JupyterLab, with a kernel that answers."""

import pytest
from browser import changes, measure
from example_notebook import write
from nbformat.v4 import new_code_cell, new_notebook
from store_outputs import normalise

pytestmark = pytest.mark.slow

MODEL = """import torch
from tutorial_lib.datasets import minilm_folder
from tutorial_lib.explorers import AttentionExplorer, WalkExplorer
from tutorial_lib.models import BERT
from tutorial_lib.tokenizers import WordPieceTokenizer
from tutorial_lib.interpret import trace

tokenizer = WordPieceTokenizer.from_vocab(minilm_folder() / "vocab.txt")
model = BERT.from_pretrained(minilm_folder())
tired = "The animal didn't cross the street because it was too tired\""""
ATTENTION = """AttentionExplorer.from_model(
    model, tokenizer, tired, other=tired.replace("tired", "wide"), layer=2, head=1, row=10
)"""
WALK = """encoding = tokenizer.encode(tired)
WalkExplorer(trace(model, torch.tensor([encoding.ids])), encoding.tokens)"""
LAYER = ".tl-attention input[aria-label=Layer]"
LAST = "print('done', 6 * 7)"
# Milliseconds from the input event to the frame after the new outputs are in the page.
TYPE = """
async (input, text) => {
  const table = document.querySelector(".tl-outputs");
  const changed = new Promise((done) =>
    new MutationObserver((_, observer) => {
      observer.disconnect();
      requestAnimationFrame(() => requestAnimationFrame(done));
    }).observe(table, { childList: true }));
  const start = performance.now();
  input.value = text;
  input.dispatchEvent(new Event("input", { bubbles: true }));
  await changed;
  return performance.now() - start;
}
"""


@pytest.fixture
def page(lab, open_notebook, tmp_path, request):
    """A page on a notebook with both explorers, run to its end."""
    cells = [new_code_cell(source) for source in (MODEL, ATTENTION, WALK, LAST)]
    book = write(normalise(new_notebook(cells=cells)), tmp_path, "explorers.ipynb")
    opened = open_notebook(lab.add(book), theme=request.param, width=1400, height=1300)
    cells = opened.run_all()
    assert cells[-1]["outputs"][0]["text"] == "done 42\n"
    opened.page.wait_for_selector(".tl-attention canvas")
    opened.page.wait_for_selector(".tl-walk canvas")
    opened.theme = request.param
    return opened


@pytest.mark.parametrize("page", ["light", "dark"], indirect=True)
def test_both_explorers_move_by_mouse_and_keyboard(page, capsys):
    lab_page, tab = page, page.page
    keyboard = tab.keyboard
    lines = tab.locator(".tl-lines canvas")
    lines.scroll_into_view_if_needed()

    tab.focus(LAYER)
    assert changes(tab, ".tl-attention", lambda: keyboard.press("ArrowRight"))
    assert tab.locator(LAYER).input_value() == "3"
    lab_page.screenshot(f"attention-{page.theme}", tab.locator(".tl-attention"))
    tab.focus(".tl-matrix canvas")
    assert changes(tab, ".tl-attention", lambda: keyboard.press("ArrowDown"))
    assert tab.evaluate("document.activeElement.closest('.tl-matrix') !== null")
    assert changes(tab, ".tl-attention", lambda: lines.hover(position={"x": 20, "y": 60}))
    assert changes(tab, ".tl-attention", lambda: tab.get_by_role("button", name="Zero it").click())
    tab.wait_for_function(
        "() => [...document.querySelectorAll('.tl-outputs [role=cell]')]"
        ".some((cell) => cell.textContent.startsWith('-0.'))"
    )
    lab_page.screenshot(f"attention-broken-{page.theme}", tab.locator(".tl-attention"))
    text = tab.locator(".tl-attention input[aria-label=Text]")
    assert changes(tab, ".tl-attention", lambda: text.fill("a dog sat"))
    tab.wait_for_function(
        "() => document.querySelectorAll('.tl-outputs [role=row]').length === 1 + 5"
    )
    sentences = ["the cat " * n for n in range(2, 8)]
    text_time = sorted(text.evaluate(TYPE, sentence) for sentence in sentences)[3]
    layer_time = measure(tab, LAYER)
    walk = tab.locator(".tl-walk")
    walk.scroll_into_view_if_needed()
    next_button = tab.locator(".tl-walk").get_by_role("button", name="Next")
    assert changes(tab, ".tl-walk", next_button.click)
    tab.focus(".tl-walk input[aria-label=Step]")
    assert changes(tab, ".tl-walk", lambda: keyboard.press("ArrowRight"))
    step_time = measure(tab, ".tl-walk input[aria-label=Step]")
    lab_page.screenshot(f"walk-{page.theme}", walk)
    with capsys.disabled():
        print(f"\nJupyterLab, {page.theme}: layer {layer_time:.0f} ms, step {step_time:.0f} ms")
        print(f"typed text through MiniLM: {text_time:.0f} ms (median of 6, 120 ms of it waiting)")
    assert lab_page.complaints() == []
    dark = tab.locator(".tl-attention[data-dark]").count()
    assert dark == (page.theme == "dark")

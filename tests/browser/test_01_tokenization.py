"""Chapter 01 in JupyterLab: merges step by step, and one text cut by four tokenizers."""

import pytest
from browser import changes
from playwright.sync_api import expect

pytestmark = pytest.mark.slow
BPE, WORDPIECE = ".tl-merges >> nth=0", ".tl-merges >> nth=1"
EXPLORERS = {
    "merges": (BPE, "input[aria-label=Merge]", "ArrowRight"),
    "wordpiece": (WORDPIECE, "input[aria-label=Merge]", "ArrowRight"),
    "tokenizers": (".tl-tokens", ".tl-strip", "ArrowRight"),
}


def test_the_explorers(open_chapter):
    lab = open_chapter("01_tokenization.ipynb", EXPLORERS)
    ties = lab.show(BPE).get_by_label("How to break a tie")
    assert changes(lab.page, BPE, lambda: ties.select_option(index=1))
    box = lab.show(".tl-tokens textarea")
    assert changes(lab.page, ".tl-tokens", lambda: box.fill("It takes great courage 🦊"))
    expect(lab.page.locator(".tl-tokens .tl-strip").last).to_contain_text("courage")
    assert lab.page.locator(".tl-tokens .tl-strip").count() == 4
    assert lab.complaints() == []

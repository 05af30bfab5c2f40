"""Chapter 01 in JupyterLab: merges step by step, and one text cut by several tokenizers."""

import pytest
from browser import changes
from playwright.sync_api import expect

pytestmark = pytest.mark.slow
BPE, WORDPIECE = ".tl-merges >> nth=0", ".tl-merges >> nth=1"
REAL, SIZES, YOURS = (f".tl-tokens >> nth={n}" for n in range(3))
EXPLORERS = {
    "merges": (BPE, "input[aria-label=Merge]", "ArrowRight"),
    "wordpiece": (WORDPIECE, "input[aria-label=Merge]", "ArrowRight"),
    "real": (REAL, ".tl-strip", "ArrowRight"),
    "sizes": (SIZES, ".tl-strip", "ArrowRight"),
    "yours": (YOURS, ".tl-strip", "ArrowRight"),
}


def test_the_explorers(open_chapter):
    lab = open_chapter("01_tokenization.ipynb", EXPLORERS)
    ties = lab.show(BPE).get_by_label("How to break a tie")
    assert changes(lab.page, BPE, lambda: ties.select_option(index=1))
    box = lab.show(YOURS).locator("textarea")
    assert changes(lab.page, YOURS, lambda: box.fill("It takes great courage 🦊"))
    expect(lab.page.locator(YOURS).locator(".tl-strip").last).to_contain_text("courage")
    assert (
        lab.page.locator(YOURS).locator(".tl-strip").count() == 4
    )  # the learner's own is the first
    assert lab.complaints() == []

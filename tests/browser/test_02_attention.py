"""Chapter 02 in JupyterLab: its five explorers, by mouse and by keyboard."""

import pytest
from browser import changes

pytestmark = pytest.mark.slow
# MiniLM's explorer has a box for a second segment, SmolLM2's has none.
READS = ".tl-attention:has(input[aria-label='Second segment'])"
WRITES = ".tl-attention:not(:has(input[aria-label='Second segment']))"
EXPLORERS = {
    "softmax": (".tl-softmax", "input[aria-label=Temperature]", "ArrowRight"),
    "width": (".tl-saturation", "input[aria-label='Head width K']", "ArrowRight"),
    "masks": (".tl-masks", "[role=gridcell]", "Space"),
    "attention": (READS, "input[aria-label=Head]", "ArrowRight"),
    "looking_back": (WRITES, "input[aria-label=Head]", "ArrowLeft"),
}


def test_the_explorers(open_chapter):
    lab = open_chapter("02_attention.ipynb", EXPLORERS)
    page = lab.page
    softmax = lab.show(".tl-softmax")
    assert changes(page, ".tl-softmax", softmax.get_by_role("button", name="Next stage").click)
    assert changes(page, ".tl-softmax", lambda: softmax.get_by_label("query 1").fill("2"))
    scale = lab.show(".tl-saturation").get_by_label("Divide the scores by √K")
    assert changes(page, ".tl-saturation", scale.check)
    masks = lab.show(".tl-masks")
    assert changes(page, ".tl-masks", lambda: masks.get_by_label("Preset").select_option("window"))
    assert changes(page, ".tl-masks", masks.get_by_role("gridcell").first.click)
    attention = lab.show(READS)
    zero = attention.get_by_role("button", name="Zero it")
    assert changes(page, READS, zero.click)
    lab.screenshot("02_attention_broken", attention)
    text = attention.locator("input[aria-label=Text]")
    wide = "The animal didn't cross the street because it was too wide."
    assert changes(page, READS, lambda: text.fill(wide))
    lines = attention.locator(".tl-lines canvas")
    assert changes(page, READS, lambda: lines.hover(position={"x": 20, "y": 60}))
    assert lab.complaints() == []

"""Chapter 02 in JupyterLab: its five explorers, by mouse and by keyboard."""

import pytest
from browser import changes

pytestmark = pytest.mark.slow
# In 2A MiniLM is only looked at, in 2K its heads can be broken.
LOOKS = ".tl-attention.tl-simple"
BREAKS = ".tl-attention:not(.tl-simple)"
EXPLORERS = {
    "softmax": (".tl-softmax", "input[aria-label=Temperature]", "ArrowRight"),
    "width": (".tl-saturation", "input[aria-label='Head width K']", "ArrowRight"),
    "masks": (".tl-masks", "[role=gridcell]", "Space"),
    "attention": (LOOKS, "input[aria-label=Head]", "ArrowRight"),
    "breaking": (BREAKS, "input[aria-label=Head]", "ArrowRight"),
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
    attention = lab.show(BREAKS)
    zero = attention.get_by_role("button", name="Zero it")
    assert changes(page, BREAKS, zero.click)
    lab.screenshot("02_attention_broken", attention)
    text = attention.locator("input[aria-label=Text]")
    tired = "The animal didn't cross the street because it was too tired."
    assert changes(page, BREAKS, lambda: text.fill(tired))
    lines = attention.locator(".tl-lines canvas")
    assert changes(page, BREAKS, lambda: lines.hover(position={"x": 20, "y": 60}))
    assert lab.complaints() == []

"""Chapter 05b in JupyterLab: SmolLM2 answers a prompt; the heads of the in-context model."""

import pytest
from browser import changes

pytestmark = pytest.mark.slow
ROOT = ".tl-attention"
HEAD, LAYER = "input[aria-label=Head]", "input[aria-label=Layer]"
WRITING = ".tl-generation"
EXPLORERS = {
    "asking": (WRITING, "input[aria-label=Temperature]", "ArrowRight"),
    "induction": (ROOT, HEAD, "ArrowRight"),
}


def test_the_explorers(open_chapter):
    lab = open_chapter("05b_prompting.ipynb", EXPLORERS)
    page = lab.page
    writing = lab.show(WRITING)
    assert changes(page, WRITING, lambda: page.fill(f"{WRITING} textarea", "English: dog\nFrench:"))
    write_one = writing.get_by_role("button", name="Write one token")
    assert changes(page, WRITING, write_one.click)
    lab.screenshot("05b_asking_written", writing)

    for control, key in ((LAYER, "End"), (HEAD, "End"), (HEAD, "ArrowLeft")):
        lab.press(ROOT, control, key)
    lab.screenshot("05b_induction_last", lab.show(ROOT))  # it looks at the ending that tells
    assert lab.complaints() == []

"""Chapter 05b in JupyterLab: SmolLM2 answers a prompt; the heads of the in-context model."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.slow
ROOT = ".tl-attention"
HEAD, LAYER = "input[aria-label=Head]", "input[aria-label=Layer]"
WRITING = ":nth-match(.tl-generation, 1)"
MADE_UP = ":nth-match(.tl-generation, 2)"  # the small model and its plurals
EXPLORERS = {
    "asking": (WRITING, "input[aria-label=Temperature]", "ArrowRight"),
    "made_up": (MADE_UP, "input[aria-label=Temperature]", "ArrowRight"),
    "induction": (ROOT, HEAD, "ArrowLeft"),  # it opens on the last but one
}


def test_the_explorers(open_chapter):
    lab = open_chapter("05b_prompting.ipynb", EXPLORERS)
    page = lab.page
    writing = lab.show(WRITING)
    writing.get_by_role("button", name="Step: write one token").click()
    page.wait_for_selector(f"{WRITING} .tl-text [data-index]")
    lab.screenshot("05b_asking_written", writing)
    page.fill(f"{WRITING} textarea", "English: dog\nFrench:")
    expect(writing.locator(".tl-prompt")).to_have_text("English: dog\nFrench:", use_inner_text=True)

    for control, key in ((LAYER, "Home"), (HEAD, "End"), (HEAD, "ArrowLeft"), (LAYER, "End")):
        lab.press(ROOT, control, key)
    lab.screenshot("05b_induction_first", lab.show(ROOT))  # it looks at the ending that tells
    assert lab.complaints() == []

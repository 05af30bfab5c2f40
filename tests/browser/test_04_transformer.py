"""Chapter 04 in JupyterLab: its translation explorer, typed in, stepped through, by keyboard."""

import pytest
from browser import changes
from playwright.sync_api import expect

pytestmark = pytest.mark.slow
ROOT = ".tl-translation"
EXPLORERS = {"translation": (ROOT, "input[aria-label=Token]", "ArrowRight")}


def test_the_explorer(open_chapter):
    lab = open_chapter("04_transformer.ipynb", EXPLORERS)
    explorer = lab.show(ROOT)
    assert "“vierzig”" in explorer.locator(".tl-readout").first.inner_text()
    forward = explorer.get_by_role("button", name="Forward one token")
    assert changes(lab.page, ROOT, forward.click)
    explorer.get_by_text("Beam search").click()  # folded until section 4I explains it
    for label, key in (
        ("Layer", "ArrowLeft"),
        ("Head", "ArrowRight"),
        ("Beams", "ArrowRight"),
        ("Length penalty α", "ArrowRight"),
    ):
        lab.press(ROOT, f"input[aria-label='{label}']", key)
    explorer.locator("input[type=text]").fill("1984-03-21")
    expect(explorer.locator(".tl-written")).to_contain_text("März")
    explorer.get_by_label("Language").select_option("French")
    expect(explorer.locator(".tl-written")).to_contain_text("mars")
    assert lab.complaints() == []

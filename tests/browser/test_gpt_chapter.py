"""Chapter 05 in JupyterLab: the generation explorer writes, by keyboard."""

import pytest
from browser import fingerprint

pytestmark = pytest.mark.slow
NAME = "05_gpt.ipynb"
ROOT = ".tl-generation"


def test_the_explorer(open_notebook):
    lab = open_notebook(NAME, theme="dark", width=1400, height=1300)
    lab.run_all()
    page = lab.page
    explorer = page.locator(ROOT).first
    explorer.scroll_into_view_if_needed()
    page.focus(f"{ROOT} button[aria-label='Write one token']")
    for _ in range(3):
        before = fingerprint(page, ROOT)
        page.keyboard.press("Enter")
        page.wait_for_timeout(1_000)
        assert fingerprint(page, ROOT) != before
    before = fingerprint(page, ROOT)
    page.focus(f"{ROOT} input[aria-label='Temperature']")
    page.keyboard.press("Home")  # greedy
    page.wait_for_timeout(1_000)
    assert fingerprint(page, ROOT) != before
    assert "greedy" in explorer.inner_text()
    lab.screenshot("05_generation_dark", explorer)
    assert lab.complaints() == []

"""Chapter 06 in JupyterLab: all four explorers answer."""

import pytest
from browser import changes
from playwright.sync_api import expect

pytestmark = pytest.mark.slow
EXPLORERS = {
    "attention": (".tl-attention", "input[aria-label=Head]", "ArrowRight"),
    "masking": (".tl-masking", "button:text('Draw again')", "Enter"),
    "fill_mask": (".tl-fill-mask", "input[type=checkbox]", "Space"),
    "search": (".tl-search", "input[aria-label=Results]", "ArrowLeft"),
}


def test_the_explorers(open_chapter):
    lab = open_chapter("06_bert.ipynb", EXPLORERS)
    page = lab.page
    attention = lab.show(".tl-attention")
    assert "[MASK]" in attention.inner_text()
    text = attention.locator("input[aria-label=Text]")
    assert changes(page, ".tl-attention", lambda: text.fill("[MASK] is a villain."))

    masking = lab.show(".tl-masking")
    draw = masking.get_by_role("button", name="Draw 100 times")
    assert changes(page, ".tl-masking", draw.click)

    fill_mask = lab.show(".tl-fill-mask")
    expect(fill_mask).to_contain_text("thou")
    another_gap = fill_mask.locator(".tl-chips button").nth(2)
    assert changes(page, ".tl-fill-mask", another_gap.click)

    search = lab.show(".tl-search")
    genre = search.get_by_label("Genre")
    assert changes(page, ".tl-search", lambda: genre.select_option(index=1))
    query = search.locator("textarea")
    assert changes(page, ".tl-search", lambda: query.fill("She cannot sleep."))
    assert lab.complaints() == []

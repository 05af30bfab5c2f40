"""Chapter 10 in JupyterLab: emoji found by a phrase, a word's region, a code exchanged."""

import pytest
from browser import changes
from playwright.sync_api import expect

pytestmark = pytest.mark.slow
EXPLORERS = {
    "finder": (".tl-finder", "textarea", "a"),
    "regions": (".tl-regions", "canvas", "ArrowRight"),
    "codes": (".tl-codes", "canvas", "ArrowRight"),
}


def test_the_explorers(open_chapter):
    lab = open_chapter("10_text_and_pictures.ipynb", EXPLORERS)
    finder = lab.show(".tl-finder")
    finder.locator("textarea").fill("zebra")
    expect(finder.get_by_role("status").locator("b")).to_have_text("zebra")
    expect(finder.locator(".tl-found")).to_have_count(10)
    regions = lab.show(".tl-regions")
    words = regions.locator(".tl-chip[data-place]")
    assert changes(lab.page, ".tl-regions", words.nth(2).click)
    codes = lab.show(".tl-codes")
    picture = codes.get_by_label("Picture", exact=True)
    assert changes(lab.page, ".tl-codes", lambda: picture.select_option(index=2))
    assert lab.complaints() == []

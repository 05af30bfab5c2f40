"""Chapter 06b in JupyterLab: both explorers answer."""

import pytest
from browser import changes
from playwright.sync_api import expect

pytestmark = pytest.mark.slow
EXPLORERS = {
    "search": (".tl-search", "input[aria-label=Results]", "ArrowLeft"),
    "attention": (".tl-attention", "input[aria-label=Head]", "ArrowRight"),
}


def test_the_explorers(open_chapter):
    lab = open_chapter("06b_bert_used.ipynb", EXPLORERS)
    page = lab.page
    search = lab.show(".tl-search")
    genre = search.get_by_label("Genre")
    assert changes(page, ".tl-search", lambda: genre.select_option(index=1))
    query = search.locator("textarea")
    assert changes(page, ".tl-search", lambda: query.fill("She cannot sleep."))

    attention = lab.show(".tl-attention")
    expect(attention).to_contain_text("p(fresh)")
    text = attention.locator("input[aria-label=Text]")
    assert changes(page, ".tl-attention", lambda: text.fill("Not a joy."))
    assert lab.complaints() == []

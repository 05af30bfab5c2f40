"""Chapter 06b in JupyterLab: the explorer answers."""

import pytest
from browser import changes

pytestmark = pytest.mark.slow
EXPLORERS = {"search": (".tl-search", "input[aria-label=Results]", "ArrowLeft")}


def test_the_explorers(open_chapter):
    lab = open_chapter("06b_bert_used.ipynb", EXPLORERS)
    page = lab.page
    search = lab.show(".tl-search")
    genre = search.get_by_label("Genre")
    assert changes(page, ".tl-search", lambda: genre.select_option(index=1))
    query = search.locator("textarea")
    assert changes(page, ".tl-search", lambda: query.fill("She cannot sleep."))
    assert lab.complaints() == []

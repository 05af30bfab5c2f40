"""Chapter 08b in JupyterLab: a text is damaged, a word cut, a distance moved."""

import pytest
from browser import changes
from playwright.sync_api import expect

pytestmark = pytest.mark.slow
EXPLORERS = {
    "corruption": (".tl-corruption", "input[aria-label=Share]", "ArrowRight"),
    "buckets": (".tl-buckets", "input[aria-label=Distance]", "ArrowRight"),
    "lattice": (".tl-lattice", "input[aria-label=alpha]", "ArrowRight"),
}


def test_the_explorers(open_chapter):
    lab = open_chapter("08b_text_to_text.ipynb", EXPLORERS)
    page = lab.page
    damage = lab.show(".tl-corruption")
    again = damage.get_by_role("button", name="Draw again")
    assert changes(page, ".tl-corruption", again.click)

    buckets = lab.show(".tl-buckets")
    assert changes(page, ".tl-buckets", buckets.get_by_role("button", name="decoder").click)

    cuts = lab.show(".tl-lattice")
    cuts.get_by_role("textbox").fill("remembered")
    expect(cuts.locator(".tl-sum")).to_contain_text("▁remember")
    assert lab.complaints() == []

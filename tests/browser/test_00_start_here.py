"""Chapter 00 as a newcomer uses it: its explorers, and the links to refreshers."""

import pytest
from browser import changes
from playwright.sync_api import expect

pytestmark = pytest.mark.slow
NAME = "00_start_here.ipynb"
EXPLORERS = {
    "generation": (".tl-generation", "input[aria-label=Temperature]", "ArrowRight"),
    "tokenizer": (".tl-tokens", ".tl-strip", "ArrowRight"),
    "attention": (".tl-attention", "input[aria-label=Head]", "ArrowRight"),
    "walk": (".tl-walk", "input[aria-label=Step]", "ArrowRight"),
}


def test_the_explorers(open_chapter):
    lab = open_chapter(NAME, EXPLORERS)
    page = lab.page
    writing = lab.show(".tl-generation")  # a real language model, on a newcomer's words
    assert changes(page, ".tl-generation", lambda: page.fill(".tl-generation textarea", "Once"))
    write_one = writing.get_by_role("button", name="Step: write one token")
    assert changes(page, ".tl-generation", write_one.click)
    lab.screenshot("00_generation_written", writing)

    walk = lab.show(".tl-walk")
    walk.get_by_role("button", name="layer 0", exact=True).click()
    walk.get_by_role("button", name="weights", exact=True).click()
    expect(walk.locator("h4")).to_have_text("layer 0 weights")
    for label, key in {"Head": "ArrowLeft", "Token": "ArrowRight"}.items():  # it begins at head 8
        lab.press(".tl-walk", f"input[aria-label={label}]", key)
    lab.press(".tl-walk", "input[aria-label=Step]", "End")
    expect(walk.locator("h4")).to_have_text("probabilities")
    # Row "didn", the third token: after it comes 't, and the model finds nothing likelier.
    page.focus(".tl-walk input[aria-label=Token]")
    page.keyboard.press("Home")
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    expect(walk.locator(".tl-readout")).to_have_text("“ didn”, “'t”: 0.809 (this comes next)")
    expect(walk.locator(".tl-note").last).to_contain_text("Framed in green")
    lab.screenshot("00_walk_next", walk)

    box = lab.show(".tl-tokens textarea")  # a sentence of one's own is cut
    assert changes(page, ".tl-tokens", lambda: box.fill("Zwölf 🦊 don't"))
    expect(page.locator(".tl-tokens .tl-strip").first).to_contain_text("don")
    assert lab.complaints() == []


def test_a_miss_leads_to_its_refresher(open_notebook):
    lab = open_notebook(NAME)
    link = lab.page.get_by_role("link", name="Refresher: cross-entropy")
    link.scroll_into_view_if_needed()
    link.click()
    heading = lab.page.locator("h3", has_text="Refresher: cross-entropy")
    expect(heading).to_be_in_viewport(timeout=30_000)

"""Chapter 07 in JupyterLab: patches are cut and compared, a head is broken, a digit is drawn."""

import pytest
from browser import changes
from playwright.sync_api import expect

pytestmark = pytest.mark.slow
PATCHES = ".widget-vbox:has(> .widget-image)"
ATTENTION, DIGITS, MATCHES = ".tl-attention", ".tl-digits", ".tl-matches"
EXPLORERS = {
    "patches": (PATCHES, ".noUi-handle", "ArrowLeft"),
    "attention": (ATTENTION, "input[aria-label=Head]", "ArrowRight"),
    "digits": (DIGITS, "button:text('Load a test digit')", "Enter"),
    "matches": (MATCHES, "figure:nth-of-type(1) canvas", "ArrowDown"),
}
SEVEN = ((0.25, 0.2), (0.75, 0.2), (0.45, 0.85))


def test_the_explorers(open_chapter):
    lab = open_chapter("07_vit.ipynb", EXPLORERS)
    page = lab.page
    patches = lab.show(PATCHES)
    patches.get_by_label("Shuffle the patches").check()
    expect(patches.get_by_role("status")).to_contain_text("in another order")
    select = patches.locator("select")
    assert changes(page, f"{PATCHES} img", lambda: select.select_option(index=1))

    attention = lab.show(ATTENTION)
    assert "“[CLS]” looks" in attention.inner_text()
    lab.press(ATTENTION, ".tl-picture canvas", "ArrowDown")
    zero = attention.get_by_role("button", name="Zero it")
    assert changes(page, ATTENTION, zero.click)
    expect(attention.locator(".tl-outputs [role=row]")).to_have_count(11)  # heading, ten digits
    number = attention.locator("input[aria-label='Picture number']")
    assert changes(page, ATTENTION, lambda: number.fill("3"))

    digits = lab.show(DIGITS)
    digits.get_by_role("button", name="Clear the paper").click()
    readout = digits.locator(".tl-readout")
    expect(readout).to_contain_text("Draw a digit")
    paper = digits.locator("canvas.tl-paper").bounding_box()
    corners = [
        (paper["x"] + x * paper["width"], paper["y"] + y * paper["height"]) for x, y in SEVEN
    ]
    page.mouse.move(*corners[0])
    page.mouse.down()
    for corner in corners[1:]:
        page.mouse.move(*corner, steps=8)
    page.mouse.up()
    expect(readout).to_contain_text("The checkpoint reads a 7")
    head = digits.locator("select[aria-label=Head]")
    layer = digits.locator("select[aria-label=Layer]")
    for select in (layer, head):
        assert changes(page, DIGITS, lambda select=select: select.select_option(index=2))
    lab.screenshot("07_digits_drawn", digits)

    matches = lab.show(MATCHES)
    said = matches.locator(".tl-readout")
    matches.locator("canvas").nth(1).click(position={"x": 168, "y": 160})
    expect(said).to_contain_text("of flower (black) in the other picture")
    select = matches.locator("select[aria-label=Show]")
    assert changes(page, MATCHES, lambda: select.select_option(index=1))
    expect(said).to_contain_text("principal components")
    select.select_option(index=2)
    lab.press(MATCHES, "input[aria-label=Head]", "ArrowRight")
    expect(said).to_contain_text("In head 1 of the last layer [CLS] looks most at")
    lab.screenshot("07_matches_attention", matches)
    assert lab.complaints() == []

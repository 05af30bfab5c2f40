"""Chapter 07 in JupyterLab: patches are cut, a head is broken, a digit is drawn."""

import pytest
from browser import changes
from playwright.sync_api import expect

pytestmark = pytest.mark.slow
NAME = "07_vit.ipynb"
PATCHES = ".widget-vbox:has(> .widget-image)"
ATTENTION, DIGITS = ".tl-attention", ".tl-digits"
SEVEN = ((0.25, 0.2), (0.75, 0.2), (0.45, 0.85))


def test_the_explorers(open_notebook):
    lab = open_notebook(NAME, theme="dark", width=1400, height=1300)
    lab.run_all()
    page, press = lab.page, lab.page.keyboard.press

    patches = lab.show(PATCHES)
    words = patches.get_by_role("status")
    handle = patches.locator(".noUi-handle")
    for key in ("Home", "End", "ArrowLeft"):
        before = words.inner_text()
        handle.focus()
        press(key)
        expect(words).not_to_have_text(before)
    patches.get_by_label("Shuffle the patches").check()
    expect(words).to_contain_text("in another order")
    before = patches.locator("img").get_attribute("src")
    patches.locator("select").select_option(index=1)
    expect(patches.locator("img")).not_to_have_attribute("src", before)
    lab.screenshot("07_patches", patches)

    attention = lab.show(ATTENTION)
    assert "“[CLS]” looks" in attention.inner_text()
    for label, key in (("Layer", "End"), ("Head", "End"), ("Layer", "Home")):
        page.focus(f"{ATTENTION} input[aria-label='{label}']")
        assert changes(page, ATTENTION, lambda key=key: press(key)), (label, key)
    page.focus(f"{ATTENTION} .tl-picture canvas")
    assert changes(page, ATTENTION, lambda: press("ArrowDown"))
    assert changes(page, ATTENTION, attention.get_by_role("button", name="Zero it").click)
    rows = attention.locator(".tl-outputs [role=row]")
    expect(rows).to_have_count(11)  # the heading and ten digits
    number = attention.locator("input[aria-label='Picture number']")
    for odd in ("9999", "-1", "", "😀", "<script>alert(1)</script>"):
        number.fill(odd)
        expect(attention).to_contain_text("expected the number of a picture, 0 to 199")
    assert changes(page, ATTENTION, lambda: number.fill("3"))
    lab.screenshot("07_attention", attention)

    digits = lab.show(DIGITS)
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
    expect(readout).to_contain_text("The model reads a 7")
    for label in ("Layer", "Head"):
        select = digits.locator(f"select[aria-label={label}]")
        assert changes(page, DIGITS, lambda select=select: select.select_option(index=2)), label
    page.focus(f"{DIGITS} input[aria-label=Pen]")
    for key in ("End", "Home"):
        assert changes(page, DIGITS, lambda key=key: press(key)), key
    lab.screenshot("07_digits", digits)
    digits.get_by_role("button", name="Load the next test digit").focus()
    press("Enter")
    expect(readout).to_contain_text("Its label is ")
    assert lab.complaints() == []

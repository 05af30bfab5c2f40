"""Chapter 06 in JupyterLab: its four explorers answer."""

import pytest
from browser import changes
from playwright.sync_api import expect

pytestmark = pytest.mark.slow
NUMBERS = ":nth-match(.tl-fill-mask, 2)"  # the second one reads two languages
EXPLORERS = {
    "fill_mask": (".tl-fill-mask", "input[type=checkbox]", "Space"),
    "numbers": (NUMBERS, "input[type=checkbox]", "Space"),
    "attention": (".tl-attention", "input[aria-label=Head]", "ArrowRight"),
    "masking": (".tl-masking", "button:text('Draw again')", "Enter"),
}


def test_the_explorers(open_chapter):
    lab = open_chapter("06_bert.ipynb", EXPLORERS)
    page = lab.page
    fill_mask = lab.show(".tl-fill-mask")
    expect(fill_mask).to_contain_text("thou")
    another_gap = fill_mask.locator(".tl-chips button").nth(4)
    assert changes(page, ".tl-fill-mask", another_gap.click)

    numbers = lab.show(NUMBERS)
    expect(numbers).to_contain_text("eight")
    text = numbers.locator("textarea")
    typed = "two thousand [MASK] hundred and two [SEP] zwei tausend drei hundert zwei"
    assert changes(page, NUMBERS, lambda: text.fill(typed))
    expect(numbers).to_contain_text("three")

    attention = lab.show(".tl-attention")
    text = attention.locator("input[aria-label=Text]")
    expect(text).to_have_value("My bank closed the account.")
    assert changes(page, ".tl-attention", lambda: text.fill("She put the money in the bank."))
    expect(attention.locator("input[type=range]")).to_have_count(2)  # a simple one: layer, head
    expect(attention.locator("input[type=checkbox]")).to_have_count(0)

    masking = lab.show(".tl-masking")
    draw = masking.get_by_role("button", name="Draw 100 times")
    assert changes(page, ".tl-masking", draw.click)
    assert lab.complaints() == []

"""Chapter 06 in JupyterLab: all four explorers answer, by keyboard and to odd text."""

import pytest
from browser import changes

pytestmark = pytest.mark.slow
NAME = "06_bert.ipynb"
ODD = ("", "\n\n", "😀 שלום 中", "<script>alert(1)</script>", "so " * 3_000, "[MASK] [MASK]")


def test_the_explorers(open_notebook):
    lab = open_notebook(NAME, theme="dark", width=1400, height=1300)
    lab.run_all()
    page, press = lab.page, lab.page.keyboard.press

    def type_odd(root):
        for text in ODD:
            page.locator(f"{root} textarea").fill(text)
            page.wait_for_timeout(500)

    attention = lab.show(".tl-attention")
    assert "[MASK]" in attention.inner_text()
    for label in ("Layer", "Head"):
        page.focus(f".tl-attention input[aria-label='{label}']")
        assert changes(page, ".tl-attention", lambda: press("ArrowRight")), label
    assert changes(
        page,
        ".tl-attention",
        lambda: attention.locator("input[aria-label=Text]").fill("[MASK] is a villain."),
    )
    lab.screenshot("06_attention", attention)

    masking = lab.show(".tl-masking")
    for name in ("Draw again", "Draw 100 times"):
        button = masking.get_by_role("button", name=name, exact=True)
        button.focus()
        assert changes(page, ".tl-masking", lambda: press("Enter")), name
    page.focus(".tl-masking input[aria-label='Share']")
    for key in ("End", "Home"):
        assert changes(page, ".tl-masking", lambda key=key: press(key)), key
    lab.screenshot("06_masking", masking)
    type_odd(".tl-masking")

    fill_mask = lab.show(".tl-fill-mask")
    assert "thou" in fill_mask.inner_text()
    page.focus(".tl-fill-mask input[type=checkbox]")
    assert changes(page, ".tl-fill-mask", lambda: press("Space"))
    assert changes(
        page,
        ".tl-fill-mask",
        lambda: fill_mask.locator(".tl-chips button").nth(2).click(),  # another gap
    )
    lab.screenshot("06_fill_mask", fill_mask)
    type_odd(".tl-fill-mask")

    search = lab.show(".tl-search")
    page.focus(".tl-search input[aria-label='Results']")
    for key in ("End", "Home"):
        assert changes(page, ".tl-search", lambda key=key: press(key)), key
    assert changes(
        page,
        ".tl-search",
        lambda: search.get_by_label("Genre").select_option(index=1),
    )
    lab.screenshot("06_search", search)
    type_odd(".tl-search")
    assert lab.complaints() == []

"""Chapter 02 in JupyterLab: its four explorers, by mouse and by keyboard, in both themes."""

import pytest
from browser import changes, quickest
from playwright.sync_api import expect

pytestmark = pytest.mark.slow
NAME = "02_attention.ipynb"
TEMPERATURE = ".tl-softmax input[aria-label=Temperature]"
HEAD = ".tl-attention input[aria-label=Head]"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_four_explorers(open_notebook, theme, capsys):
    lab = open_notebook(NAME, theme=theme, width=1400, height=1300)
    lab.run_all()
    page, press = lab.page, lab.page.keyboard.press

    softmax = lab.show(".tl-softmax")
    assert changes(page, ".tl-softmax", softmax.get_by_role("button", name="Next stage").click)
    page.focus(TEMPERATURE)
    assert changes(page, ".tl-softmax", lambda: press("ArrowRight"))
    softmax.get_by_label("query 1").fill("2")
    lab.screenshot(f"02_softmax_{theme}", softmax)
    times = {"softmax": quickest(page, TEMPERATURE, 50)}

    handle = lab.show(".noUi-handle")
    picture = ".widget-vbox:has(.noUi-handle) img"
    handle.focus()
    source = page.locator(picture).first.get_attribute("src")
    press("ArrowRight")
    expect(page.locator(picture).first).not_to_have_attribute("src", source)
    source = page.locator(picture).first.get_attribute("src")
    page.get_by_label("Divide the scores by √d").check()
    expect(page.locator(picture).first).not_to_have_attribute("src", source)
    times["head width"] = quickest(page, ".noUi-handle", 200, picture)

    masks = lab.show(".tl-masks")
    assert changes(page, ".tl-masks", lambda: masks.get_by_label("Preset").select_option("window"))
    square = masks.get_by_role("gridcell").first
    assert changes(page, ".tl-masks", square.click)
    square.focus()
    assert changes(page, ".tl-masks", lambda: press("Space"))
    lab.screenshot(f"02_masks_{theme}", masks)

    attention = lab.show(".tl-attention")
    page.focus(HEAD)
    assert changes(page, ".tl-attention", lambda: press("ArrowRight"))
    assert changes(page, ".tl-attention", attention.get_by_role("button", name="Zero it").click)
    text = attention.locator("input[aria-label=Text]")
    wide = "The animal didn't cross the street because it was too wide."
    assert changes(page, ".tl-attention", lambda: text.fill(wide))
    lab.screenshot(f"02_attention_{theme}", attention)
    times["attention"] = quickest(page, HEAD, 50)
    with capsys.disabled():
        print(f"\nchapter 02, {theme}:", ", ".join(f"{n} {t:.0f} ms" for n, t in times.items()))
    assert lab.complaints() == []
    assert times["softmax"] < 50
    assert times["attention"] < 50
    # The head width is drawn by the kernel: 200 ms on a quiet machine, more beside busy neighbours.
    assert times["head width"] < 1000

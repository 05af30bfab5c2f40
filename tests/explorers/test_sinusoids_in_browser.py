"""The sinusoid explorer in a real browser: its numbers are the library's, and it is quick."""

import pytest

from tutorial_lib import figures
from tutorial_lib.explorers import SinusoidExplorer

SLIDERS = ("Width d", "Positions shown", "Base", "Position", "Column")


def check_numbers(explorer):
    """What the page computed for its chosen place is what the library computes."""
    state = explorer.widget.state
    size = (state["n_positions"], state["d_model"], state["base"])
    result = explorer.trait("result")
    value = figures.position_table(*size)[state["position"], state["column"]]
    assert result["value"] == pytest.approx(value, abs=1e-12)
    assert result["wavelength"] == pytest.approx(explorer.widget.wavelength)
    assert result["moving_columns"] == explorer.widget.moving_columns
    words = explorer.page.locator(".tl-readout").inner_text()
    assert f"Position {state['position']}, column {state['column']}:" in words
    assert f"{abs(value):.4f}" in words
    moving = explorer.page.locator(".tl-moving").inner_text()
    assert moving.startswith(f"{explorer.widget.moving_columns} of {state['d_model']} columns")


def test_every_slider_by_keyboard_to_both_ends(open_explorer):
    explorer = open_explorer(SinusoidExplorer())
    check_numbers(explorer)
    for label in SLIDERS:
        control = explorer.page.get_by_label(label, exact=True)
        for key in ("Home", "End", "ArrowLeft"):
            control.focus()
            before = explorer.picture()
            explorer.page.keyboard.press(key)
            assert explorer.picture() != before, (label, key)
            check_numbers(explorer)
    # The place stays inside when less is shown.
    for label in ("Width d", "Positions shown"):
        explorer.page.get_by_label(label, exact=True).focus()
        explorer.page.keyboard.press("Home")
        explorer.settle()
        check_numbers(explorer)
    assert (explorer.widget.position, explorer.widget.column) == (1, 3)


def test_the_claim_can_be_read(open_explorer):
    explorer = open_explorer(SinusoidExplorer(n_positions=20))
    assert "26 of 128 columns" in explorer.page.locator(".tl-moving").inner_text()
    explorer.widget.d_model = 512
    explorer.receive(d_model=512)
    assert "104 of 512 columns" in explorer.page.locator(".tl-moving").inner_text()


def test_the_pointer_reads_and_a_click_or_the_arrows_keep(open_explorer):
    explorer = open_explorer(SinusoidExplorer(4, 10, position=0, column=0))
    canvas = explorer.page.locator("canvas")
    place = {"x": 46 + 512 * 0.375, "y": 26 + 300 * 0.75}  # column 1, position 7
    canvas.hover(position=place)
    explorer.settle()
    readout = explorer.page.locator(".tl-readout")
    assert readout.inner_text().startswith("Position 7, column 1: cos(7 / 10,000^(0/4)) = 0.7539")
    assert explorer.widget.state["position"] == 0
    canvas.click(position=place)
    explorer.settle()
    assert (explorer.widget.position, explorer.widget.column) == (7, 1)
    check_numbers(explorer)
    canvas.focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowDown", "ArrowDown"):  # the last one is the edge
        explorer.page.keyboard.press(key)
    explorer.settle()
    assert (explorer.widget.position, explorer.widget.column) == (9, 2)
    check_numbers(explorer)

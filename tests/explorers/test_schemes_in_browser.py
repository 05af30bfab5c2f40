"""The scheme comparer in a real browser: it shows the library's numbers, says what changes."""

import math

import numpy as np
import pytest
from playwright.sync_api import expect

from tutorial_lib import figures
from tutorial_lib.explorers import SchemeComparer
from tutorial_lib.figures.chapter03_positional_encoding.scores import SCHEMES

SLIDERS = ("Length", "Shift both by", "Head")


def check_numbers(explorer):
    """Both values of the chosen pair are what the library computes, softmax included."""
    state = dict(explorer.widget.state)
    schemes, show = state.pop("schemes"), state.pop("show")
    length, shift = state.pop("length"), state.pop("shift")
    result = explorer.trait("result")
    row, column = result["query"] - shift, result["key"] - shift
    for side, scheme in zip(("left", "right"), schemes, strict=True):
        values = figures.scheme_scores(scheme, length, shift, **state)
        assert result[side]["missing"] == np.isnan(np.diagonal(values)).sum()
        if show == "weights":
            values = figures.scheme_weights(values, state["causal"])
        if math.isnan(values[row, column]):
            assert result[side]["value"] is None
        elif not (state["causal"] and column > row):
            assert result[side]["value"] == pytest.approx(values[row, column], abs=5e-3, rel=5e-3)


def said(explorer, side):
    return explorer.page.locator(".tl-verdicts").nth(("left", "right").index(side)).inner_text()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_all_controls_by_keyboard_to_both_ends(open_explorer, scheme):
    explorer = open_explorer(SchemeComparer(scheme, "relative"))
    page = explorer.page
    for show in ("scores", "weights"):
        page.get_by_label("Show", exact=True).select_option(show)
        for causal in (False, True):
            page.get_by_label("Causal mask").set_checked(causal)
            for label in SLIDERS:
                for key in ("Home", "End"):
                    page.get_by_label(label, exact=True).focus()
                    page.keyboard.press(key)
                    explorer.settle()
                    check_numbers(explorer)
    assert (explorer.widget.length, explorer.widget.shift, explorer.widget.head) == (64, 32, 7)


def test_a_shift_changes_the_learned_scores_and_no_others(open_explorer):
    explorer = open_explorer(SchemeComparer("learned", "rotary"))
    explorer.page.get_by_label("Shift both by").focus()
    for _ in range(4):
        explorer.page.keyboard.press("ArrowRight")
    explorer.settle()
    change = explorer.trait("result")["left"]["change"]
    assert change == pytest.approx(figures.shift_change("learned", 24, 4), abs=0.01)
    assert f"Shifted by 4: scores change by up to {change:.2f}." in said(explorer, "left")
    assert "Equal offsets have equal scores." in said(explorer, "right")
    assert "Shifted by 4: no score changes." in said(explorer, "right")


def test_content_makes_the_sinusoids_depend_on_the_place(open_explorer):
    explorer = open_explorer(SchemeComparer("sinusoidal", "learned", shift=4))
    assert "no score changes" in said(explorer, "left")
    explorer.page.get_by_label("Added vectors also meet the content").check()
    explorer.settle()
    assert "scores change by up to" in said(explorer, "left")
    check_numbers(explorer)


def test_beyond_the_training_length_rows_are_missing(open_explorer):
    explorer = open_explorer(SchemeComparer("learned", "alibi", length=40))
    assert "8 of 40 positions have no row: the table ends at 32." in said(explorer, "left")
    assert "Offsets from ±32 on (dashed) are defined" in said(explorer, "right")
    explorer.page.get_by_label("Shift both by").focus()
    explorer.page.keyboard.press("End")
    explorer.settle()
    assert "None of these positions has a row: the table ends at 32." in said(explorer, "left")
    assert "nothing is left to compare" not in said(explorer, "left")


def test_the_head_sets_the_slope_and_is_off_where_heads_do_not_differ(open_explorer):
    explorer = open_explorer(SchemeComparer("none", "alibi", head=2))
    assert "Slope of head 2: 0.125." in explorer.page.locator(".tl-about").nth(1).inner_text()
    explorer.page.get_by_label("Scheme on the right", exact=True).select_option("rotary")
    explorer.settle()
    expect(explorer.page.get_by_label("Head", exact=True)).to_be_disabled()
    expect(explorer.page.get_by_label("Added vectors also")).to_be_disabled()


def test_a_causal_mask_tells_places_apart_without_positions(open_explorer):
    explorer = open_explorer(SchemeComparer("none", "none", show="weights"))
    assert "Equal offsets have equal weights." in said(explorer, "left")
    explorer.page.get_by_label("Causal mask").check()
    explorer.settle()
    assert "Pairs with one offset differ by up to" in said(explorer, "left")
    assert explorer.trait("result")["left"]["value"] == pytest.approx(1 / 13, abs=1e-3)


def test_pointer_click_and_arrows_move_one_pair_on_both_sides(open_explorer):
    explorer = open_explorer(SchemeComparer("learned", "alibi", length=40))
    canvas = explorer.page.locator("canvas").nth(1)
    canvas.hover(position={"x": 50 + 288 * 35.5 / 40, "y": 8 + 288 * 38.5 / 40})
    explorer.settle()
    words = explorer.page.locator(".tl-readout").inner_text()
    assert words == "Query 38, key 35, offset −3: learned no row in the table, ALiBi −1.50."
    canvas.click(position={"x": 50 + 288 * 0.5 / 40, "y": 8 + 288 * 0.5 / 40})
    for key in ("ArrowUp", "ArrowDown", "ArrowRight", "ArrowRight"):
        explorer.page.keyboard.press(key)
    explorer.settle()
    assert (explorer.trait("result")["query"], explorer.trait("result")["key"]) == (1, 2)
    check_numbers(explorer)
    explorer.page.get_by_label("Causal mask").check()
    explorer.settle()
    assert "ALiBi hidden by the mask" in explorer.page.locator(".tl-readout").inner_text()

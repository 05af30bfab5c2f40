"""Masks over passes: static ones come again, dynamic ones reach every token sooner or later."""

import pytest

from tutorial_lib.explorers import MaskingPassesExplorer
from tutorial_lib.recipes import load_checkpoint

LINE = "To be, or not to be: that is the question."


@pytest.fixture
def widget():
    return MaskingPassesExplorer(load_checkpoint("shakespeare-bert").tokenizer, LINE)


def test_static_masks_are_the_same_in_all_passes_and_dynamic_ones_are_not(widget):
    rows = widget.reply["rows"]
    assert len(rows) == 10
    assert all(row == rows[0] for row in rows)
    assert widget.never == widget.hidden.size(1) - len(rows[0]) == len(widget.reply["never"])
    assert f"{widget.never} of {len(widget.reply['tokens'])} are never" in widget.describe()
    widget.ask(seed=1)
    assert widget.reply["rows"][0] != rows[0]
    assert widget.reply["expected"] == pytest.approx(0.85)
    widget.ask(anew=True, passes=40)
    assert len({tuple(row) for row in widget.reply["rows"]}) > 20
    assert {len(row) for row in widget.reply["rows"]} == {len(rows[0])}  # as many, but others
    assert widget.never < 3
    assert widget.reply["expected"] == pytest.approx(0.85**40)


@pytest.mark.parametrize("odd", [{"passes": 10**9}, {"share": -3}, {"text": ""}, {"seed": -5}])
def test_odd_requests_are_answered(widget, odd):
    widget.ask(**odd)
    assert "error" not in widget.reply
    assert 1 <= len(widget.reply["rows"]) <= 40


def test_a_long_text_is_cut_and_an_unknown_token_is_not_counted(widget):
    widget.ask(text="so it is " * 90)
    assert len(widget.reply["tokens"]) == 48
    assert widget.reply["cut"] > 0
    widget.ask(text="so 🙂 is", share=1.0)
    assert widget.reply["of"] == 2
    assert widget.reply["rows"][0] == [0, 2]
    assert widget.reply["never"] == []
    assert ": 0 of 2 are never" in widget.describe()

import warnings

import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

SHOWN = ["[CLS]", "so", "[MASK]", "wit", "be", "[SEP]"]
ROWS = [("house", 0.6), ("cross", 0.25)]


def test_the_gap_and_its_most_probable_tokens():
    above, bars = figures.mask_fillings(SHOWN, 2, ROWS, right="cross", title="A house").axes
    (gap,) = [
        text.get_text()
        for text in above.texts
        if style.matplotlib.colors.to_hex(text.get_bbox_patch().get_facecolor()) == style.BLUE
    ]
    assert gap == "[MASK]"
    assert [bar.get_width() for bar in bars.patches] == [0.6, 0.25]
    colours = [style.matplotlib.colors.to_hex(bar.get_facecolor()) for bar in bars.patches]
    assert colours == [style.BLUE, style.ORANGE]
    assert [text.get_text() for text in bars.texts] == ["0.600", "0.250"]


def test_a_second_panel_has_the_same_scale():
    figure = figures.mask_fillings(SHOWN, 2, ROWS, beside=("the left side only", [("the", 0.1)]))
    _, both, left = figure.axes
    assert both.get_xlim() == left.get_xlim()
    assert both.get_ylim() == left.get_ylim()
    assert left.get_title() == "the left side only" or "left side" in left.get_title(loc="left")
    words = figures.describe_mask_fillings(SHOWN, 2, ROWS, ("the left side only", [("the", 0.1)]))
    assert "house 0.600, cross 0.250; the left side only: the 0.100." in words


def test_two_models_beside_each_other_have_their_names():
    beside = ("ours", [("the", 0.1)])
    _, first, second = figures.mask_fillings(SHOWN, 2, ROWS, beside=beside, name="MiniLM").axes
    assert [axes.get_title(loc="left") for axes in (first, second)] == ["MiniLM", "ours"]
    words = figures.describe_mask_fillings(SHOWN, 2, ROWS, beside, name="MiniLM")
    assert "MiniLM: house 0.600, cross 0.250; ours: the 0.100." in words


def test_fillings_that_do_not_fit_are_refused():
    with pytest.raises(ShapeError, match="the gap must be one of the 6 tokens, got index 6"):
        figures.mask_fillings(SHOWN, 6, ROWS)
    with pytest.raises(ShapeError, match="at least one"):
        figures.mask_fillings(SHOWN, 2, [])
    with pytest.raises(ShapeError, match="probabilities 0 to 1"):
        figures.mask_fillings(SHOWN, 2, [("a", 1.2)])


def test_any_token_can_be_drawn():
    odd = ["😀", "שלום", "$x$", "<script>", "a" * 400, "\x00"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        style.png(figures.mask_fillings(odd, 1, [(token, 0.1) for token in odd]))

import warnings

import numpy as np
import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter06_bert.mask_results import FATES, token_rows

TOKENS = ["[CLS]", "so", "shall", "it", "be", "[SEP]"]
SHOWN = ["[CLS]", "so", "[MASK]", "wit", "be", "[SEP]"]
FATE = ["", "", "mask", "random", "same", ""]
COUNTS = {"draws": 10, "candidates": 200, "chosen": 40, "mask": 30, "random": 6, "same": 4}


def draw(**changes):
    data = {"tokens": TOKENS, "shown": SHOWN, "fates": FATE, "counts": COUNTS} | changes
    return figures.masking_counts(**data)


def test_tokens_are_coloured_and_say_what_they_were():
    above, _ = draw(title="Near 80 per cent").axes
    chips = [text for text in above.texts if text.get_bbox_patch()]
    assert [chip.get_text() for chip in chips] == SHOWN
    fills = [chip.get_bbox_patch().get_facecolor() for chip in chips]
    expected = [FATES[fate][2] if fate else style.CARD for fate in FATE]
    assert [style.matplotlib.colors.to_hex(fill) for fill in fills] == expected
    below = [text.get_text() for text in above.texts if not text.get_bbox_patch()]
    assert below == ["shall", "it", "same"]


def test_bars_stand_beside_their_targets():
    figure = draw(share=0.3)
    axes = figure.axes[1]
    assert np.allclose([bar.get_width() for bar in axes.patches], [0.2, 0.75, 0.15, 0.1])
    assert np.allclose([line.get_xdata()[0] for line in axes.lines], [0.3, 0.8, 0.1, 0.1])
    words = [text.get_text() for text in axes.texts]
    assert words[:2] == ["20.0 %, target 30 %", "75.0 %, target 80 %"]
    assert "10 draws" in axes.get_xlabel()
    described = figures.describe_masking_counts(COUNTS, share=0.3)
    assert "chosen, of all 20.0 % (target 30 %)" in described
    assert "the same, of the chosen 10.0 % (target 10 %)" in described


def test_what_does_not_fit_is_refused():
    with pytest.raises(ShapeError, match="as many fates as chosen"):
        draw(counts=COUNTS | {"mask": 31})
    with pytest.raises(ShapeError, match="keys draws, candidates"):
        draw(counts={"mask": 1})
    with pytest.raises(ShapeError, match="at least one is chosen"):
        draw(counts=dict.fromkeys(COUNTS, 0))
    with pytest.raises(ShapeError, match="equally many"):
        draw(fates=FATE[1:])
    with pytest.raises(ShapeError, match="of a known kind"):
        draw(fates=["eaten"] * 6)


def test_long_texts_wrap_and_end():
    boxes = token_rows(["word"] * 400)
    shown = [box for box in boxes if box]
    assert None in boxes
    assert max(left + width for left, _, width in shown) <= 9.5
    tops = [top for _, top, _ in shown]
    assert tops == sorted(tops)


def test_any_token_can_be_drawn():
    odd = ["😀", "שלום", "$x$", "<script>", "a" * 400, "\x00"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        style.png(draw(tokens=odd, shown=odd))

import pytest

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.chapter06_bert.mask_results import measured_shares, token_rows

COUNTS = {"draws": 10, "candidates": 200, "chosen": 40, "mask": 30, "random": 6, "same": 4}


def test_shares_stand_beside_their_targets():
    rows = [(measured, target) for _, measured, target, _ in measured_shares(COUNTS, share=0.3)]
    assert rows == [(0.2, 0.3), (0.75, 0.8), (0.15, 0.1), (0.1, 0.1)]


def test_what_does_not_fit_is_refused():
    with pytest.raises(ShapeError, match="as many fates as chosen"):
        measured_shares(COUNTS | {"mask": 31})
    with pytest.raises(ShapeError, match="keys draws, candidates"):
        measured_shares({"mask": 1})
    with pytest.raises(ShapeError, match="at least one is chosen"):
        measured_shares(dict.fromkeys(COUNTS, 0))


def test_long_texts_wrap_and_end():
    boxes = token_rows(["word"] * 400)
    shown = [box for box in boxes if box]
    assert None in boxes
    assert max(left + width for left, _, width in shown) <= 9.5
    tops = [top for _, top, _ in shown]
    assert tops == sorted(tops)

import pytest
from matplotlib.colors import to_hex

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style


def test_a_head_in_which_the_token_has_a_value_is_orange():
    figure = figures.parked_weight([0.6, 0.5, 0.1], [0.1, 0.2, 2.0], [3, 3, 3], "[CLS]", "Title")
    left, right = figure.axes
    lit = [to_hex(bar.get_facecolor()) == to_hex(style.ORANGE) for bar in left.patches]
    assert lit == [False, False, True]
    assert [text.get_text() for text in left.texts] == ["0.60", "0.50", "0.10"]
    assert [text.get_text() for text in right.texts] == ["[CLS]", "other words"]
    said = figures.describe_parked_weight([0.6, 0.1], [0.1, 2.0], [3, 3], "[CLS]")
    assert said.endswith("head 0 0.60, 0.1 beside 3.0; head 1 0.10, 2.0 beside 3.0.")


def test_each_head_needs_three_numbers():
    with pytest.raises(ShapeError, match="a weight and two lengths"):
        figures.parked_weight([0.6], [0.1, 2.0], [3, 3], "[CLS]", "Title")

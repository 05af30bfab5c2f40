import numpy as np
import pytest
from matplotlib.colors import to_hex

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

MEASURED = {"as it is": [9.0, 0.1, 0.3], "broken": [0.0, -0.1, -0.3]}


def test_each_way_has_a_row_and_those_of_interest_are_orange():
    axes = figures.effects_in_pairs(MEASURED, ["broken"], "swing", "Title").axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == list(MEASURED)
    lit = [to_hex(label.get_color()) == to_hex(style.ORANGE) for label in axes.get_yticklabels()]
    assert lit == [False, True]
    assert axes.get_xlabel() == "swing"


def test_the_pair_in_which_the_effect_was_found_is_not_in_the_mean():
    axes = figures.effects_in_pairs(MEASURED, [], "swing", "Title").axes[0]
    assert np.allclose(axes.lines[-1].get_xdata(), -0.2)
    assert [text.get_text() for text in axes.texts][1:3] == ["0.20", "−0.20"]
    said = figures.describe_effects_in_pairs(MEASURED)
    assert said.startswith("as it is: 0.20 on average in 2 new pairs, 9.00 in our sentence; broken")


@pytest.mark.parametrize(
    ("measured", "lit", "message"),
    [
        (MEASURED, ["L9H9"], "nothing is measured for L9H9"),
        (MEASURED | {"short": [0.1]}, [], "a number for each of the pairs"),
    ],
)
def test_a_way_without_numbers_and_a_pair_too_few_are_refused(measured, lit, message):
    with pytest.raises(ShapeError, match=message):
        figures.effects_in_pairs(measured, lit, "swing", "Title")

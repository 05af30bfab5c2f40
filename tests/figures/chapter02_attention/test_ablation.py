import numpy as np
import pytest
from matplotlib.colors import to_hex

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

EXCHANGED = [9.0, 0.1, 0.3, 0.5]
MEASURED = {"patched": [8.0, 0.1, 0.2, 0.3], "others": [0.0, 0.0, -0.1, 0.1]}


def drawn(measured=MEASURED, lit=("patched",)):
    return figures.effects_in_pairs(EXCHANGED, measured, lit, "ending", "patch", "Title").axes[0]


def test_a_dot_for_each_new_pair_and_a_diamond_for_the_first():
    axes = drawn()
    dots, diamond = (part.get_offsets() for part in axes.collections[:2])
    assert np.allclose(dots, list(zip(EXCHANGED[1:], MEASURED["patched"][1:], strict=True)))
    assert np.allclose(diamond, [(9.0, 8.0)])
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("ending", "patch")


def test_the_ways_of_interest_are_orange_and_the_line_is_the_diagonal():
    axes = drawn()
    colours = [to_hex(part.get_edgecolor()[0]) for part in axes.collections[1::2]]
    assert colours == [style.ORANGE, style.SKY]
    diagonal = axes.lines[-1]
    assert np.allclose(diagonal.get_xdata(), diagonal.get_ydata())


def test_the_pair_in_which_the_effect_was_found_is_not_in_the_means():
    said = figures.describe_effects_in_pairs(EXCHANGED, MEASURED)
    assert said.startswith("The exchange: 0.30 on average in 3 new pairs, 9.00 in our sentence; ")
    assert "patched: 0.20 on average, correlation with the exchange 1.00, within 0.1 of it" in said


@pytest.mark.parametrize(
    ("measured", "lit", "message"),
    [
        (MEASURED, ["L9H9"], "nothing is measured for L9H9"),
        (MEASURED | {"short": [0.1]}, [], "a number for each of the pairs"),
    ],
)
def test_a_way_without_numbers_and_a_pair_too_few_are_refused(measured, lit, message):
    with pytest.raises(ShapeError, match=message):
        drawn(measured, lit)

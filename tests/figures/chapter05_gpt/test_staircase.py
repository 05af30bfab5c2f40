import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError


def test_a_stair_says_its_mean_and_what_it_saves():
    stairs = {"pairs": [3.6, 3.5], "+ head": [3.0, 3.1]}
    figure = figures.staircase(stairs, "Down")
    said = [text.get_text() for text in figure.axes[0].texts]
    assert said == ["3.55", "pairs", "3.05", "+ head", "−0.50"]


def test_nothing_to_draw_is_an_error():
    for stairs in ({}, {"pairs": []}):
        with pytest.raises(ShapeError, match="one number"):
            figures.staircase(stairs)

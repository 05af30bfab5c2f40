import numpy as np
import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError


def test_the_idea_names_what_followed():
    figure = figures.induction_idea("Two heads", tokens=("the", "cat", "sat", "the"))
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert "“after the”" in texts
    assert "next: cat" in texts
    with pytest.raises(ShapeError, match="occur before"):
        figures.induction_idea(tokens=("a", "b", "c"))


def test_a_line_is_as_broad_as_its_weight_and_the_highest_has_its_number():
    weights = [[0.05, 0.0, 0.9], [0.8, 0.15, 0.05]]
    (axes,) = figures.copied_words(["x", "They", "swam"], ["They", "ran"], weights).axes
    assert [line.get_linewidth() for line in axes.lines] == pytest.approx([5.4, 4.8, 0.9])
    texts = [text.get_text() for text in axes.texts]
    assert texts[-1] == "0.90"  # the second row rests on the first token
    assert (texts[0], texts[4]) == ("first line", "second line")
    with pytest.raises(ShapeError, match="weights for 1 by 3"):
        figures.copied_words(["x", "They", "swam"], ["They"], weights)


def test_grids_keep_equal_layers_at_equal_heights():
    panels = {"all": (np.zeros((4, 2)), [(3, 1)]), "fewer": (np.zeros((2, 2)), [])}
    figure = figures.score_grids(panels, "Scores")
    one, other, *_ = figure.axes
    assert one.get_ylim() == other.get_ylim() == (3.5, -0.5)
    (frame,) = one.patches
    assert (frame.get_x(), frame.get_y()) == (0.5, 2.5)
    assert [axes.get_title() for axes in (one, other)] == ["all", "fewer"]
    (number,) = one.texts  # in the frame
    assert (number.get_text(), number.get_position()) == ("0.00", (1, 3))

import numpy as np
import pytest
from matplotlib.patches import FancyArrowPatch

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

WRITTEN, SOURCE = ["zwei", "und", "vierzig"], ["·forty", "·two"]
WEIGHTS = np.array([[0.1, 0.9], [0.5, 0.5], [1.0, 0.0]])


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_marks_are_framed_and_joined_in_order():
    marks = [("zwei", "·two"), (2, 0)]
    figure = figures.cross_attention(WEIGHTS, WRITTEN, SOURCE, "It turns back", marks)
    patches = figure.axes[0].patches
    arrows = [patch for patch in patches if isinstance(patch, FancyArrowPatch)]
    assert len(patches) == 3
    assert len(arrows) == 1
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == WRITTEN
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == SOURCE
    assert texts(figure) == ["0.10", "0.90", "0.50", "0.50", "1.00", "0.00"]


def test_a_large_map_has_colours_only():
    weights = np.full((20, 16), 1 / 16)
    figure = figures.cross_attention(weights, [f"t{i}" for i in range(20)], ["s"] * 16)
    assert texts(figure) == []
    assert style.png(figure).startswith(b"\x89PNG")


@pytest.mark.parametrize("mark", [("drei", 0), (0, 2), (-1, 0)])
def test_a_mark_without_a_place_is_named(mark):
    with pytest.raises(ShapeError, match="is none of"):
        figures.cross_attention(WEIGHTS, WRITTEN, SOURCE, marks=[mark])


def test_labels_and_weights_must_agree():
    with pytest.raises(ShapeError, match="3 x 2, but 2 tokens are written and 2 are in the source"):
        figures.cross_attention(WEIGHTS, WRITTEN[:2], SOURCE)


def test_odd_labels_are_drawn_as_they_are():
    odd = ["<script>", "$x$", ""]
    figure = figures.cross_attention(WEIGHTS, odd, ["שלום", "·"])
    assert style.png(figure)
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == odd

import pytest

from tutorial_lib import figures
from tutorial_lib.datasets.premises import balanced_pairs
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.chapter05b_prompting.latin_square import COLOURS


def test_each_row_and_each_column_has_each_colour_once():
    pairs = balanced_pairs(9, 9).train
    (axes,) = figures.latin_square(pairs, "Nine pairs").axes
    labels = [text.get_text() for text in axes.texts]
    assert all(len(set(labels[3 * n : 3 * n + 3])) == len(set(labels[n::3])) == 3 for n in range(3))
    assert len({patch.get_facecolor() for patch in axes.patches}) == len(COLOURS)
    assert all(pair.premise in figures.describe_latin_square(pairs) for pair in pairs)
    with pytest.raises(ShapeError):
        figures.latin_square(pairs[:-1])

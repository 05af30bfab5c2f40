import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError


def test_each_token_has_a_bar_and_all_texts_one_scale():
    figure = figures.word_votes([(["a", "joy"], [0.5, 4.0], 0.9), (["dull"], [-1.0], 0.3)])
    heights = [[bar.get_height() for bar in axes.patches] for axes in figure.axes]
    assert heights == [[0.5, 4.0], [-1.0]]
    assert figure.axes[0].get_ylim() == figure.axes[1].get_ylim()


def test_what_does_not_fit_is_said():
    with pytest.raises(ShapeError, match="2 tokens, but 1 votes"):
        figures.word_votes([(["a", "joy"], [1.0], 0.5)])
    with pytest.raises(ShapeError, match="at least one"):
        figures.word_votes([])

import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError


def test_each_token_has_a_bar_and_all_texts_one_scale():
    figure = figures.word_votes([(["a", "joy"], [0.5, 4.0], 0.9), (["dull"], [-1.0], 0.3)])
    heights = [[bar.get_height() for bar in axes.patches] for axes in figure.axes]
    assert heights == [[0.5, 4.0], [-1.0]]
    figure.canvas.draw()  # the layout is made when it is drawn
    spans = [axes.get_ylim()[1] - axes.get_ylim()[0] for axes in figure.axes]
    tall = [axes.get_window_extent().height for axes in figure.axes]
    assert tall[0] / spans[0] == pytest.approx(tall[1] / spans[1], rel=1e-2)


def test_what_does_not_fit_is_said():
    with pytest.raises(ShapeError, match="2 tokens, but 1 votes"):
        figures.word_votes([(["a", "joy"], [1.0], 0.5)])
    with pytest.raises(ShapeError, match="at least one"):
        figures.word_votes([])

import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.style import png


def test_what_is_cut_says_so():
    places = {"sure": [6.0, 0.0, 1.0], "open": [1.0, 1.0, 0.0]}
    figure = figures.kept_by_top_p(places, "abc", p=0.9, most=3)
    sure, undecided = ([text.get_text() for text in axes.texts] for axes in figure.axes)
    assert [text.endswith("cut") for text in sure] == [False, True, True]
    assert not any(text.endswith("cut") for text in undecided)
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["a", "c", "b"]
    assert png(figure)


def test_nothing_to_draw_is_an_error():
    for places in ({}, {"two": [1.0, 2.0]}):
        with pytest.raises(ShapeError):
            figures.kept_by_top_p(places, "abc", p=0.9)

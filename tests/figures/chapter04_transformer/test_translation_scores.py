import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.style import png

SCORES = {
    "exact match (%)": {"German": 99.5, "French": 98.0},
    "BLEU": {"German": None, "French": 97.25},
}


def test_each_measure_is_a_panel_with_its_numbers():
    figure = figures.score_bars(SCORES, "BLEU has nothing to count", lit=["German"], most=100)
    exact, bleu = figure.axes
    assert [text.get_text() for text in exact.texts] == ["99.5", "98.0"]
    assert [text.get_text() for text in bleu.texts] == ["none", "97.2"]
    assert [label.get_text() for label in exact.get_yticklabels()] == ["German", "French"]
    assert png(figure)


def test_a_measure_without_any_score_is_drawn():
    figure = figures.score_bars({"BLEU": {"German": None}})
    assert [text.get_text() for text in figure.axes[0].texts] == ["none"]
    assert png(figure)


@pytest.mark.parametrize("scores", [{}, {"BLEU": {}}])
def test_nothing_to_draw_is_an_error(scores):
    with pytest.raises(ShapeError, match="at least one score"):
        figures.score_bars(scores)


def test_what_was_written_adds_up_to_the_numbers():
    silent = {
        "one head": {"unit": 9, "tens": 0, "other": 1},
        "all": {"unit": 2, "tens": 8, "other": 0},
    }
    astray = {name: {"unit": 10, "tens": 0, "other": 0} for name in silent}
    figure = figures.written_instead({"silent": silent, "led astray": astray}, "Two tests")
    for axes, numbers in zip(figure.axes, (["9", "2", "8", "1"], ["10", "10"]), strict=True):
        ends = [left.get_x() + left.get_width() for left in axes.containers[-1]]
        assert ends == [10, 10]
        assert [text.get_text() for text in axes.texts] == numbers
    for nothing in ({}, {"silent": {}}, {"silent": silent, "led astray": {"one head": {}}}):
        with pytest.raises(ShapeError):
            figures.written_instead(nothing)

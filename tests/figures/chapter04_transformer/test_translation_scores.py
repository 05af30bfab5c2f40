import itertools
import math

import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.style import BLUE, GREY, ORANGE, png

SCORES = {
    "exact match (%)": {"German": 99.5, "French": 98.0},
    "BLEU": {"German": math.nan, "French": 97.25},
}


def outlines(axes):
    """The dashed bars of what is not known yet, as (left, width, height)."""
    hollow = (bar for bar in axes.patches if not bar.get_facecolor()[3])
    return [(bar.get_x(), bar.get_width(), bar.get_height()) for bar in hollow]


def bars(axes):
    return [(bar.get_x(), bar.get_width(), bar.get_height()) for bar in axes.containers[1]]


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_each_measure_is_a_panel_with_its_numbers():
    figure = figures.score_bars(SCORES, "BLEU has nothing to count", lit=["German"], most=100)
    exact, bleu = figure.axes
    assert texts(exact) == ["99.5", "98.0"]
    assert texts(bleu) == ["none", "97.2"]
    assert [label.get_text() for label in exact.get_yticklabels()] == ["German", "French"]
    assert png(figure)


@pytest.mark.parametrize(("value", "shown"), [(math.nan, "none"), (None, "?")])
def test_a_measure_without_any_score_is_drawn(value, shown):
    figure = figures.score_bars({"BLEU": {"German": value}, "exact": {"German": value}})
    assert [texts(axes) for axes in figure.axes] == [[shown], [shown]]
    assert png(figure)


@pytest.mark.parametrize("measures", [["found"], ["found", "named"]])
def test_a_question_is_a_full_outline_with_the_size_and_the_axis_of_its_answer(measures):
    look = {"most": 1, "form": "{:.2f}", "colours": {"a table": GREY}, "group": 1}
    answer = {measure: {"a table": 0.4, "BERT": 0.5} for measure in measures}
    asked = {measure: {"a table": 0.4, "BERT": None} for measure in measures}
    known, unknown = (figures.score_bars(of, "Who finds more?", **look) for of in (answer, asked))
    assert png(known) != png(unknown)  # the layout is made when it is drawn
    assert known.get_size_inches().tolist() == unknown.get_size_inches().tolist()
    for one, other in zip(known.axes, unknown.axes, strict=True):
        assert one.get_xlim() == other.get_xlim()
        assert one.get_position().bounds == pytest.approx(other.get_position().bounds)
        assert outlines(one) == []
        assert outlines(other) == [(0, 1, bars(one)[1][2])]
        assert texts(other)[:2] == ["0.40", "?"]
    words = figures.describe_score_bars(asked, "Who finds more?", "{:.2f}")
    assert words.startswith("Who finds more? Found: a table 0.40, BERT not yet known.")


def test_colours_go_to_their_names():
    scores = {"found": {"yours": 0.2, "ours": 0.3, "a table": 0.0}}
    (axes,) = figures.score_bars(scores, lit=["yours"], colours={"a table": GREY}).axes
    assert [_hex(bar.get_facecolor()) for bar in axes.containers[1]] == [ORANGE, BLUE, GREY]


def _hex(colour):
    return "#" + "".join(f"{round(255 * part):02x}" for part in colour[:3])


def test_the_measure_of_a_single_panel_is_between_the_title_and_the_bars():
    figure = figures.score_bars({"share found": {"ours": 0.3, "theirs": 0.2}}, "Ours finds more")
    png(figure)
    (axes,) = figure.axes
    subtitle = next(t for t in axes.texts if t.get_text() == "share found").get_window_extent()
    title = figure._suptitle.get_window_extent()
    assert title.y0 > subtitle.y1 > subtitle.y0 > axes.get_window_extent().y1
    assert subtitle.x0 == pytest.approx(title.x0, abs=2)


@pytest.mark.parametrize(("group", "gaps"), [(2, [1, 1.55, 1]), ([1, 3], [1.55, 1, 1])])
def test_groups_of_rows_are_apart(group, gaps):
    (axes,) = figures.score_bars({"found": dict.fromkeys("abcd", 1)}, group=group).axes
    rows = axes.get_yticks()
    assert [low - high for high, low in itertools.pairwise(rows)] == pytest.approx(gaps)


@pytest.mark.parametrize("scores", [{}, {"BLEU": {}}])
def test_nothing_to_draw_is_an_error(scores):
    with pytest.raises(ShapeError, match="at least one score"):
        figures.score_bars(scores)


@pytest.mark.parametrize("wrong", [{"colours": {"Dutch": BLUE}}, {"lit": ["Dutch"]}])
def test_names_that_are_not_there_are_refused(wrong):
    with pytest.raises(ShapeError, match="has no 'Dutch', only German"):
        figures.score_bars(SCORES, **wrong)


@pytest.mark.parametrize("group", [[1, 2], [2, 0], 0])
def test_groups_must_add_up(group):
    with pytest.raises(ShapeError, match=r"do not add up to 2 rows|1 row or more"):
        figures.score_bars(SCORES, group=group)


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

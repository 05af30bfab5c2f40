import warnings
from types import SimpleNamespace

import pytest
from matplotlib.patches import Rectangle

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter06b_using_bert import answers

LINES = [["ann", ":", "who", "?"], ["first", "lord", ":", "ay", "."]]


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def frames(figure):
    return [patch for patch in figure.axes[0].patches if isinstance(patch, Rectangle)]


def test_a_wrong_mark_and_the_missed_answer_look_different_and_are_in_the_key():
    card = figures.MarkedAnswer("Who?", LINES, (0, 0, 0), (1, 0, 1))
    figure = figures.marked_answers([card], "title")
    key = ["marked, but wrong", "missed"]
    assert texts(figure) == ["Who?", *LINES[0], *LINES[1], *key]
    assert len({frame.get_linestyle() for frame in frames(figure)}) == 2
    alt = figures.describe_marked_answers([card])
    assert alt.endswith("Marked, but wrong: ann; missed: first lord.")


def test_a_right_mark_covers_its_words_and_no_more():
    right = figures.MarkedAnswer("Who?", LINES, (1, 0, 1), (1, 0, 1))
    figure = figures.marked_answers([right])
    mark, _ = frames(figure)  # the other one is the key's
    at = {text.get_text(): text.get_position()[0] for text in figure.axes[0].texts}
    assert mark.get_x() < at["first"] < at["lord"] < mark.get_x() + mark.get_width() < at["ay"]
    assert "Found: first lord." in figures.describe_marked_answers([right])


def test_a_mark_leaves_the_words_beside_it_room():
    words = ["called", "Pistol", "."]
    figure = figures.marked_answers([figures.MarkedAnswer("", [words], (0, 1, 1))])
    style.png(figure)
    mark = frames(figure)[0].get_window_extent()
    called, _, stop = (text.get_window_extent() for text in figure.axes[0].texts)
    assert called.x1 < mark.x0 < mark.x1 < stop.x0


def test_without_a_true_answer_there_is_a_source_and_no_key():
    card = figures.MarkedAnswer("Who?", LINES, (0, 0, 0), source="Hamlet")
    assert texts(figures.marked_answers([card]))[:2] == ["Who?", "Hamlet"]
    assert texts(figures.marked_answers([card]))[-1] == "."
    hits = [card, figures.MarkedAnswer("", LINES, (1, 0, 1), source="Othello")]
    assert "Othello" in texts(figures.marked_answers(hits))
    assert texts(figures.marked_answers(hits)).count("") == 0
    assert figures.describe_marked_answers(hits) == (
        "Who? In Hamlet, marked: ann. In Othello, marked: first lord."
    )


def test_a_long_text_is_broken_inside_the_page_and_so_is_its_mark():
    words = ["lord", ","] * 60
    figure = figures.marked_answers([figures.MarkedAnswer("Who?", [words], (0, 0, 119))])
    rows = {round(text.get_position()[1], 2) for text in figure.axes[0].texts[1:]}
    assert len(rows) == len(frames(figure)) > 2
    assert all(text.get_position()[0] < answers.WIDTH for text in figure.axes[0].texts)


def test_any_text_can_be_drawn_and_none_is_refused():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        odd = figures.MarkedAnswer("😀 $x$", [["😀", "$x$", "<b>"]], (0, 1, 1), source="שלום")
        style.png(figures.marked_answers([odd]))
    with pytest.raises(ShapeError, match="at least one answer"):
        figures.marked_answers([])


def test_a_scene_without_a_name_leaves_no_gap():
    hit = SimpleNamespace(speaker="PROLOGUE", play="Henry V", act="ACT I", scene="")
    assert answers.where(hit) == "PROLOGUE, Henry V, ACT I"


def test_two_marks_side_by_side_do_not_touch():
    words = ["called", "Aunchient", "Pistol", "."]
    figure = figures.marked_answers([figures.MarkedAnswer("", [words], (0, 1, 1), (0, 2, 2))])
    style.png(figure)
    wrong, missed = (frame.get_window_extent() for frame in frames(figure)[:2])
    assert missed.x0 - wrong.x1 > 5


def test_a_page_is_as_wide_as_its_text_but_no_wider_than_others():
    short = figures.MarkedAnswer("", [["Ann"]], (0, 0, 0))
    long = figures.MarkedAnswer("", [["lord"] * 60], (0, 0, 0))
    narrow, wide = (figures.marked_answers([card]).get_figwidth() for card in (short, long))
    assert narrow < wide <= answers.WIDTH
    figure = figures.marked_answers([short], title="A title that is much longer than the text " * 2)
    style.png(figure)
    (axes,) = figure.axes
    assert axes._left_title.get_window_extent().x1 < figure.bbox.x1  # it is not cut

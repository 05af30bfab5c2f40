import warnings
from types import SimpleNamespace

import pytest
from matplotlib.patches import Rectangle

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter06b_using_bert import answers

LINES = [["ann", ":", "who", "?"], ["first", "lord", ":", "ay", "."]]
ENTRY = {
    "quote": "ay",
    "lines": LINES,
    "starts": [[0.1, 0, 0, 0], [0.7, 0.2, 0, 0, 0]],
    "ends": [[0.2, 0, 0, 0], [0.1, 0.7, 0, 0, 0]],
    "quoted": [[0, 0, 0.1, 0], [0, 0, 0, 0.8, 0]],
    "answer": [1, 0, 1],
    "said": [0, 0, 0],
}


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def frames(figure):
    return [patch for patch in figure.axes[0].patches if isinstance(patch, Rectangle)]


def test_a_wrong_mark_and_the_missed_answer_look_different_and_are_in_the_key():
    card = figures.who_says(ENTRY)
    assert card.asked == "Who says “ay”?"
    assert card.share == pytest.approx(0.02)
    figure = figures.marked_answers([card], "title")
    key = ["marked, but wrong", "right, but not marked"]
    assert texts(figure) == ["Who says “ay”?", "2 % sure", *LINES[0], *LINES[1], *key]
    assert len({frame.get_linestyle() for frame in frames(figure)}) == 2
    alt = figures.describe_marked_answers([card])
    assert alt.endswith("Marked, but wrong: ann; right, but not marked: first lord.")


def test_a_right_mark_covers_its_words_and_no_more():
    right = figures.who_says(ENTRY | {"said": [1, 0, 1]})
    figure = figures.marked_answers([right])
    mark, _ = frames(figure)  # the other one is the key's
    at = {text.get_text(): text.get_position()[0] for text in figure.axes[0].texts}
    assert mark.get_x() < at["first"] < at["lord"] < mark.get_x() + mark.get_width() < at["ay"]
    assert "Marked, and right: first lord." in figures.describe_marked_answers([right])


def test_a_mark_leaves_the_words_beside_it_room():
    words = ["called", "Pistol", "."]
    figure = figures.marked_answers([figures.MarkedAnswer("", [words], (0, 1, 1))])
    style.png(figure)
    mark = frames(figure)[0].get_window_extent()
    called, _, stop = (text.get_window_extent() for text in figure.axes[0].texts)
    assert called.x1 < mark.x0 < mark.x1 < stop.x0


def test_two_steps_shade_the_quote_and_the_edges_of_the_answer():
    figure = figures.two_steps(ENTRY | {"said": [1, 0, 1]})
    assert texts(figure)[0] == "Who says “ay”?"
    words = [word for line in LINES for word in line]
    boxes, key = frames(figure)[:-2], frames(figure)[-2:]
    for mark, fullest in zip(key, ("ay", "first"), strict=True):
        of_step = [b for b in boxes if b.get_facecolor()[:3] == mark.get_facecolor()[:3]]
        pairs = zip(words, of_step, strict=True)
        assert max(pairs, key=lambda pair: pair[1].get_alpha())[0] == fullest
    assert "starts at “first” 70 %, ends at “lord” 70 %" in texts(figure)


def test_between_its_edges_the_answer_is_light():
    lines = [["sir", "toby", "belch", ":", "ay"]]
    scene = {"lines": lines, "quoted": [[0, 0, 0, 0, 0.9]], "answer": [0, 0, 2], "said": [0, 0, 2]}
    scene |= {"starts": [[1, 0, 0, 0, 0]], "ends": [[0, 0, 1, 0, 0]]}
    *boxes, _, key = frames(figures.two_steps(ENTRY | scene))
    orange = key.get_facecolor()[:3]
    sir, toby, belch, colon, ay = [b for b in boxes if b.get_facecolor()[:3] == orange]
    assert sir.get_alpha() == belch.get_alpha() > 2 * toby.get_alpha() > 0
    assert colon.get_alpha() == ay.get_alpha() == 0


def test_a_shade_covers_its_word():
    figure = figures.two_steps(ENTRY)
    style.png(figure)
    shown = {text.get_text(): text.get_window_extent() for text in figure.axes[0].texts}
    last = frames(figure)[-4].get_window_extent()  # "ay", before a stop and the key
    assert last.x0 < shown["ay"].x0 < shown["ay"].x1 < last.x1


def test_the_alt_text_says_what_each_step_found():
    alt = figures.describe_two_steps(ENTRY)
    assert "probably of the quote: “ay” in line 2" in alt
    assert alt.endswith("starts and ends: ann, 10 and 20 %.")
    unsure = ENTRY | {"quoted": [[0.1] * 4, [0.1] * 5]}
    assert "of the quote: no word" in figures.describe_two_steps(unsure)


def test_without_a_true_answer_there_is_a_source_and_no_key():
    card = figures.MarkedAnswer("Who?", LINES, (0, 0, 0), source="Hamlet")
    assert texts(figures.marked_answers([card]))[:2] == ["Who?", "Hamlet"]
    assert texts(figures.marked_answers([card]))[-1] == "."
    hits = [card, figures.MarkedAnswer("", LINES, (1, 0, 1), share=0.5, source="Othello")]
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

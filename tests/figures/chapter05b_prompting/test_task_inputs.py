import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

ROWS = [
    ("a head", [("dogs", "premise"), ("<sep>", "sign"), ("animals", "hypothesis")], "3 logits"),
    ("text", [("dogs", "premise"), ("yes", "answer")], "a word"),
]


def test_each_form_has_its_name_its_words_and_what_is_read_off():
    (axes,) = figures.task_inputs(ROWS, "One task").axes
    texts = [text.get_text() for text in axes.texts]
    first, second = texts[:5], texts[5:]
    assert first == ["a head", "dogs", "<sep>", "animals", "→ 3 logits"]
    assert second == ["text", "dogs", "yes", "→ a word"]
    assert axes.get_title(loc="left") == "One task"
    assert len(axes.patches) == 5
    assert len({patch.get_facecolor() for patch in axes.patches}) == 4


def test_a_long_row_is_broken_and_stays_inside():
    words = [(f"word{n}", "premise") for n in range(40)]
    (axes,) = figures.task_inputs([("long", words, "the end of it all")], "Long").axes
    boxes = [patch.get_window_extent() for patch in axes.patches]
    assert len({round(patch.get_y(), 3) for patch in axes.patches}) > 1
    left, right = axes.get_xlim()
    assert all(p.get_x() >= left and p.get_x() + p.get_width() <= right for p in axes.patches)
    for n, one in enumerate(boxes):
        assert not any(one.overlaps(other) for other in boxes[n + 1 :])


def test_words_fit_into_their_boxes():
    words = [(word, "premise") for word in ("<separator>", "ambulances", "<extract>", "in", "a")]
    figure = figures.task_inputs([("words", words, "3 logits")], "Words")
    figure.canvas.draw()
    axes = figure.axes[0]
    shown = [text for text in axes.texts if text.get_text() in dict(words)]
    for text, patch in zip(shown, axes.patches, strict=True):
        assert text.get_window_extent().width < patch.get_window_extent().width


def test_a_figure_is_drawn_again_into_the_same_one():
    first = figures.task_inputs(ROWS, "One task")
    assert figures.task_inputs(ROWS[:1], "Again", figure=first) is first
    assert len(style.png(first)) > 1000


def test_the_alt_text_says_all_words():
    text = figures.describe_task_inputs(ROWS)
    assert text == "a head: dogs <sep> animals → 3 logits. text: dogs yes → a word."


def test_complaints():
    with pytest.raises(ShapeError, match="each with a word or more"):
        figures.task_inputs([("empty", [], "x")], "t")
    with pytest.raises(ShapeError, match="task_inputs needs rows"):
        figures.task_inputs([], "t")
    with pytest.raises(ValueError, match="got 'verb'"):
        figures.task_inputs([("a", [("run", "verb")], "x")], "t")

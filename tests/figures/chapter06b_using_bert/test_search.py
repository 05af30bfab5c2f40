import warnings
from types import SimpleNamespace

import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter06b_using_bert.search import LETTERS, LINES, excerpt


def hit(score, text="Who's there?", **changes):
    about = {"play": "Hamlet", "act": "ACT I", "scene": "SCENE I. Elsinore.", "speaker": "BERNARDO"}
    return SimpleNamespace(score=score, text=text, **about | changes)


FOUND = {"by meaning": [hit(0.7), hit(0.6, "Nay, answer me.")], "by words": [hit(0.5)]}


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_each_way_has_its_column_with_scores_and_places():
    figure = figures.search_results("who?", FOUND, "Two ways to ask")
    shown = texts(figure)
    assert shown.count("BERNARDO, Hamlet, ACT I SCENE I") == 3
    assert [text for text in shown if text[:2] == "0."] == ["0.700", "0.600", "0.500"]
    assert shown.index("by words") > shown.index("Nay, answer me.")
    assert figures.search_results("who?", FOUND).get_suptitle() == "“who?”"
    words = figures.describe_search_results("who?", FOUND)
    assert "by words: 0.500 BERNARDO, Hamlet, ACT I SCENE I: Who's there?." in words


def test_a_way_that_finds_nothing_says_so():
    found = FOUND | {"by words": []}
    assert texts(figures.search_results("who?", found))[-1] == "nothing"
    assert figures.describe_search_results("who?", found).endswith("by words: nothing.")
    with pytest.raises(ShapeError, match="at least one list with a hit"):
        figures.search_results("who?", {"by meaning": [], "by words": []})


def test_long_speeches_are_cut_with_a_mark():
    lines = excerpt("to be or not to be " * 30)
    assert len(lines) == LINES
    assert lines[-1].endswith("…")
    assert max(map(len, lines)) <= LETTERS
    assert excerpt("so\n it  is") == ["so it is"]


def test_a_scene_without_a_name_leaves_no_gap():
    assert "PROLOGUE, Henry V, ACT I" in texts(
        figures.search_results(
            "so", {"a": [hit(0.1, act="ACT I", scene="", speaker="PROLOGUE", play="Henry V")]}
        )
    )


def test_any_text_can_be_drawn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        odd = {"a": [hit(0.1, "😀 $x$ שלום <script>" + "a" * 400, play="😀")]}
        style.png(figures.search_results("😀 $x$", odd))

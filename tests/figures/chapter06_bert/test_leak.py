import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter06_bert.leak import leaked

WORDS = ["the", "train", "pulled", "in"]


def test_after_one_layer_all_others_hold_the_word_and_after_two_its_own_position_does():
    for n_words in (3, 5):
        for at in range(n_words):
            text, first, second = leaked(n_words, at)
            assert text.tolist() == (~first).tolist() == [t == at for t in range(n_words)]
            assert second.all()


def test_orange_lines_go_from_the_word_to_all_others_and_back():
    axes = figures.two_layer_leak(WORDS, 2, "It comes back").axes[0]
    lit = [
        tuple(round(x / 1.5) for x in line.get_xdata())
        for line in axes.lines
        if line.get_color() == style.ORANGE and len(line.get_xdata()) == 2
    ]
    assert lit == [(2, 0), (2, 1), (2, 3), (0, 2), (1, 2), (3, 2)]
    crossed = [text for text in axes.texts if text.get_text() == "✕"]
    assert [round(text.get_position()[0] / 1.5) for text in crossed] == [2, 2]


def test_the_words_say_what_is_drawn():
    words = figures.describe_two_layer_leak(WORDS, 2)
    assert "“the train pulled in”" in words
    assert "all other positions read “pulled”" in words


@pytest.mark.parametrize("words", [["so", "it"], []])
def test_two_words_are_too_few(words):
    with pytest.raises(ShapeError, match="3 words or more"):
        figures.two_layer_leak(words, 0)
    with pytest.raises(ShapeError, match="3 words or more"):
        figures.describe_two_layer_leak(words, 0)


def test_a_word_that_is_not_there_is_refused():
    with pytest.raises(ShapeError, match="and one of them, got 4 and 4"):
        figures.two_layer_leak(WORDS, 4)

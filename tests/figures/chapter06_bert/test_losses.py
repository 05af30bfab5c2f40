import math

from tutorial_lib import figures
from tutorial_lib.figures import style


def test_both_losses_and_their_guesses_are_within_the_picture():
    of_words, of_pairs = [7.0, 5.0, 4.5], [9.0, 0.8, 0.7]
    (axes,) = figures.two_losses([10, 20, 30], of_words, of_pairs, 5.8, "T").axes
    words, guess, pairs, coin = (list(line.get_ydata()) for line in axes.lines)
    assert (words, pairs) == (of_words, of_pairs)
    assert (guess, coin) == ([5.8, 5.8], [math.log(2)] * 2)
    low, high = axes.get_ylim()
    assert low <= min(of_pairs)
    assert high >= max(of_pairs)
    named = {text.get_text(): text.xy for text in axes.texts}
    assert named["masked words"] == (30, 4.5)
    assert named["next sentence"] == (30, 0.7)
    assert style.png(axes.figure)

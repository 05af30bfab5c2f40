import math

from tutorial_lib import figures
from tutorial_lib.figures import style


def test_both_losses_and_their_guesses_are_within_their_panels():
    of_words, of_pairs = [7.0, 5.0, 4.5], [9.0, 0.8, 0.7]
    panels = figures.two_losses([10, 20, 30], of_words, of_pairs, 5.8, "T").axes
    drawn = {axes.get_title(): axes for axes in panels}
    expected = {"masked words": (of_words, 5.8), "pairs": (of_pairs, math.log(2))}
    for name, (losses, guess) in expected.items():
        curve, dashed = (list(line.get_ydata()) for line in drawn[name].lines)
        assert (curve, dashed) == (losses, [guess, guess])
        assert drawn[name].lines[0].get_color() == style.ORANGE
        low, high = drawn[name].get_ylim()
        assert low < min(*losses, guess)
        assert high > max(*losses, guess)
    assert style.png(panels[0].figure)

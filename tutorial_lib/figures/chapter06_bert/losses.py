"""The two losses of BERT's pre-training, each beside a guess that reads nothing."""

import math

from tutorial_lib.figures import style


@style.styled
def two_losses(steps, of_words, of_pairs, by_frequency, title="", *, figure=None):
    """The loss of the masked words and of the next sentence by step, each beside a plain guess.

    steps (N,), of_words and of_pairs (N,) in nats; by_frequency: what a guess by the frequency of
    the tokens loses, in nats.

    >>> figure = two_losses([10, 20], [7.0, 6.0], [0.7, 0.69], 5.8)
    >>> [text.get_text() for text in figure.axes[0].texts][::2]
    ['masked words', 'next sentence']
    """
    figure = style.blank(figure, 8.0, 4.0)
    axes = figure.subplots()
    curves = {
        "masked words": (of_words, style.BLUE, by_frequency, "a guess by frequency"),
        "next sentence": (of_pairs, style.ORANGE, math.log(2), "tossing a coin, ln 2"),
    }
    for name, (losses, colour, guess, how) in curves.items():
        axes.plot(steps, losses, color=colour, linewidth=2.2)
        dashed = {"color": style.MUTED, "linestyle": (0, (4, 3)), "linewidth": 1.3, "zorder": 1}
        axes.axhline(guess, **dashed)
        beside = {"textcoords": "offset points", "va": "center", "annotation_clip": False}
        look = {"color": colour, "fontweight": "bold"}
        axes.annotate(name, (steps[-1], losses[-1]), (8, 0), **beside, **look)
        above = {"textcoords": "offset points", "ha": "right", "color": style.MUTED}
        axes.annotate(how, (steps[-1], guess), (0, 5), **above)
    axes.set(xlabel="training step", ylabel="loss (nats)", title=title)
    axes.set_xlim(0, steps[-1])
    axes.set_ylim(0, 1.05 * max(*of_words, *of_pairs, by_frequency))
    axes.grid(axis="y", linewidth=0.8)
    return figure

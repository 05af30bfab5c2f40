"""The two losses of BERT's pre-training, each beside a guess that reads nothing."""

import math

from tutorial_lib.figures import style


@style.styled
def two_losses(steps, of_words, of_pairs, by_frequency, title="", *, figure=None):
    """The loss of the masked words and of the pairs by step, each beside a plain guess.

    steps (N,), of_words and of_pairs (N,) in nats; by_frequency: what a guess by the frequency of
    the tokens loses, in nats. Each has a scale of its own.
    Both are orange: the model is the reader's.

    >>> figure = two_losses([10, 20], [7.0, 6.0], [0.7, 0.69], 5.8)
    >>> [axes.get_title() for axes in figure.axes]
    ['masked words', 'pairs']
    """
    figure = style.blank(figure, 9.0, 3.6)
    panels = {
        "masked words": (of_words, by_frequency, "a guess by frequency", 0.3),
        "pairs": (of_pairs, math.log(2), "tossing a coin, ln 2", 0.05),
    }
    for axes, (name, (losses, guess, how, room)) in zip(
        figure.subplots(1, 2), panels.items(), strict=True
    ):
        axes.plot(steps, losses, color=style.ORANGE, linewidth=2.2)
        axes.axhline(guess, color=style.MUTED, linestyle=(0, (4, 3)), linewidth=1.3, zorder=1)
        above = {"textcoords": "offset points", "ha": "right", "color": style.MUTED}
        axes.annotate(how, (steps[-1], guess), (0, 6), **above)
        axes.set(xlabel="training step", ylabel="loss (nats)", xlim=(0, steps[-1]))
        axes.set_ylim(min(*losses, guess) - room, max(*losses, guess) + room)
        axes.grid(axis="y", linewidth=0.8)
        style.panel_title(axes, name)
    style.headline(figure, title)
    return figure

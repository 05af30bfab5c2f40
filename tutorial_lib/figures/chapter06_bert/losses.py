"""The two losses of BERT's pre-training, each on a scale of its own."""

import math

from tutorial_lib.figures import style


@style.styled
def two_losses(steps, of_words, of_pairs, by_frequency, title="", *, figure=None):
    """The loss of the masked words and of the next sentence by step, each beside a plain guess.

    steps (N,), of_words and of_pairs (N,) in nats; by_frequency: what a guess by the frequency of
    the tokens loses, in nats.

    >>> figure = two_losses([10, 20], [7.0, 6.0], [0.7, 0.69], 5.8)
    >>> [axes.get_title() for axes in figure.axes]
    ['masked words', 'next sentence']
    """
    figure = style.blank(figure, 9.0, 3.9)
    panels = {
        "masked words": (of_words, by_frequency, "a guess by frequency"),
        "next sentence": (of_pairs, math.log(2), "a coin, ln 2"),
    }
    for axes, (name, (losses, guess, how)) in zip(
        figure.subplots(1, 2), panels.items(), strict=True
    ):
        axes.plot(steps, losses, color=style.BLUE)
        axes.axhline(guess, color=style.MUTED, linestyle=(0, (4, 3)), linewidth=1.3, zorder=1)
        low, high = min(*losses, guess), max(*losses, guess)
        above = losses[-1] < guess - 0.1 * (high - low)  # the curve itself is below
        axes.annotate(
            how,
            (steps[-1], guess),
            (0, 4 if above else -16),
            textcoords="offset points",
            ha="right",
            color=style.MUTED,
        )
        axes.set(xlabel="training step", ylabel="loss (nats)")
        room = max(0.12 * (high - low), 0.3)  # a coin stays a flat line
        axes.set_ylim(low - room, high + room)
        axes.grid(axis="y", linewidth=0.8)
        style.panel_title(axes, name)
    style.headline(figure, title)
    return figure

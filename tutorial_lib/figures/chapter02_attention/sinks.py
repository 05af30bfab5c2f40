"""Where heads put the weight that they have no use for: on a token with next to no value."""

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.charts import filled_array


@style.styled
def parked_weight(weights, lengths, others, token, title, figure=None):
    """A row for each head: the weight on one token, and how long its value is beside the others'.

    weights, lengths and others (H,): the mean weight that each head gives the token, the length of
    the token's value there, and the mean length of all other values. Heads in which the token's
    value is at least half as long as the others' are orange. Returns the figure. Raises ShapeError
    when the three disagree.

    >>> drawn = parked_weight([0.6, 0.1], [0.1, 2.0], [3.0, 3.0], "[CLS]", "One head parks")
    >>> [axes.get_title() for axes in drawn.axes]
    ['weight on [CLS]', 'length of the values']
    """
    named = {"weights": weights, "lengths": lengths, "others": others}
    weights, lengths, others = (filled_array(values, 1, name) for name, values in named.items())
    if not len(weights) == len(lengths) == len(others):
        raise ShapeError("each head needs a weight and two lengths")
    rows = np.arange(len(weights))
    colours = [
        style.ORANGE if own > 0.5 * mean else style.BLUE
        for own, mean in zip(lengths, others, strict=True)
    ]
    figure = style.blank(figure, 9.5, 1.2 + 0.27 * len(rows))
    left, right = figure.subplots(1, 2, sharey=True)
    left.barh(rows, weights, color=colours, height=0.7)
    for row, weight in zip(rows, weights, strict=True):
        left.text(weight + 0.01, row, f"{weight:.2f}", va="center", fontsize=9.5)
    left.set(
        xlim=(0, 1.15 * weights.max()), ylabel="head", yticks=rows, xlabel="mean over all queries"
    )
    style.panel_title(left, f"weight on {token}")
    for row, own, mean, colour in zip(rows, lengths, others, colours, strict=True):
        right.plot([own, mean], [row, row], color=style.GRID, linewidth=2, zorder=0)
        right.scatter([mean], [row], s=46, facecolor="none", edgecolor=style.MUTED, linewidth=1.5)
        right.scatter([own], [row], s=46, color=colour)
    right.text(lengths[0], -1, token, ha="center", va="center", color=colours[0], fontweight="bold")
    right.text(others[0], -1, "other words", ha="center", va="center", color=style.MUTED)
    right.set(xlim=(-0.06 * others.max(), 1.1 * others.max()), ylim=(len(rows) - 0.4, -1.5))
    right.set(xlabel="length of the vector")
    style.panel_title(right, "length of the values")
    for axes in (left, right):
        axes.tick_params(axis="y", length=0)
    style.headline(figure, title)
    return figure


def describe_parked_weight(weights, lengths, others, token):
    """Say in words what `parked_weight` shows.

    >>> describe_parked_weight([0.6, 0.1], [0.1, 2.0], [3.0, 3.0], "[CLS]")
    'Weight on [CLS], and length of its value beside the others: head 0 0.60, 0.1 beside 3.0; \
head 1 0.10, 2.0 beside 3.0.'
    """
    said = [
        f"head {head} {weight:.2f}, {own:.1f} beside {mean:.1f}"
        for head, (weight, own, mean) in enumerate(zip(weights, lengths, others, strict=True))
    ]
    return f"Weight on {token}, and length of its value beside the others: {'; '.join(said)}."

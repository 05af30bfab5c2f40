"""From a table of pairs to a GPT: the loss of each step, and what each part saves."""

import textwrap

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style


@style.styled
def staircase(stairs, title="", figure=None):
    """Stairs that lead down from left to right: each tread is a mean, each riser what it saves.

    stairs: {name: bits per character of each seed}. The pale band of a tread goes from the lowest
    to the highest seed; what a stair saves is the difference of the two printed means.
    Returns the figure. Raises ShapeError when there is nothing to draw.

    >>> figure = staircase({"pairs": [3.6, 3.5], "+ head": [3.0, 3.1]})
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['3.55', 'pairs', '3.05', '+ head', '−0.50']
    """
    if not stairs or not all(len(bits) for bits in stairs.values()):
        raise ShapeError("a staircase needs one number for each stair, or more")
    figure = style.blank(figure, max(6.0, 1.35 * len(stairs) + 0.8), 4.2)
    axes = figure.subplots()
    means = [float(np.mean(bits)) for bits in stairs.values()]
    for x, (name, bits) in enumerate(stairs.items()):
        axes.fill_between([x, x + 1], min(bits), max(bits), color=style.PALE_BLUE, linewidth=0)
        axes.plot([x, x + 1], [means[x]] * 2, color=style.BLUE, linewidth=3.5)
        said = {"textcoords": "offset points", "fontsize": 11, "fontweight": "bold"}
        place = (x + 0.5, max(bits))
        axes.annotate(f"{means[x]:.2f}", place, (-4 if x else 14, 5), ha="right", **said)
        axes.annotate(
            textwrap.fill(name, 13),
            (x + 0.5, min(bits)),
            (0, -7),
            textcoords="offset points",
            fontsize=10,
            ha="center",
            va="top",
        )
        if x:
            axes.plot([x, x], means[x - 1 : x + 1], color=style.ORANGE, linewidth=3.5)
            step = round(means[x], 2) - round(means[x - 1], 2)  # of the numbers that are printed
            saved = f"{step:+.2f}".replace("-", "−")
            axes.annotate(saved, place, (4, 5), ha="left", color=style.ORANGE, **said)
    spread = max(max(means) - min(means), 0.1)
    axes.set_ylim(min(means) - 0.28 * spread, max(means) + 0.14 * spread)
    axes.set_xticks([])
    axes.set(ylabel="bits per character, unseen plays", title=title)
    return figure


def describe_staircase(stairs):
    """Say in words what `staircase` shows.

    >>> describe_staircase({"pairs": [3.6, 3.5], "+ head": [3.0, 3.1]})
    'Bits per character, from left to right: pairs 3.55, + head 3.05.'
    """
    parts = ", ".join(f"{name} {np.mean(bits):.2f}" for name, bits in stairs.items())
    return f"Bits per character, from left to right: {parts}."

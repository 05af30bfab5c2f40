"""From a table of pairs to a GPT: the loss of each step, and what each part saves."""

import textwrap

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style


@style.styled
def staircase(stairs, title="", figure=None):
    """Columns that fall from left to right, each with its number and what its part saves.

    stairs: {name: bits per character of each seed}. The whisker goes from the
    lowest to the highest seed; what a step saves is the difference of the two printed means.
    Returns the figure. Raises ShapeError when there is nothing to draw.

    >>> figure = staircase({"pairs": [3.6, 3.5], "+ head": [3.0, 3.1]})
    >>> len(figure.axes[0].patches)
    2
    """
    if not stairs or not all(len(bits) for bits in stairs.values()):
        raise ShapeError("a staircase needs one number for each stair, or more")
    figure = style.blank(figure, max(6.0, 1.2 * len(stairs) + 0.8), 3.9)
    axes = figure.subplots()
    means = [float(np.mean(bits)) for bits in stairs.values()]
    look = {"ha": "center", "va": "bottom", "fontsize": 11, "fontweight": "bold"}
    for x, bits in enumerate(stairs.values()):
        axes.bar(x, means[x], width=0.96, color=style.PALE_BLUE, edgecolor=style.BLUE)
        axes.plot([x + 0.4] * 2, [min(bits), max(bits)], color=style.INK, linewidth=1.5)
        axes.text(x, max(bits) + 0.04, f"{means[x]:.2f}", **look)
        if x:
            saved = {"ha": "center", "va": "bottom", "fontsize": 10.5, "color": style.ORANGE}
            step = round(means[x], 2) - round(means[x - 1], 2)  # of the numbers that are printed
            axes.text(x, max(bits) + 0.3, f"{step:+.2f}".replace("-", "−"), **saved)
    axes.set_xticks(range(len(stairs)), [textwrap.fill(name, 13) for name in stairs])
    axes.tick_params(axis="x", length=0)
    axes.set_ylim(0, max(means) * 1.16)
    axes.set(ylabel="bits per character, unseen plays", title=title)
    return figure


def describe_staircase(stairs):
    """Say in words what `staircase` shows.

    >>> describe_staircase({"pairs": [3.6, 3.5], "+ head": [3.0, 3.1]})
    'Bits per character, from left to right: pairs 3.55, + head 3.05.'
    """
    parts = ", ".join(f"{name} {np.mean(bits):.2f}" for name, bits in stairs.items())
    return f"Bits per character, from left to right: {parts}."

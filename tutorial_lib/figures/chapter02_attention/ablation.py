"""What breaking heads does in many sentences: a row for each thing that was broken."""

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.charts import filled_array
from tutorial_lib.figures.style import BLUE, GRID, INK, MUTED, ORANGE, blank, styled


@styled
def effects_in_pairs(measured, lit, xlabel, title, figure=None):
    """A row for each way to break a model: what is measured in each pair of sentences, as a dot.

    measured: {name of the way: (P,)}; the first pair, in which the effect was found, is a diamond,
    and the line is the mean of the others. lit: the ways to look at, in orange. Returns the figure.
    Raises ShapeError when a lit way is not among them, or the lengths differ.

    >>> measured = {"as it is": [0.4, 0.1, 0.2], "broken": [0.0, -0.1, 0.1]}
    >>> drawn = effects_in_pairs(measured, ["broken"], "swing", "Broken, nothing is left")
    >>> [text.get_text() for text in drawn.axes[0].texts]
    ['our sentence', '0.15', '0.00', 'mean of new pairs']
    """
    if missing := set(lit) - set(measured):
        raise ShapeError(f"nothing is measured for {', '.join(sorted(missing))}")
    measured = {name: filled_array(of_pairs, 1, name) for name, of_pairs in measured.items()}
    if len({len(of_pairs) for of_pairs in measured.values()}) != 1:
        raise ShapeError("each way needs a number for each of the pairs")
    figure = blank(figure, 9.5, 1.4 + 0.5 * len(measured))
    axes = figure.subplots()
    axes.axvline(0, color=MUTED, linewidth=0.8, zorder=0)
    low, high = (edge(edge(of_pairs) for of_pairs in measured.values()) for edge in (min, max))
    right = high + 0.24 * (high - low)
    for row, (name, (ours, *pairs)) in enumerate(measured.items()):
        colour = ORANGE if name in lit else BLUE
        axes.axhline(row, color=GRID, linewidth=0.8, zorder=0)
        axes.scatter(pairs, _scattered(row, len(pairs)), s=20, color=colour, alpha=0.6)
        axes.plot([np.mean(pairs)] * 2, [row - 0.34, row + 0.34], color=INK, linewidth=2.5)
        here = {"marker": "D", "facecolor": "none", "edgecolor": colour, "linewidth": 2}
        axes.scatter([ours], [row], s=70, zorder=4, **here)
        if not row:
            beside = {"color": colour, "va": "center", "ha": "center", "fontsize": 10}
            axes.text(ours, row - 0.55, "our sentence", **beside)
        said = f"{np.mean(pairs):.2f}".replace("-", "−")
        look = {"va": "center", "ha": "right", "fontweight": "bold", "fontsize": 11}
        axes.text(right, row, said, color=INK, **look)
    said = {"va": "center", "ha": "right", "color": MUTED, "fontsize": 10}
    axes.text(right, -0.9, "mean of new pairs", **said)
    axes.set_yticks(range(len(measured)), list(measured))
    for label, name in zip(axes.get_yticklabels(), measured, strict=True):
        label.set(color=ORANGE if name in lit else INK, fontsize=11)
        label.set_fontweight("bold" if name in lit else "normal")
    axes.set_xlim(right=right + 0.01 * (high - low))
    axes.set_ylim(len(measured) - 0.4, -1.25)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set(xlabel=xlabel, title=title)
    return figure


def describe_effects_in_pairs(measured):
    """Say in words what `effects_in_pairs` shows: each way's mean, and the first pair.

    >>> describe_effects_in_pairs({"as it is": [0.4, 0.1, 0.2]})
    'as it is: 0.15 on average in 2 new pairs, 0.40 in our sentence.'
    """
    said = [
        f"{name}: {np.mean(pairs):.2f} on average in {len(pairs)} new pairs, {ours:.2f} in our "
        "sentence"
        for name, (ours, *pairs) in measured.items()
    ]
    return "; ".join(said) + "."


def _scattered(row, n):
    """Heights around a row, so that equal dots don't hide one another."""
    return row + 0.26 * np.sin(2.4 * np.arange(n))

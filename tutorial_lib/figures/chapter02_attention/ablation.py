"""What breaking a head does, a dot for each sentence."""

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.charts import filled_array
from tutorial_lib.figures.style import BLUE, MUTED, ORANGE, blank, styled


@styled
def effect_spread(rows, x_label, title, lit=0, lit_name="", figure=None):
    """A row of dots for each change: its effect in one sentence a dot, and their mean as a bar.

    rows: {name: (N,)}, drawn from the top; lit: which of the N is drawn in orange; lit_name: what
    it is called, beside the dot in the first row. Returns the figure. Raises ShapeError unless all
    rows are filled and equally long.

    >>> dots = effect_spread({"one head": [0.1, 0.2, 0.0]}, "effect", "Three sentences")
    >>> [label.get_text() for label in dots.axes[0].get_yticklabels()]
    ['one head']
    """
    rows = {name: filled_array(values, 1, name) for name, values in rows.items()}
    if len({len(values) for values in rows.values()}) != 1:
        raise ShapeError("the rows must hold equally many effects, one a sentence")
    figure = blank(figure, 8.0, 0.62 * len(rows) + 1.3)
    axes = figure.subplots()
    axes.axvline(0, color=MUTED, linewidth=0.8, zorder=0)
    for place, values in enumerate(rows.values()):
        apart = place + 0.22 * np.cos(2.4 * np.arange(len(values)))  # so that equal dots are seen
        rest = np.arange(len(values)) != lit
        axes.scatter(values[rest], apart[rest], c=BLUE, s=34, alpha=0.6, linewidth=0)
        axes.scatter(values[lit], apart[lit], c=ORANGE, s=60, linewidth=0, zorder=3)
        axes.plot([values.mean()] * 2, [place - 0.36, place + 0.36], color=MUTED, linewidth=2.5)
    if lit_name:
        first = next(iter(rows.values()))[lit], 0.22 * np.cos(2.4 * lit)
        beside = {"textcoords": "offset points", "ha": "right", "va": "center", "color": ORANGE}
        axes.annotate(lit_name, first, (-8, 0), fontweight="bold", **beside)
    axes.set_yticks(range(len(rows)), rows)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.margins(x=0.05)
    axes.set(xlabel=x_label, title=title)
    return figure


def describe_effect_spread(rows, lit=0):
    """Say in words what `effect_spread` shows: for each row the mean, the range, and the lit one.

    >>> describe_effect_spread({"one head": [0.25, 0.0]})
    'one head: mean 0.125, from 0.000 to 0.250, the orange dot 0.250.'
    """
    said = []
    for name, values in rows.items():
        values = filled_array(values, 1, name)
        said.append(
            f"{name}: mean {values.mean():.3f}, from {values.min():.3f} to {values.max():.3f}, "
            f"the orange dot {values[lit]:.3f}."
        )
    return " ".join(said)

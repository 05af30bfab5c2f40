"""What a translator writes when its heads are made to look at the wrong word."""

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.style import BLUE, GRID, INK, MUTED, ORANGE, blank, headline, styled

LOOKS = {
    "unit": (BLUE, "the unit"),
    "tens": (ORANGE, "the tens"),
    "other": (GRID, "something else"),
}


@styled
def written_instead(counts, title="", figure=None):
    """One bar for each group of heads that was led astray, cut into what was written.

    counts maps a group to {"unit": n, "tens": n, "other": n}, as `written_when_led_astray` does.
    Returns the figure. Raises ShapeError when there is nothing to draw.

    >>> figure = written_instead({"one head": {"unit": 3, "tens": 1, "other": 0}})
    >>> [text.get_text() for text in figure.axes[0].texts][:2]
    ['3', '1']
    """
    if not counts:
        raise ShapeError("written_instead needs at least one group of heads")
    figure = blank(figure, 7.5, 1.5 + 0.42 * len(counts))
    axes = figure.subplots()
    rows = np.arange(len(counts))
    ends = np.zeros(len(counts))
    for kind, (colour, name) in LOOKS.items():
        numbers = np.array([group[kind] for group in counts.values()])
        axes.barh(rows, numbers, left=ends, color=colour, height=0.66, label=f"writes {name}")
        ink = INK if kind == "other" else "white"
        for row in np.flatnonzero(numbers):
            middle = ends[row] + numbers[row] / 2
            look = {"ha": "center", "va": "center", "fontsize": 9.5, "fontweight": "bold"}
            axes.text(middle, row, str(numbers[row]), color=ink, **look)
        ends = ends + numbers
    axes.set_yticks(rows, list(counts))
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(0, max(ends.max(), 1))
    axes.set_xlabel("numbers", color=MUTED)
    axes.spines[:].set_visible(False)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3, frameon=False, fontsize=9.5)
    headline(figure, title)
    return figure

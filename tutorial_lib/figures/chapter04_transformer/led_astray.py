"""What a translator writes at one step when its heads are changed there, test beside test."""

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.style import (
    BLUE,
    GRID,
    INK,
    MUTED,
    ORANGE,
    blank,
    headline,
    panel_title,
    styled,
)

LOOKS = {
    "unit": (BLUE, "the unit"),
    "tens": (ORANGE, "the tens"),
    "other": (GRID, "something else"),
}


@styled
def written_instead(tests, title="", figure=None):
    """One panel for each test, one bar for each group of heads, cut into what was written.

    tests maps a test to {group: {"unit": n, "tens": n, "other": n}}, as `written_when_led` counts;
    all have the same groups. Returns the figure. Raises ShapeError when there is nothing to draw
    or the groups differ.

    >>> one = {"one head": {"unit": 3, "tens": 1, "other": 0}}
    >>> figure = written_instead({"silent": one, "led astray": one})
    >>> [text.get_text() for text in figure.axes[0].texts][:2]
    ['3', '1']
    """
    groups = [list(counts) for counts in tests.values()]
    if not groups or not groups[0]:
        raise ShapeError("written_instead needs at least one test of one group of heads")
    if any(names != groups[0] for names in groups):
        raise ShapeError(f"the tests have different groups of heads: {groups}")
    figure = blank(figure, 1.6 + 3.2 * len(tests), 1.75 + 0.42 * len(groups[0]))
    panels = figure.subplots(1, len(tests), sharey=True, squeeze=False)[0]
    for axes, (test, counts) in zip(panels, tests.items(), strict=True):
        _bars(axes, list(counts.values()))
        panel_title(axes, test)
    panels[0].set_yticks(range(len(groups[0])), groups[0])
    panels[0].invert_yaxis()
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=3, fontsize=9.5)
    headline(figure, title)
    return figure


def _bars(axes, counts):
    """Draw the bars of one test, each with its numbers inside."""
    rows, ends = np.arange(len(counts)), np.zeros(len(counts))
    for kind, (colour, name) in LOOKS.items():
        numbers = np.array([group[kind] for group in counts])
        axes.barh(rows, numbers, left=ends, color=colour, height=0.66, label=f"writes {name}")
        ink = INK if kind == "other" else "white"
        for row in np.flatnonzero(numbers):
            middle = ends[row] + numbers[row] / 2
            look = {"ha": "center", "va": "center", "fontsize": 9.5}
            axes.text(middle, row, str(numbers[row]), color=ink, **look)
        ends = ends + numbers
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(0, max(ends.max(), 1))
    axes.set_xlabel("numbers", color=MUTED)
    axes.spines[:].set_visible(False)

"""Several measures of the same systems side by side, as a table whose numbers have lengths."""

import math

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.style import BLUE, GRID, INK, MUTED, ORANGE, blank, headline, styled


@styled
def score_bars(scores, title="", lit=(), form="{:.1f}", most=None, figure=None):
    """One panel for each measure, one bar for each system.

    scores maps a measure to a dict of system -> number, None where the measure makes no sense;
    names in `lit` are orange. form: how numbers are written, or {measure: form}. most: the length
    of a full bar, 100 for percentages; left out, each panel goes to its own largest number.
    Returns the figure. Raises ShapeError when there is nothing to draw.

    >>> figure = score_bars({"exact (%)": {"German": 100.0}, "BLEU": {"German": None}})
    >>> [axes.texts[0].get_text() for axes in figure.axes]
    ['100.0', 'none']
    """
    names = list(dict.fromkeys(name for values in scores.values() for name in values))
    if not names:
        raise ShapeError("score_bars needs at least one score")
    long = 0.09 * max(map(len, names))
    figure = blank(figure, long + 0.6 + 2.3 * len(scores), 1.05 + 0.38 * len(names))
    panels = figure.subplots(1, len(scores), sharey=True, squeeze=False)[0]
    for axes, (measure, values) in zip(panels, scores.items(), strict=True):
        lengths = np.array([math.nan if values.get(n) is None else values[n] for n in names])
        top = most or max(np.nanmax(lengths, initial=0), 1e-9)
        axes.barh(range(len(names)), top, color=GRID, height=0.06)
        colours = [ORANGE if name in lit else BLUE for name in names]
        axes.barh(range(len(names)), np.nan_to_num(lengths), color=colours, height=0.62)
        for row, length in enumerate(lengths):
            known = not math.isnan(length)
            written = form if isinstance(form, str) else form[measure]
            text = written.format(length) if known else "none"
            colour = ORANGE if length == 0 and names[row] in lit else INK if known else MUTED
            axes.text(1.05 * top, row, text, va="center", fontsize=9.5, color=colour)
        axes.set_xlim(0, 1.42 * top)
        axes.set_title(measure, fontsize=10.5)
        axes.set_yticks(range(len(names)), names)
        axes.set_xticks([])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
    panels[0].invert_yaxis()
    headline(figure, title)
    return figure

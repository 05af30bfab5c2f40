"""Queries and keys as arrows in the plane: which key fits which query?"""

import numpy as np
from matplotlib.ticker import MaxNLocator

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.diagrams import KEY, QUERY
from tutorial_lib.figures.style import GRID, INK, MUTED, blank, styled


@styled
def query_and_keys(query, keys, labels, title="", asks="the query", features=None, figure=None):
    """Draw a query (2,) and its keys (S, 2) as arrows, with each dot product beside its key.

    labels: S names of the keys; asks: the query's name; features: what the two numbers mean.
    Returns the figure. Raises ShapeError when widths or labels do not fit.

    >>> meaning = "alive", "place"
    >>> query_and_keys([2, 1], [[1, 0]], ["animal"], features=meaning).axes[0].get_xlabel()
    'alive'
    """
    query, keys = np.asarray(query, dtype=float), np.asarray(keys, dtype=float)
    if query.shape != (2,) or keys.shape != (len(labels), 2):
        raise ShapeError(
            f"a query (2,) and keys ({len(labels)}, 2) are needed, got {query.shape}, {keys.shape}"
        )
    ends = np.vstack([query, keys, np.zeros((1, 2))])
    low, high = ends.min(axis=0), ends.max(axis=0)
    span = max(high - low)
    low, high = low - 0.12 * span, high + np.array([0.45, 0.15]) * span  # names stand at the right
    wide, tall = high - low
    figure = blank(figure, 6.4, max(1.4, 5.5 * tall / wide) + 1.0)
    axes = figure.subplots()
    axes.axhline(0, color=GRID, linewidth=1, zorder=0)
    axes.axvline(0, color=GRID, linewidth=1, zorder=0)
    named = [(query, asks, QUERY)]
    named += [
        (key, f"{label}: q · k = {key @ query:g}", KEY)
        for key, label in zip(keys, labels, strict=True)
    ]
    for end, words, colour in named:
        look = {"arrowstyle": "-|>,head_width=0.35,head_length=0.7", "color": colour}
        look |= {"linewidth": 2.2, "shrinkA": 0, "shrinkB": 0}
        if end.any():
            axes.annotate("", end, (0, 0), arrowprops=look)
        else:
            axes.plot(0, 0, "o", color=colour, markersize=7)
        offset = (8, 6) if end[1] > 0 or end[0] > 0 else (8, -15)
        weight = {"fontweight": "bold"} if colour == QUERY else {}
        words = {"xytext": offset, "textcoords": "offset points", "text": words}
        axes.annotate(xy=end, color=colour if colour == QUERY else INK, **words, **weight)
    axes.set(
        xlim=(low[0], high[0]),
        ylim=(low[1], high[1]),
        aspect="equal",
        title=title,
    )
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(5, integer=True))
    if features:
        axes.set_xlabel(features[0], color=MUTED)
        axes.set_ylabel(features[1], color=MUTED)
    return figure


def describe_query_and_keys(query, keys, labels):
    """Say the dot products in words: the alt text of `query_and_keys`.

    >>> describe_query_and_keys([2, 1], [[1, 0], [0, 1]], ["animal", "street"])
    'Arrows in the plane: the query, and keys with dot products animal 2, street 1.'
    """
    products = np.asarray(keys, dtype=float) @ np.asarray(query, dtype=float)
    pairs = zip(labels, products, strict=True)
    said = ", ".join(f"{label} {product:g}" for label, product in pairs)
    return f"Arrows in the plane: the query, and keys with dot products {said}."

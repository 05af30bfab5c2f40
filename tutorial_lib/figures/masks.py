"""A mask as a grid: which query may look at which key, and what the softmax makes of it."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.style import (
    AMBER,
    CARD,
    GRID,
    INK,
    MUTED,
    WEIGHTS,
    blank,
    headline,
    styled,
)


def masked_weights(mask: ArrayLike, scores: ArrayLike | None = None) -> np.ndarray:
    """Softmax of the scores over the visible keys; a row that sees nothing becomes all zero.

    mask (T, S) of bool, True = may look; scores (T, S), default all equal. Returns (T, S).

    >>> masked_weights([[True, False], [True, True]])
    array([[1. , 0. ],
           [0.5, 0.5]])
    """
    mask = np.asarray(mask, dtype=bool)
    if mask.ndim != 2 or not mask.size:
        raise ShapeError(f"a mask here is (T, S), got shape {mask.shape}")
    scores = np.zeros(mask.shape) if scores is None else np.asarray(scores, dtype=np.float64)
    if scores.shape != mask.shape:
        raise ShapeError(f"scores have shape {scores.shape}, the mask has {mask.shape}")
    visible = np.where(mask, scores, -np.inf)
    largest = visible.max(axis=1, keepdims=True)
    exponentials = np.exp(visible - np.where(np.isfinite(largest), largest, 0))
    totals = exponentials.sum(axis=1, keepdims=True)
    return np.divide(exponentials, totals, out=np.zeros_like(exponentials), where=totals > 0)


def mask_labels(labels, n_queries, n_keys):
    """Return the labels of the queries and of the keys as two lists.

    labels is one list for both sides, a pair of lists, or None, which numbers them.
    Raises ShapeError when there are more or fewer than the mask has queries and keys.

    >>> mask_labels(None, 2, 3)
    (['q1', 'q2'], ['k1', 'k2', 'k3'])
    """
    if labels is None:
        return [f"q{i + 1}" for i in range(n_queries)], [f"k{i + 1}" for i in range(n_keys)]
    if all(isinstance(label, str) for label in labels):
        labels = (labels, labels)
    queries, keys = map(list, labels)
    if (len(queries), len(keys)) != (n_queries, n_keys):
        raise ShapeError(
            f"{n_queries} queries and {n_keys} keys need as many labels, "
            f"got {len(queries)} and {len(keys)}"
        )
    return queries, keys


@styled
def mask_grid(
    mask: ArrayLike,
    labels: Sequence[str] | tuple[Sequence[str], Sequence[str]] | None = None,
    weights: ArrayLike | None = None,
    title: str | None = None,
    figure: Figure | None = None,
) -> Figure:
    """The mask as a T x S grid: shaded squares may be looked at, crossed ones are hidden.

    mask (T, S) of bool; labels is one list for both sides or a pair (of queries, of keys);
    weights (T, S) are written into the squares and shade them, default: the visible keys share
    equally. A row that hides every key is framed in amber.
    """
    mask = np.asarray(mask, dtype=bool)
    weights = masked_weights(mask) if weights is None else np.asarray(weights, dtype=float)
    if weights.shape != mask.shape:
        raise ShapeError(f"weights have shape {weights.shape}, the mask has {mask.shape}")
    n_queries, n_keys = mask.shape
    queries, keys = mask_labels(labels, n_queries, n_keys)
    figure = blank(figure, max(4.6, 2.2 + 0.62 * n_keys), 1.5 + 0.5 * n_queries)
    axes = figure.subplots()
    for (row, column), visible in np.ndenumerate(mask):
        weight = weights[row, column]
        colour = WEIGHTS(0.1 + 0.75 * weight) if visible else CARD
        axes.add_patch(
            Rectangle(
                (column, row), 1, 1, facecolor=colour, edgecolor=GRID, hatch="" if visible else "xx"
            )
        )
        if visible or weight > 0:
            ink = "white" if weight > 0.5 and visible else INK
            text = f"{weight:.0%}"
            axes.text(
                column + 0.5, row + 0.52, text, ha="center", va="center", color=ink, fontsize=9.5
            )
    for row in np.flatnonzero(~mask.any(axis=1)):
        frame = Rectangle((0, row), n_keys, 1, fill=False, edgecolor=AMBER, linewidth=3, zorder=3)
        axes.add_patch(frame)
    axes.set(xlim=(0, n_keys), ylim=(n_queries, 0))
    axes.set_xticks(np.arange(n_keys) + 0.5, keys)
    axes.set_yticks(np.arange(n_queries) + 0.5, queries)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set(xlabel="keys", ylabel="queries")
    headline(figure, _finding(mask) if title is None else title)
    figure.supxlabel("crossed = hidden", x=0.99, ha="right", fontsize=9, color=MUTED)
    return figure


def _finding(mask):
    blind = np.flatnonzero(~mask.any(axis=1))
    if len(blind):
        return f"Query {blind[0] + 1} sees no key at all"
    return f"{mask.sum()} of {mask.size} pairs may look at each other"

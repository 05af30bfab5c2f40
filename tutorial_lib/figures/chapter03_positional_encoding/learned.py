"""Stripes in a table of learned position vectors."""

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.style import BLUE, GRID, MUTED, WEIGHTS, blank, headline, styled


@styled
def learned_stripes(vectors, title=None, figure=None):
    """The cosines of position vectors (N, D) with each other, and their mean at each offset.

    Beside the map the mean cosine over the offset, with a pale band for the middle 80 % of the
    pairs; position 0 is left out of it. Raises ShapeError for fewer than four vectors.
    """
    vectors = np.asarray(vectors, dtype=float)
    if vectors.ndim != 2 or len(vectors) < 4:
        raise ShapeError(f"vectors must be at least four rows (N, D), got shape {vectors.shape}")
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = unit @ unit.T  # (N, N)
    figure = blank(figure, 10.0, 4.2)
    left, right = figure.subplots(1, 2, width_ratios=[1, 1.25])
    picture = left.imshow(cosines, cmap=WEIGHTS, vmin=cosines.min(), vmax=1)
    left.spines[:].set_visible(False)
    left.set(xlabel="position", ylabel="position")
    bar = figure.colorbar(picture, ax=left, fraction=0.046, pad=0.03)
    bar.outline.set_visible(False)
    bar.set_label("cosine")
    offsets = np.arange(1, len(vectors) - 2)
    rows = [np.diagonal(cosines[1:, 1:], offset) for offset in offsets]
    low, high = (np.array([np.quantile(row, q) for row in rows]) for q in (0.1, 0.9))
    right.fill_between(offsets, low, high, color=BLUE, alpha=0.18, linewidth=0)
    right.plot(offsets, [row.mean() for row in rows], color=BLUE)
    right.axhline(0, color=GRID, linewidth=0.8, zorder=0)
    said = "line: mean; band: the middle 80 % of the pairs"
    right.text(0.98, 0.97, said, transform=right.transAxes, ha="right", va="top", color=MUTED)
    right.set(xlabel="offset between two positions", ylabel="cosine", ylim=(None, 1.05))
    headline(figure, title or "Neighbouring positions have learned to look alike")
    return figure

"""Schemes of positions side by side: what each adds to the scores, and what of it is the offset."""

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from tutorial_lib.figures.chapter03_positional_encoding.scores import (
    HEADED,
    SCHEMES,
    by_offset,
    scheme_scores,
    scheme_weights,
)
from tutorial_lib.figures.style import (
    AMBER,
    BLUE,
    GRID,
    MUTED,
    SIGNED,
    WEIGHTS,
    blank,
    headline,
    styled,
)

_PALE = 0.35  # how strong the colour of a missing row is
_HIDDEN = "#eceef2"


@styled
def scheme_grid(
    schemes=tuple(SCHEMES),
    length=32,
    shift=0,
    *,
    causal=False,
    head=0,
    content=False,
    show="scores",
    tables=None,
    title=None,
    figure=None,
):
    """A matrix of all pairs for each scheme, and below it the same values over the offset.

    show is "scores" (what the scheme adds) or "weights" (what the softmax makes of it); the other
    arguments are those of `scheme_scores`. A pale band over the offset means that pairs with one
    offset differ: the scheme knows absolute positions. Amber pairs have no row in a learned table.
    These are the keyword arguments that `SchemeComparer.state` gives. Raises ValueError for
    another `show` or an unknown scheme.
    """
    if show not in ("scores", "weights"):
        raise ValueError(f'show must be "scores" or "weights", got {show!r}')
    setting = {"causal": causal, "content": content, "tables": tables}
    across = min(len(schemes), 4)
    down = -(-len(schemes) // across)
    cell = 2.6 if across > 2 else 3.6
    figure = blank(figure, max(0.9 + cell * across, 6.6), 0.9 + (1.2 + cell) * down)
    panels = figure.subplots(2 * down, across, squeeze=False, height_ratios=[2.4, 1.1] * down)
    missing = False
    for index, scheme in enumerate(schemes):
        line, column = divmod(index, across)
        values = scheme_scores(scheme, length, shift, head=_head(scheme, head), **setting)
        if show == "weights":
            values = scheme_weights(values, causal)
        matrix, curve = panels[2 * line, column], panels[2 * line + 1, column]
        missing |= bool(np.isnan(values).any())
        _matrix(matrix, values, shift, causal, show)
        _curve(curve, values, causal)
        name = SCHEMES[scheme] + (f", head {head}" if scheme in HEADED else "")
        matrix.set_title(name, fontsize=11)
        if not column:
            matrix.set_ylabel("query (position)")
            curve.set_ylabel("added" if show == "scores" else "weight")
    for axes in panels[-2:, len(schemes) - (down - 1) * across :].flat:
        axes.set_axis_off()
    if missing:
        patch = Patch(color=AMBER, alpha=_PALE, label="no row in the learned table")
        figure.legend(handles=[patch], loc="outside lower left")
    what = "What each scheme adds to the score" if show == "scores" else "The weights that result"
    headline(figure, title or f"{what} of a query and a key with equal content")
    return figure


def _head(scheme, head):
    return head if scheme in HEADED else 0


def _matrix(axes, values, shift, causal, show):
    length = len(values)
    ahead = np.triu(np.ones((length, length), dtype=bool), 1) & causal
    seen = np.where(ahead, np.nan, values)
    finite = seen[np.isfinite(seen)]
    top = max(float(np.abs(finite).max()) if finite.size else 0, 1e-12)
    look = {"cmap": SIGNED, "vmin": -top, "vmax": top}
    if show == "weights":
        look = {"cmap": WEIGHTS, "vmin": 0, "vmax": top}
    low, high = shift - 0.5, shift + length - 0.5
    area = {"extent": (low, high, high, low), "interpolation": "nearest"}
    # The colours of single pairs, blank where there is nothing, over flat grey and amber.
    lost = np.where(np.isnan(values) & ~ahead, 1.0, np.nan)
    hidden = np.where(ahead, 1.0, np.nan)
    axes.imshow(hidden, cmap=ListedColormap([_HIDDEN]), **area)
    axes.imshow(lost, cmap=ListedColormap([AMBER]), alpha=_PALE, **area)
    picture = axes.imshow(seen, **look, **area)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    ticks = [shift, shift + length // 2, shift + length - 1]
    axes.set(xticks=sorted(set(ticks)), yticks=sorted(set(ticks)), xlabel="key (position)")
    if top > 1e-9:
        bar = axes.figure.colorbar(picture, ax=axes, fraction=0.046, pad=0.03)
        bar.outline.set_visible(False)
        bar.ax.tick_params(labelsize=8, length=2)
        bar.locator = MaxNLocator(4)
        bar.update_ticks()


def _curve(axes, values, causal):
    offset, low, mean, high = by_offset(values, causal)
    axes.fill_between(offset, low, high, color=BLUE, alpha=0.2, linewidth=0)
    axes.plot(offset, mean, color=BLUE, linewidth=1.5)
    axes.axvline(0, color=GRID, linewidth=0.8, zorder=0)
    if not np.nanmax(np.abs(mean), initial=0) > 1e-9:
        axes.set_ylim(-1, 1)
    axes.set_xlabel("offset (key − query)", color=MUTED)


def describe_schemes(
    schemes=tuple(SCHEMES),
    length=32,
    shift=0,
    *,
    causal=False,
    head=0,
    content=False,
    show="scores",
    tables=None,
):
    """Say in words what `scheme_grid` shows, for its alt text; arguments as there.

    >>> describe_schemes(["alibi"], 4)
    'Scores over query and key. ALiBi, head 0: -1.50 to 0.00, the same at each offset.'
    """
    setting = {"causal": causal, "content": content, "tables": tables}
    words = ["Scores over query and key." if show == "scores" else "Weights over query and key."]
    for scheme in schemes:
        name = SCHEMES[scheme] + (f", head {head}" if scheme in HEADED else "")
        values = scheme_scores(scheme, length, shift, head=_head(scheme, head), **setting)
        missing = int(np.isnan(np.diagonal(values)).sum())
        if show == "weights":
            values = scheme_weights(values, causal)
        _, low, _, high = by_offset(values, causal)
        if np.isnan(low).all():
            words.append(f"{name}: undefined, rows are missing in the learned table.")
            continue
        spread = float(np.nanmax(high - low))
        alike = "the same at each offset" if spread < 0.005 else f"apart by up to {spread:.2f}"
        alike += "" if spread < 0.005 else " at one offset"
        words.append(f"{name}: {np.nanmin(low):.2f} to {np.nanmax(high) + 0.0:.2f}, {alike}.")
        if missing:
            words.append(f"{missing} of {length} positions have no row in the table.")
    return " ".join(words)

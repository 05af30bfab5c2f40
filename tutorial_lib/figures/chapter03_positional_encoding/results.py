"""Inside the training length and beyond it: the schemes side by side, and stretched angles."""

import numpy as np
from matplotlib.patches import Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.charts import line_chart
from tutorial_lib.figures.style import (
    BLUE,
    GREEN,
    GRID,
    MUTED,
    ORANGE,
    PINK,
    SKY,
    WEIGHTS,
    blank,
    headline,
    styled,
)

WAYS = {
    "unchanged": BLUE,
    "interpolated": ORANGE,
    "larger base": SKY,
    "YaRN": PINK,
}
SCHEME_COLOURS = {
    "relative": BLUE,
    "rotary": GREEN,
    "sinusoidal": ORANGE,
    "ALiBi": SKY,
}


@styled
def length_curves(shares, title, figure=None):
    """The share of right answers over the position, a panel a scheme, in two lengths of windows.

    shares maps a scheme to two lists, the shares at positions 0, 1, 2 ... in windows of the trained
    length and in longer ones, nan where nothing is asked. Each position is averaged with its
    neighbours, two to either side, on its own side of the trained length, which is drawn as an
    edge. Raises ShapeError without schemes.
    """
    if not shares:
        raise ShapeError("there are no schemes to draw")
    figure = blank(figure, 10.0, 1.0 + 2.3 * ((len(shares) + 1) // 2))
    panels = figure.subplots((len(shares) + 1) // 2, 2, sharex=True, sharey=True, squeeze=False)
    for axes, (scheme, (short, long)) in zip(panels.flat, shares.items(), strict=False):
        trained = len(short)
        colour = SCHEME_COLOURS.get(scheme, MUTED)
        axes.plot(_smooth(short), color=MUTED, linewidth=1.2, zorder=3)  # seen on the other, too
        sides = [_smooth(part) for part in (long[:trained], long[trained:])]
        axes.plot(np.concatenate(sides), color=colour, linewidth=3.2)
        axes.axvline(trained - 1, color=MUTED, linewidth=1.3, linestyle=(0, (4, 3)))
        axes.set_title(scheme, loc="left", fontsize=12.5, color=colour, pad=6)
        axes.set(ylim=(0, 1.09), yticks=[0, 0.5, 1], xlim=(0, len(long)))
        axes.tick_params(labelsize=11)
        axes.grid(axis="y", color=GRID, linewidth=0.8)
    says = {"ha": "left", "va": "center", "fontsize": 11.5}
    first, (short, long) = panels[0, 0], next(iter(shares.values()))
    first.text(5, 0.87, f"windows of {len(short) - 1}", color=MUTED, **says)
    named = {"color": SCHEME_COLOURS.get(next(iter(shares)), MUTED), "fontweight": "bold"}
    first.text(len(short) + 1, 0.72, f"windows of {len(long) - 1}", **named, **says)
    first.text(len(short) + 1, 0.92, "length in training", color=MUTED, **says)
    for axes in panels[-1]:
        axes.set_xlabel("position in the window", fontsize=11.5)
    for axes in panels[:, 0]:
        axes.set_ylabel("right answers", fontsize=11.5)
    headline(figure, title)
    return figure


def _smooth(values, reach=2):
    """Average each value with its neighbours, without nan."""
    values = np.asarray(values, dtype=float)
    near = [values[max(0, i - reach) : i + reach + 1] for i in range(len(values))]
    means = [np.nan if np.isnan(part).all() else np.nanmean(part) for part in near]
    return np.where(np.isnan(values), np.nan, means)


def _edge(axes, trained):
    """Mark where the length of the training ends."""
    axes.axvline(trained, color=MUTED, linewidth=1.3, linestyle=(0, (4, 3)))
    where = axes.get_xaxis_transform()
    axes.text(trained + 1, 0.97, "length in training", transform=where, va="top", color=MUTED)


@styled
def position_maps(weights, trained, title, far=(), figure=None):
    """Where a head of each scheme looks from every position, a map a scheme.

    weights maps a scheme to a head's weights (T, S), a row a query. The frame holds the pairs of
    a text of the trained length. All maps share a scale, which a line below them names: an even
    share, 1 / S, and less is white, and the darkest is the largest weight of the palest map. Each
    title names its map's largest weight. For the schemes in far, the two far corners name the
    offset beyond the trained length that gets most weight, ahead and back.
    """
    figure = blank(figure, 10.0, 4.6)
    panels = figure.subplots(1, len(weights), squeeze=False, sharey=True)[0]
    darkest = min(np.max(rows) for rows in weights.values())
    for axes, (scheme, rows) in zip(panels, weights.items(), strict=True):
        even = 1 / np.shape(rows)[1]
        axes.imshow(rows, cmap=WEIGHTS, vmin=even, vmax=darkest, interpolation="nearest")
        frame = Rectangle((-0.5, -0.5), trained, trained, fill=False, edgecolor=ORANGE, lw=1.8)
        axes.add_patch(frame)
        axes.set_title(f"{scheme}, up to {np.max(rows):.2f}", loc="center", fontsize=12, pad=8)
        axes.set(xticks=[0, trained - 1, len(rows) - 1], yticks=[0, trained - 1, len(rows) - 1])
        axes.set_xlabel("position looked at", fontsize=11.5)
        axes.spines[:].set(visible=True, color=GRID)
        axes.tick_params(length=0, labelsize=10.5)
        if scheme in far:
            said = {"color": ORANGE, "fontsize": 10.5, "transform": axes.transAxes}
            ahead, back = _strongest(rows, trained), _strongest(np.transpose(rows), trained)
            axes.text(0.985, 0.985, f"{ahead} ahead", ha="right", va="top", **said)
            axes.text(0.015, 0.015, f"{back} back", ha="left", va="bottom", **said)
    panels[0].set_ylabel("position that looks", fontsize=11.5)
    scale = (
        f"Colours stretched near 0: white is {even:.2f} or less, darkest is {darkest:.2f} or more"
    )
    figure.supxlabel(scale, fontsize=11, color=MUTED)
    panels[0].text(
        trained - 2.5, 2, "as in training", color=ORANGE, ha="right", va="top", fontweight="bold"
    )
    headline(figure, title)
    return figure


def _strongest(rows, trained):
    """Return the offset ahead, not below the trained length, that gets most weight on average."""
    return max(range(trained, len(rows)), key=lambda offset: np.diagonal(rows, offset).mean())


@styled
def context_lines(rows, ways, trained, title, figure=None):
    """The loss over the position of a text that is longer than those of the training.

    rows: list of dicts with way, seed, first (the first position of a stretch) and bits, as the
    recipe longer-context leaves them; ways are drawn, with a pale band from the lowest to the
    highest seed. trained is the length in training, a dashed line. Raises ShapeError without rows.
    """
    if not any(row["way"] in ways for row in rows):
        raise ShapeError("there are no rows to draw")
    starts = sorted({row["first"] for row in rows})
    middle = [first + (starts[1] - starts[0]) / 2 for first in starts]
    series, bands = {}, {}
    for way in ways:
        bits = np.array(
            [[r["bits"] for r in rows if (r["way"], r["first"]) == (way, at)] for at in starts]
        )
        series[way] = (middle, bits.mean(1))
        bands[way] = (bits.min(1), bits.max(1))
    figure = line_chart(
        series,
        "position in the text",
        "loss, bits per character",
        title,
        bands=bands,
        colours={way: WAYS.get(way, GREEN) for way in ways},
        figure=figure,
    )
    figure.set_size_inches(9.0, 4.2)
    _edge(figure.axes[0], trained)
    return figure

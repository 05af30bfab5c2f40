"""The plain charts that every chapter needs: lines and bars.

Names are beside the lines and bars they belong to, so nobody has to match colours in a legend.
"""

from collections.abc import Collection, Mapping

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import LogLocator, MaxNLocator
from numpy.typing import ArrayLike

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.style import BLUE, CARD, CYCLE, GRID, INK, MUTED, blank, headline, styled


def filled_array(values, ndim, name):
    """The values as floats; raises ShapeError when they are empty or have other axes."""
    array = np.asarray(values, dtype=float)
    if array.ndim != ndim or array.size == 0:
        raise ShapeError(f"{name} must be a filled array of {ndim} axes, got shape {array.shape}")
    return array


def spread_apart(wanted, gap):
    """Move sorted or unsorted positions as little as needed until neighbours are `gap` apart.

    >>> [round(float(y), 2) for y in spread_apart([0.5, 0.5, 0.9], gap=0.1)]
    [0.45, 0.55, 0.9]
    """
    order = np.argsort(wanted, kind="stable")
    groups = []  # each: [sum of wanted centres, members]; a group sits as one block
    for index in order:
        groups.append([index])
        while len(groups) > 1:
            low, high = groups[-2], groups[-1]
            top = np.mean([wanted[i] for i in low]) + gap * (len(low) - 1) / 2
            bottom = np.mean([wanted[i] for i in high]) - gap * (len(high) - 1) / 2
            if bottom - top >= gap - 1e-12:
                break
            groups[-2:] = [low + high]
    placed = np.empty(len(order))
    for group in groups:
        start = np.mean([wanted[i] for i in group]) - gap * (len(group) - 1) / 2
        for rank, index in enumerate(group):
            placed[index] = start + gap * rank
    return placed


@styled
def line_chart(
    series: Mapping[str, tuple[ArrayLike, ArrayLike]],
    x_label: str,
    y_label: str,
    title: str,
    *,
    bands: Mapping[str, tuple[ArrayLike, ArrayLike]] | None = None,
    references: Mapping[str, float] | None = None,
    named_right: Collection[str] = (),
    log_x: bool = False,
    log_y: bool = False,
    y_range: tuple[float, float] | None = None,
    colours: Mapping[str, str] | None = None,
    dashed: Collection[str] = (),
    figure: Figure | None = None,
) -> Figure:
    """Lines with their names at their right ends.

    series maps a name to (x, y), two sequences of one length; bands maps some of the names to
    (low, high), drawn as a pale area (seeds, quantiles); references maps a text to a height,
    drawn as a dashed line (a ceiling, chance), and named_right holds those to be named at the right
    end, where a curve crosses the left one; colours maps some names to a colour, so that a name
    keeps it from chart to chart, and dashed holds those with dashes. Raises ShapeError when lengths
    differ.

    >>> line_chart({"loss": ([1, 2, 3], [3.0, 2.0, 1.5])}, "step", "nats", "The loss falls").axes[0]
    <Axes: title={'left': 'The loss falls'}, xlabel='step', ylabel='nats'>
    """
    figure = blank(figure, 7.5, 4.0)
    axes = figure.subplots()
    if not series:
        raise ShapeError("line_chart needs at least one series")
    ends = []
    for index, (name, (x, y)) in enumerate(series.items()):
        x, y = filled_array(x, 1, f"x of {name!r}"), filled_array(y, 1, f"y of {name!r}")
        if len(x) != len(y):
            raise ShapeError(f"{name!r} has {len(x)} x values but {len(y)} y values")
        colour = (colours or {}).get(name, CYCLE[index % len(CYCLE)])
        marker = "o" if len(x) <= 16 else None
        dashes = "--" if name in dashed or index >= len(CYCLE) else "-"
        axes.plot(x, y, dashes, color=colour, marker=marker, markersize=4.5)
        if bands and name in bands:
            low, high = (filled_array(edge, 1, f"band of {name!r}") for edge in bands[name])
            axes.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0)
        finite = np.flatnonzero(np.isfinite(y))
        if len(finite):
            ends.append((name, x[finite[-1]], y[finite[-1]], colour))
    if log_x:
        axes.set_xscale("log")
        values = sorted({float(v) for x, _ in series.values() for v in x})
        if len(values) <= 12:  # the measured values say more than powers of ten
            values = _uncrowded(values)
            axes.set_xticks(values, [f"{value:,g}" for value in values])
            axes.set_xticks([], minor=True)
        else:
            axes.xaxis.set_major_formatter("{x:,g}")
    if log_y:
        axes.set_yscale("log")
        # The formatter of powers of ten writes TeX, which is not set here, hence plain numbers.
        low, high = axes.get_ylim()
        if high < 100 * low:  # few powers of ten are inside, or none
            axes.yaxis.set_major_locator(
                LogLocator(subs=(1, 2, 5)) if high > 10 * low else MaxNLocator(5)
            )
        axes.yaxis.set_major_formatter("{x:,g}")
        axes.yaxis.set_minor_formatter("")
    if y_range is not None:
        axes.set_ylim(y_range)
    for axis in (axes.xaxis, axes.yaxis):
        _mark_thousands(axis)
    axes.grid(axis="y", linewidth=0.8)
    axes.set(xlabel=x_label, ylabel=y_label, title=title)
    for text, height in (references or {}).items():
        axes.axhline(height, color=MUTED, linestyle=(0, (4, 3)), linewidth=1.3, zorder=1)
        curves = [y for _, y in series.values()]
        _name_reference(axes, text, height, curves, text in named_right)
    _name_the_ends(axes, ends)
    return figure


def describe_line_chart(series, title, form="{:.2f}", n=5):
    """Say in words what `line_chart` shows: each line at n places from its first to its last point.

    >>> describe_line_chart({"loss": ([0, 1, 2], [3.0, 2.0, 1.5])}, "The loss falls", n=3)
    'The loss falls. loss: 3.00 at 0, 2.00 at 1, 1.50 at 2.'
    """
    lines = []
    for name, (x, y) in series.items():
        places = np.linspace(0, len(x) - 1, min(n, len(x))).round().astype(int)
        points = ", ".join(f"{form.format(float(y[at]))} at {float(x[at]):g}" for at in places)
        lines.append(f"{name}: {points}")
    return ". ".join((title, *lines)) + "."


def _name_reference(axes, text, height, curves, right):
    """Write a reference's name above its line: left, unless a curve begins there, or right."""
    bottom, top = sorted(axes.get_ylim())
    begins_there = any(abs(ys[0] - height) < 0.07 * (top - bottom) for ys in curves if len(ys))
    x, side = (0.99, "right") if right or begins_there else (0.01, "left")
    axes.text(
        x, height, text, ha=side, va="bottom", color=MUTED, fontsize=9.5,
        transform=axes.get_yaxis_transform(),
    )  # fmt: skip


def _mark_thousands(axis):
    """Write 22,500 for 22500 on an axis that is linear and reaches a thousand."""
    if axis.get_scale() == "linear" and max(map(abs, axis.get_view_interval())) >= 1000:
        axis.set_major_formatter("{x:,.0f}")


def _uncrowded(values):
    """Sorted positive values without those whose labels would overlap on a log axis.

    The first and the last value always stay.
    """
    span = np.log(values[-1] / values[0])

    def apart(low, high):
        letters = (len(f"{low:,g}") + len(f"{high:,g}")) / 2
        return np.log(high / low) >= (0.017 * letters + 0.008) * span  # shares of the axis

    kept = values[:1]
    for value in values[1:-1]:
        if apart(kept[-1], value) and apart(value, values[-1]):
            kept.append(value)
    return kept + values[1:][-1:]


def _name_the_ends(axes, ends):
    axes.autoscale_view()  # limits are set lazily, and transData does not ask for them
    to_axes = axes.transData + axes.transAxes.inverted()
    heights = [to_axes.transform((x, y))[1] for _, x, y, _ in ends]
    line_height = 14 / (72 * axes.figure.get_figheight() * 0.75)  # 14 points, in heights of axes
    for (name, x, y, colour), height in zip(ends, spread_apart(heights, line_height), strict=True):
        axes.annotate(
            name,
            xy=(x, y),
            xytext=(1.02, height),
            textcoords="axes fraction",
            va="center",
            color=colour,
            fontweight="bold",
            fontsize=9.5,
            arrowprops={"arrowstyle": "-", "color": colour, "alpha": 0.35, "linewidth": 0.8},
        )


def rows_in_groups(n_rows, group, gap=0.55):
    """Return the heights of rows, (R,), with a gap after each group.

    group: how many rows are in each, or a list of the sizes; None is one group. Raises ShapeError
    for sizes that do not add up.

    >>> rows_in_groups(4, group=2).tolist(), rows_in_groups(3, group=[1, 2], gap=1).tolist()
    ([0.0, 1.0, 2.55, 3.55], [0.0, 2.0, 3.0])
    """
    rows = np.arange(n_rows, dtype=float)
    if group is None:
        return rows
    if np.ndim(group) == 0:
        if group < 1:
            raise ShapeError(f"a group has 1 row or more, got {group}")
        return rows + gap * (rows // group)
    if sum(group) != n_rows or min(group) < 1:
        raise ShapeError(f"the groups {list(group)} do not add up to {n_rows} rows")
    return rows + gap * np.repeat(np.arange(len(group)), group)


def share_bar(axes, row, share, colour, left, full):
    """Draw a share of 0 to 1 as a bar that begins at `left`, `full` long for 1, and its number."""
    axes.barh(row, full, left=left, height=0.025, color=GRID)
    axes.barh(row, full * share, left=left, height=0.24, color=colour)
    axes.text(left + full + 0.1, row, f"{share:.2f}", va="center", fontsize=9.5)


def draw_unknown(axes, row, top, height, colour, left=0.0):
    """Draw a bar whose length is still asked for: an outline `top` long, with a question mark."""
    frame = {"facecolor": "none", "edgecolor": colour, "linestyle": (0, (4, 2.5))}
    frame |= {"linewidth": 1.3, "clip_on": False}  # half of its left side is outside of the axes
    axes.add_patch(Rectangle((left, row - height / 2), top, height, **frame))
    where = {"ha": "center", "va": "center", "fontsize": 11}
    axes.text(left + top / 2, row, "?", color=colour, fontweight="bold", **where)


@styled
def bar_chart(
    values,
    value_label,
    title,
    *,
    spans=None,
    lit=(),
    colours=None,
    form="{:,.3g}",
    group=None,
    figure=None,
):
    """Horizontal bars, first entry on top, each with its number at its end.

    values maps a name to a number; spans maps some names to (low, high), drawn as a whisker;
    the names in `lit` are orange, and so is the number of a lit bar of 0; colours maps some other
    names to a colour; group: how many bars in a row belong together, with a gap after them. Raises
    ShapeError when there is nothing to draw.

    >>> len(bar_chart({"BPE": 3.9, "bytes": 1.0}, "characters a token", "BPE").axes[0].patches)
    2
    """
    if not values:
        raise ShapeError("bar_chart needs at least one bar")
    figure = blank(figure, 7.5, 1.3 + 0.34 * len(values))
    axes = figure.subplots()
    lengths = filled_array(list(values.values()), 1, "values")
    fills = [CYCLE[1] if name in lit else (colours or {}).get(name, BLUE) for name in values]
    rows = rows_in_groups(len(values), group)
    axes.barh(rows, lengths, color=fills, height=0.68)
    reach = lengths.copy()
    for n, (row, name) in enumerate(zip(rows, values, strict=True)):
        if spans and name in spans:
            low, high = spans[name]
            axes.plot([low, high], [row, row], color=INK, linewidth=1.5)
            reach[n] = high if lengths[n] >= 0 else low
    for row, name, length, end in zip(rows, values, lengths, reach, strict=True):
        text = form.format(length)
        colour = CYCLE[1] if name in lit and not length else INK  # a lit bar that can't be seen
        side = "left" if length >= 0 else "right"
        offset = (4 if length >= 0 else -4, 0)
        axes.annotate(
            text,
            (end, row),
            offset,
            textcoords="offset points",
            va="center",
            ha=side,
            fontsize=9.5,
            color=colour,
        )
    axes.set_yticks(rows, list(values))
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    axes.margins(x=0.12)
    if (lengths >= 0).all():
        axes.set_xlim(left=0)
    _mark_thousands(axes.xaxis)
    axes.set(xlabel=value_label, title=title)
    return figure


@styled
def gains(
    found,
    title="",
    *,
    x_label="share right",
    names=("without", "with"),
    lit=(),
    form="{:.2f}",
    x_range=(-0.02, 1.03),
    figure=None,
):
    """What something adds, a row a condition: a hollow dot, a full one, the gain on the line.

    found {condition: (without it, with it)}, two numbers, or stats as `recipes.summarise` gives
    them, whose lowest and highest are drawn pale; names says what the dots are; the rows in `lit`
    are orange. A gain too small to draw has no number of its own. Raises ShapeError without rows.

    >>> [text.get_text() for text in gains({"all heads": (0.25, 0.75)}).axes[0].texts]
    ['+0.50', '0.25', '0.75']
    """
    if not found:
        raise ShapeError("gains needs at least one row")
    figure = blank(figure, 8.0, 1.7 + 0.62 * len(found))
    axes = figure.subplots()
    for row, (condition, ends) in enumerate(found.items()):
        colour = CYCLE[1] if condition in lit else BLUE
        for stats in ends:
            if isinstance(stats, Mapping):
                span = (stats["lowest"], stats["highest"])
                pale = {"alpha": 0.25, "linewidth": 9, "solid_capstyle": "butt"}
                axes.plot(span, (row, row), color=colour, **pale)
        low, high = (s["mean"] if isinstance(s, Mapping) else s for s in ends)
        axes.plot((low, high), (row, row), color=colour, zorder=3)
        axes.plot(low, row, "o", markersize=9, color=colour, markerfacecolor=CARD, zorder=4)
        axes.plot(high, row, "o", markersize=9, color=colour, zorder=3)
        gain = form.replace(":", ":+").format(high - low).replace("-", "\N{MINUS SIGN}")
        if abs(high - low) > 0.02 * (x_range[1] - x_range[0]):
            at = (low + high) / 2, row - 0.14
            axes.text(*at, gain, ha="center", color=colour, fontweight="bold")
        said = {low: form.format(low), high: form.format(high)}
        if abs(high - low) < 0.1 * (x_range[1] - x_range[0]):  # two numbers would overlap
            said = {(low + high) / 2: " → ".join(said.values())}
        for x, number in said.items():
            axes.text(x, row + 0.42, number, ha="center", fontsize=9, color=MUTED)
    axes.set_yticks(range(len(found)), list(found))
    for label in axes.get_yticklabels():
        if label.get_text() in lit:
            label.set(color=CYCLE[1], fontweight="bold")
    axes.set(xlim=x_range, ylim=(len(found) - 0.35, -0.6), xlabel=x_label)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", linewidth=0.8)
    hollow, full = (
        Line2D([], [], marker="o", linestyle="", color=MUTED, markerfacecolor=fill)
        for fill in (CARD, MUTED)
    )
    axes.legend((hollow, full), names, ncols=2, loc="lower left", bbox_to_anchor=(0, 1.0))
    headline(figure, title)
    return figure


def describe_gains(found, names=("without", "with")):
    """Say in words what `gains` shows.

    >>> describe_gains({"all heads": (0.25, 0.75)}, names=("no example", "four"))
    'Share right, no example and four. All heads: 0.25 and 0.75.'
    """
    said = []
    for condition, ends in found.items():
        low, high = (s["mean"] if isinstance(s, Mapping) else s for s in ends)
        said.append(f"{condition[:1].upper()}{condition[1:]}: {low:.2f} and {high:.2f}")
    return f"Share right, {names[0]} and {names[1]}. {'; '.join(said)}."

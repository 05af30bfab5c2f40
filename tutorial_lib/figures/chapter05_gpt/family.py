"""The GPTs that were published: sizes counted beside those printed."""

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style


def _checked(rows):
    rows = [tuple(row) for row in rows]
    if not rows or any(len(row) not in (3, 4) for row in rows):
        raise ShapeError("rows are (name, ours, published) or (name, ours, published, note)")
    rows = [(*row, "")[:4] for row in rows]
    for name, ours, published, _ in rows:
        if not (ours > 0 and published > 0):
            raise ShapeError(f"{name!r} needs two numbers of parameters above 0")
    return rows


def _amount(parameters):
    """A number of parameters as people say it.

    >>> [_amount(value) for value in (124_439_808, 1.3e9, 175e9)]
    ['124.4 M', '1.30 B', '175.0 B']
    """
    if parameters < 1e9:
        return f"{parameters / 1e6:.1f} M"
    return f"{parameters / 1e9:.{2 if parameters < 1e10 else 1}f} B"


@style.styled
def family_sizes(rows, title="", figure=None):
    """Parameters as counted from a config beside the published ones, on a log axis.

    rows: (name, ours, published) or (name, ours, published, note); a row with a note, one that
    does not add up, is orange and carries it. Returns the figure.
    Raises ShapeError for rows of another form or numbers not above 0.

    >>> rows = [("small", 124.4e6, 117e6, "117 M cannot be"), ("XL", 1557.6e6, 1542e6)]
    >>> len(family_sizes(rows, "Two sizes").axes[0].lines)
    6
    """
    rows = _checked(rows)
    figure = style.blank(figure, 9.0, 1.5 + 0.34 * len(rows))
    axes = figure.subplots()
    axes.set_xscale("log")
    numbers = [value for row in rows for value in row[1:3]]
    axes.set_xlim(min(numbers) / 1.6, max(numbers) * 1.6)
    for y, (_, ours, published, note) in enumerate(rows):
        colour = style.ORANGE if note else style.BLUE
        axes.plot([ours, published], [y, y], color=colour, linewidth=2.5, alpha=0.5)
        axes.plot(published, y, "o", markersize=10, mfc="none", mec=colour, mew=1.8)
        axes.plot(ours, y, "o", markersize=5, color=colour)
        words = f"{_amount(ours)} / {_amount(published)}  ({_change(ours, published)})"
        words += f"  {note}" if note else ""
        side = {"va": "center", "fontsize": 9, "color": colour if note else style.INK}
        axes.annotate(
            words, (1.01, y), xycoords=axes.get_yaxis_transform(), annotation_clip=False, **side
        )
    axes.set_yticks(range(len(rows)), [row[0] for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    ticks = [10.0**power for power in range(6, 14) if min(numbers) / 1.6 < 10.0**power]
    ticks = [tick for tick in ticks if tick < max(numbers) * 1.6]
    axes.set_xticks(ticks, [_round(tick) for tick in ticks])
    axes.xaxis.set_minor_formatter("")
    axes.grid(axis="both", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0)
    axes.set(xlabel="parameters; dot: counted here, ring: published", title=title)
    return figure


def _round(parameters):
    return f"{parameters / 1e9:g} B" if parameters >= 1e9 else f"{parameters / 1e6:g} M"


def _change(ours, published):
    change = 100 * (ours / published - 1)
    return f"{change:+.1f} %".replace("-", "−")


def describe_family_sizes(rows):
    """Say in words what `family_sizes` shows.

    >>> describe_family_sizes([("XL", 1557.6e6, 1542e6)])
    'Parameters counted here and published: XL 1.56 B and 1.54 B (+1.0 %).'
    """
    parts = [
        f"{name} {_amount(ours)} and {_amount(published)} ({_change(ours, published)})"
        + (f", {note}" if note else "")
        for name, ours, published, note in _checked(rows)
    ]
    return f"Parameters counted here and published: {'; '.join(parts)}."

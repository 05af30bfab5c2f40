"""How the same few models do in the same few tests: a line each, from test to test."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.charts import spread_apart
from tutorial_lib.figures.placing import (
    DOT,
    HEIGHT,
    NEAR,
    axes_frame,
    draw_grid,
    line_points,
    place_beside,
    size_of,
    write,
)

TESTS = (2, 4)  # how many there may be
LEFT = 0.62  # inches in front of the first test, for its numbers


@style.styled
def profiles(
    scores: Mapping[str, Sequence[float]],
    tests: Sequence[str],
    title: str,
    colours: Mapping[str, str] | None = None,
    *,
    y_label: str = "share",
    figure: Figure | None = None,
) -> Figure:
    """A line for each model through its shares in a few tests, named at its right end.

    scores {name: (T,) shares from 0 to 1}; tests: what the T = 2 to 4 tests are called, from left
    to right; colours maps some of the names to a colour. Each share is written beside its dot, what
    is equal in both decimals once, in ink. Returns the figure. Raises ShapeError without a name,
    for another number of tests or of shares, for shares that are not from 0 to 1, and for a colour
    of a name that is not there.

    >>> figure = profiles({"A": [0.4, 0.1], "B": [0.4, 0.9]}, ["hidden", "visible"], "B sees")
    >>> sorted(text.get_text() for text in figure.axes[0].texts)
    ['0.10', '0.40', '0.90', 'A', 'B']
    """
    shares = _checked(scores, tests, colours)
    names = list(shares)
    lines = {
        name: (colours or {}).get(name, style.CYCLE[n % len(style.CYCLE)])
        for n, name in enumerate(names)
    }
    widest = max(style.text_width(test, 10) for test in tests)
    longest = max(style.text_width(name, 9.5, "bold") for name in names)
    number = style.text_width("0.00", 9.5, "bold")
    right = max(2 * (DOT + NEAR) / 72 + number + longest, widest / 2) + 0.1
    left = max(LEFT, widest / 2 + 0.1)
    span = max(1.9, widest + 0.25) * (len(tests) - 1)
    width = max(7.0, left + span + right + 0.9, style.text_width(title, 12, "bold") + 0.4)
    figure = style.blank(figure, width, 3.7)
    axes = figure.subplots()
    places = np.arange(len(tests))
    for name, colour in lines.items():
        # Thin and dotted: it leads from dot to dot, and says nothing about what lies between.
        look = {"marker": "o", "markersize": 2 * DOT, "linewidth": 1.4, "clip_on": False}
        axes.plot(places, shares[name], ":", color=colour, zorder=3, **look)
    axes.set_xticks(places, list(tests), fontsize=10)
    axes.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
    axes.set(ylim=(-0.08, 1.1), ylabel=y_label)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    style.headline(figure, title)
    figure.draw_without_rendering()  # the layout, to know how wide the axes are
    inches = axes.get_window_extent().width / figure.dpi
    unit = (len(tests) - 1) / (inches - left - right)
    axes.set_xlim(-left * unit, len(tests) - 1 + right * unit)
    boxes = _write(axes, shares, lines)
    draw_grid(axes, [0, 0.5, 1], boxes, right=len(tests) - 1)
    return figure


def _write(axes, shares, lines):
    """Write each number beside its dot, and the names at the ends; return the boxes they take."""
    table = np.array(list(shares.values()))  # (names, T)
    spots = np.array([line_points(axes, list(enumerate(row))) for row in table])  # (names, T, 2)
    last = table.shape[1] - 1
    colours = list(lines.values())
    taken = _write_first(axes, table[:, 0], spots[:, 0], colours)
    taken += _write_last(axes, table[:, last], spots[:, last], lines)
    texts, inks, points = [], [], []
    for test in range(1, last):
        for members in _alike(table[:, test]):
            texts.append(f"{table[members[0], test]:.2f}")
            inks.append(_ink(members, colours))
            points.append(spots[members, test].mean(0))
    sizes, dots = [size_of(text) for text in texts], spots.reshape(-1, 2)
    where = place_beside(points, sizes, axes_frame(axes), spots, dots, taken, _around_a_bend)
    for text, ink, middle in zip(texts, inks, where, strict=True):
        taken.append(write(axes, text, middle, ink))
    return taken


def _around_a_bend(width, height):
    """Return where a number may stand that has a line at its left and another at its right."""
    over, side = DOT + 1 + height / 2, DOT + NEAR + width / 2
    shifts = [(0, up * far * over) for far in (1, 1.25, 1.5) for up in (1, -1)]
    shifts += [(x, y) for y in (0, over / 2, -over / 2, over, -over) for x in (side, -side)]
    return shifts + [(0, up * far * over) for far in (2, 2.5, 3) for up in (1, -1)]


def _rows(wanted, gap, frame):
    """Return heights near those wanted, a gap apart and inside of the frame."""
    placed, order = spread_apart(wanted, gap), np.argsort(wanted, kind="stable")
    ranks = np.empty(len(order))
    ranks[order] = np.arange(len(order))
    _, bottom, _, top = frame
    lowest = bottom + HEIGHT / 2 + gap * ranks
    highest = top - HEIGHT / 2 - gap * (len(order) - 1 - ranks)
    return np.minimum(np.maximum(placed, lowest), highest)


def _alike(values):
    """Return the indices of the names, grouped by what is written, from low to high."""
    written = [f"{value:.2f}" for value in values]
    return [[n for n, text in enumerate(written) if text == each] for each in sorted({*written})]


def _ink(members, colours):
    """Return the colour of a number: of its line, or ink when several lines share it."""
    if len(members) > 1:
        return style.INK
    return colours[members[0]]


def _write_first(axes, values, spots, colours):
    """Write the numbers of the first test at its left; return the boxes they take."""
    groups = _alike(values)
    heights = _rows([spots[g, 1].mean() for g in groups], HEIGHT, axes_frame(axes))
    boxes = []
    for members, height in zip(groups, heights, strict=True):
        text = f"{values[members[0]]:.2f}"
        middle = np.array([spots[0, 0] - DOT - NEAR - size_of(text)[0] / 2, height])
        boxes.append(write(axes, text, middle, _ink(members, colours), side="right"))
    return boxes


def _write_last(axes, values, spots, lines):
    """Write the numbers of the last test at its right, then the names; return the boxes."""
    colours, names = list(lines.values()), list(lines)
    rows = [n for members in _alike(values) for n in sorted(members, key=lambda n: -n)]
    heights = dict(zip(rows, _rows(spots[rows, 1], HEIGHT + 1, axes_frame(axes)), strict=True))
    boxes = []
    for members in _alike(values):
        text = f"{values[members[0]]:.2f}"
        wide, _ = size_of(text)
        left = spots[0, 0] + DOT + NEAR
        at = np.array([left + wide / 2, np.mean([heights[n] for n in members])])
        boxes.append(write(axes, text, at, _ink(members, colours), side="left"))
        for n in members:
            half = size_of(names[n])[0] / 2
            middle = np.array([left + wide + NEAR + 2 + half, heights[n]])
            boxes.append(write(axes, names[n], middle, colours[n], side="left"))
    return boxes


def _checked(scores, tests, colours):
    """Return {name: shares (T,)} as floats."""
    low, high = TESTS
    if isinstance(tests, str) or not low <= len(tests) <= high:
        raise ShapeError(f"profiles needs the names of {low} to {high} tests, got {tests!r}")
    if not scores:
        raise ShapeError("profiles needs the shares of at least one name")
    unknown = [name for name in colours or () if name not in scores]
    if unknown:
        raise ShapeError(f"profiles has no {unknown[0]!r} to colour, only {', '.join(scores)}")
    shares = {name: np.asarray(row, dtype=float) for name, row in scores.items()}
    for name, row in shares.items():
        if row.shape != (len(tests),):
            raise ShapeError(
                f"{name!r} needs a share for each of {len(tests)} tests, got shape {row.shape}"
            )
        if not ((row >= 0) & (row <= 1)).all():
            raise ShapeError(f"the shares of {name!r} are from 0 to 1, got {row.tolist()}")
    return shares


def describe_profiles(scores, tests, title=""):
    """Say in words what `profiles` shows: every share of each name.

    >>> describe_profiles({"A": [0.4, 0.1], "B": [0.4, 0.9]}, ["hidden", "visible"], "B sees")
    'B sees. Shares in the tests: hidden; visible. A: 0.40, 0.10. B: 0.40, 0.90.'
    """
    said = [f"Shares in the tests: {'; '.join(tests)}."]
    for name, row in _checked(scores, tests, None).items():
        said.append(f"{name}: {', '.join(f'{share:.2f}' for share in row)}.")
    if title:
        said.insert(0, title if title.endswith(("?", "!", ".")) else f"{title}.")
    return " ".join(said)

"""Boxes, arrows and chips: what every drawing of a model is made of, in inches from the bottom.

One colour for each kind of part, and one each for queries, keys and values, in all chapters.
"""

from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch, Rectangle

from tutorial_lib.figures import style

WIDTH, HEIGHT, RADIUS = 3.75, 0.46, 0.13  # of a box and of a plus, in inches
GAP = 0.22  # from part to part
BYPASS = 0.34  # how far outside of the boxes a shortcut runs

LOOKS = {  # kind -> fill, edge
    "ids": (style.CARD, style.MUTED),
    "embedding": (style.PALE_PINK, style.PINK),
    "norm": (style.PALE_AMBER, style.AMBER),
    "attention": (style.PALE_BLUE, style.BLUE),
    "cross": (style.PALE_SKY, style.BLUE),
    "feed forward": (style.PALE_GREEN, style.GREEN),
    "head": (style.PALE_ORANGE, style.ORANGE),
    "output": (style.CARD, style.INK),
}
KIND_NAMES = {
    "embedding": "embeddings",
    "attention": "attention",
    "feed forward": "feed-forward",
    "norm": "norms",
    "head": "heads",
}
QUERY, KEY, VALUE = style.BLUE, style.ORANGE, style.GREEN


def canvas(figure, width, height, title, below=0.45):
    """Return a figure and its axes, width x height inches in data units, without a frame."""
    figure = style.blank(figure, width + 0.25, height + below + 0.65)
    axes = figure.subplots()
    axes.set(xlim=(0, width), ylim=(-below, height), title=title)
    axes.set_aspect("equal")
    axes.axis("off")
    return figure, axes


def rounded(axes, left, bottom, width, height, fill=style.CARD, edge=style.MUTED, **look):
    """Add a box with round corners."""
    options = {"boxstyle": "round,pad=0,rounding_size=0.08", "linewidth": 1.5, "zorder": 3}
    patch = FancyBboxPatch(
        (left, bottom), width, height, facecolor=fill, edgecolor=edge, **(options | look)
    )
    axes.add_patch(patch)
    return patch


def box(axes, part, left, bottom, width=WIDTH, height=HEIGHT, scale=1.0):
    """Draw a Part: title and note at the left, shape and parameters at the right.

    scale: how much larger its letters are than usual.
    """
    rounded(axes, left, bottom, width, height, *LOOKS[part.kind])
    y = bottom + height / 2
    middle = {"va": "center", "zorder": 4}
    faint = {"fontsize": 9.2 * scale, "color": style.MUTED} | middle
    for x, side, words, size, below in (
        (left + 0.12, "left", part.title, 10, part.note),
        (left + width - 0.12, "right", part.shape, 9.2, part.counted),
    ):
        axes.text(x, y + (0.1 if below else 0), words, ha=side, fontsize=size * scale, **middle)
        if below:
            axes.text(x, y - 0.11, below, ha=side, **faint)


WIDE = 1.9  # inches: so wide a box has a shape's letters and sizes on one line


def small_box(axes, part, left, bottom, width, height=0.92):
    """Draw a Part in a narrow box: title, note, shape and parameters below one another."""
    rounded(axes, left, bottom, width, height, *LOOKS[part.kind])
    shapes = part.shape.split("\n")
    shapes = [" = ".join(shapes)] if width >= WIDE else shapes
    lines = [line for line in (part.title, part.note, *shapes, part.counted) if line]
    step = height / (len(lines) + 0.35)
    for at, line in enumerate(lines):
        shape = line in shapes
        axes.text(
            left + width / 2,
            bottom + height - step * (at + 0.68),
            line,
            ha="center",
            va="center",
            fontsize=10 if at == 0 else 9.2,
            color=style.INK if at == 0 or shape else style.MUTED,
            zorder=4,
        )


def arrow(axes, points, colour=style.MUTED, width=1.2, zorder=2, **look):
    """Draw a line through points (x, y) that ends in an arrowhead."""
    xs, ys = zip(*points, strict=True)
    if len(points) > 2:
        joint = {"solid_joinstyle": "round", "solid_capstyle": "butt", "zorder": zorder}
        axes.plot(xs[:-1], ys[:-1], color=colour, linewidth=width, **joint, **look)
    head = {"arrowstyle": "-|>", "mutation_scale": 7 + 2 * width, "shrinkA": 0, "shrinkB": 0}
    axes.add_patch(
        FancyArrowPatch(
            points[-2], points[-1], color=colour, linewidth=width, zorder=zorder, **head, **look
        )
    )


def plus(axes, x, y, sign="+", edge=style.ORANGE):
    """Draw a small circle with a sign in it."""
    axes.add_patch(
        Circle((x, y), RADIUS, facecolor=style.CARD, edgecolor=edge, linewidth=1.8, zorder=3)
    )
    axes.text(x, y, sign, ha="center", va="center_baseline", fontsize=13, zorder=4)


def chips(axes, words, middle, bottom, width, fills=(style.PALE_GREY,), height=0.3, size=9.5):
    """Draw a row of chips, as wide as their words, around x = middle; return their middles.

    A row that would be wider than `width` leaves out words in its middle.
    """
    words = list(words)
    widths = [0.16 + 0.088 * max(1, len(word)) * size / 10 for word in words]
    while sum(widths) + 0.07 * len(words) > width and len(words) > 3:
        at = len(words) // 2
        if "…" in words:
            at = words.index("…")
            at += 1 if len(words) - at - 1 >= at else -1
            del words[at], widths[at]
        else:
            words[at], widths[at] = "…", 0.25
    left = middle - (sum(widths) + 0.07 * (len(words) - 1)) / 2
    middles = []
    for number, (word, room) in enumerate(zip(words, widths, strict=True)):
        if word != "…":
            fill = fills[number % len(fills)]
            rounded(axes, left, bottom, room, height, fill, style.GRID, linewidth=0.8)
        look = {"ha": "center", "va": "center", "fontsize": size, "zorder": 4}
        axes.text(
            left + room / 2, bottom + height / 2 - 0.01, word, family="DejaVu Sans Mono", **look
        )
        middles.append(left + room / 2)
        left += room + 0.07
    return middles


def cells(axes, values, left, bottom, width, height, colour=None, top=None):
    """Draw a matrix (R, C) as cells: 0 is blank; blue above and orange below it, or `colour`.

    Cells that are -inf are crossed out. A darkened figure keeps them readable, as their strength
    is how much they cover.
    """
    finite = values[abs(values) < float("inf")]
    top = top or float(abs(finite).max()) or 1.0
    n_rows, n_columns = values.shape
    w, h = width / n_columns, height / n_rows
    for row in range(n_rows):
        for column in range(n_columns):
            x, y = left + column * w, bottom + height - (row + 1) * h
            value = float(values[row, column])
            if value == float("-inf"):
                ends = ([x + 0.3 * w, x + 0.7 * w], [y + 0.3 * h, y + 0.7 * h])
                axes.plot(*ends, color=style.MUTED, linewidth=0.8, zorder=4)
                axes.plot(ends[0], ends[1][::-1], color=style.MUTED, linewidth=0.8, zorder=4)
                continue
            fill = colour or (style.BLUE if value > 0 else style.ORANGE)
            share = min(1.0, abs(value) / top)
            axes.add_patch(
                Rectangle((x, y), w, h, facecolor=fill, alpha=share, linewidth=0, zorder=4)
            )
    frame = {"facecolor": "none", "edgecolor": style.MUTED, "linewidth": 0.8, "zorder": 5}
    axes.add_patch(Rectangle((left, bottom), width, height, **frame))


def heights(parts, y=0.0):
    """Return the bottom and top of each part by name, and where the column ends."""
    places, stage = {}, ""
    for part in parts:
        if part.stage != stage:  # room for the frame of the layer
            y += 0.22
            stage = part.stage
        size = 2 * RADIUS if part.kind == "plus" else HEIGHT
        places[part.name] = (y, y + size)
        y += size + GAP
    return places, y


def column(axes, parts, places, left, side, times, width=WIDTH, scale=1.0):
    """Draw the parts of one stack; shortcuts run on the left (side -1) or the right (1).

    times, scale: as in `frame` and `box`.
    """
    x = left + width / 2
    for below, part in zip([None, *parts], parts, strict=False):
        bottom, top = places[part.name]
        if below:
            arrow(axes, [(x, places[below.name][1]), (x, bottom)])
        if part.kind != "plus":
            box(axes, part, left, bottom, width, scale=scale)
            continue
        middle = (bottom + top) / 2
        plus(axes, x, middle)
        shape = {"va": "center", "ha": "left" if side < 0 else "right", "fontsize": 9}
        # Where terms come in from the side, their line runs at this height.
        above = 0 if part.start in places else 0.15
        axes.text(x - side * (RADIUS + 0.1), middle + above, part.shape, **shape)
        if part.start in places:
            after = next(p for p in parts if places[p.name][0] > places[part.start][1])
            shortcut(axes, x, left, side, places[after.name][0], middle, width)
    inside = [places[part.name] for part in parts if part.stage]
    if inside and times:
        frame(axes, left, side, inside[0][0], inside[-1][1], times, width)


def shortcut(axes, x, left, side, start, end, width=WIDTH):
    """The line round a sub-layer: out of the trunk below `start`, back into the plus at `end`."""
    start -= GAP * 0.6
    edge = (left if side < 0 else left + width) + side * BYPASS * 0.62
    points = [(x, start), (edge, start), (edge, end), (x + side * RADIUS, end)]
    arrow(axes, points, style.ORANGE, 1.8, 2.5)


def frame(axes, left, side, bottom, top, times, width=WIDTH):
    """The dashed frame of a layer; times: what is written at its outer and its inner corner."""
    low, high = bottom - 0.2, top + 0.13
    x0 = left - (BYPASS if side < 0 else 0.14)
    across = width + BYPASS + 0.14
    look = {"linestyle": (0, (5, 3)), "linewidth": 1.3, "zorder": 1}
    rounded(axes, x0, low, across, high - low, "none", style.MUTED, **look)
    ends = (x0 + 0.04, x0 + across - 0.04)[::-side]
    for x, words, ha in zip(ends, times, ("left", "right")[::-side], strict=False):
        axes.text(x, high + 0.06, words, ha=ha, fontsize=10, va="bottom")


def shares(axes, counts, left, bottom, width):
    """Draw how many parameters each kind of part has, as one bar, each name below its part."""
    total, x = sum(counts.values()), left
    axes.text(
        left, bottom + 0.3, f"{total:,} parameters", fontsize=10, fontweight="bold", va="bottom"
    )
    middles = []
    for kind, count in counts.items():
        size = width * count / total
        fill, edge = LOOKS[kind]
        look = {"facecolor": fill, "edgecolor": edge, "linewidth": 1.2, "zorder": 3}
        axes.add_patch(Rectangle((x, bottom), size, 0.2, **look))
        middles.append(x + size / 2)
        x += size
    names = [f"{KIND_NAMES[kind]} {100 * count / total:.1f} %" for kind, count in counts.items()]
    places = _in_a_row(middles, [0.075 * len(name) for name in names], left, left + width)
    for kind, middle, name, place in zip(counts, middles, names, places, strict=True):
        ends = [middle, place], [bottom, bottom - 0.12]
        axes.plot(*ends, color=LOOKS[kind][1], linewidth=1.2, zorder=2)
        axes.text(place, bottom - 0.17, name, ha="center", va="top", fontsize=9.2)


def _in_a_row(wanted, widths, left, right, gap=0.1):
    """The middles of things in a row, near those wanted: none overlap, none leaves the row.

    >>> [round(x, 2) for x in _in_a_row([1.0, 1.9, 2.0], [1.0, 0.5, 0.5], 0.0, 2.5)]
    [0.8, 1.65, 2.25]
    """
    middles = []
    for middle, width in zip(wanted, widths, strict=True):
        middles.append(max(middle, left + width / 2))
        left = middles[-1] + width / 2 + gap
    for at in reversed(range(len(widths))):
        middles[at] = min(middles[at], right - widths[at] / 2)
        right = middles[at] - widths[at] / 2 - gap
    return middles

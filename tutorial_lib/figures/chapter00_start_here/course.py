"""The map of the course with its three routes."""

import textwrap

from matplotlib.patches import FancyBboxPatch

from tutorial_lib.figures.style import (
    BLUE,
    CARD,
    GREEN,
    INK,
    MUTED,
    ORANGE,
    blank,
    styled,
)

# name -> (title, column, row): five for all from top to bottom, then a branch to the right each
CHAPTERS = {
    "00": ("Start here", 0, 0),
    "01": ("Tokenization", 0, 1),
    "02": ("Attention", 0, 2),
    "03": ("Positions", 0, 3),
    "04": ("The Transformer", 0, 4),
    "05": ("GPT", 1.5, 3),
    "05b": ("Prompting", 2.5, 3),
    "06": ("BERT", 1.5, 4),
    "06b": ("BERT in use", 2.5, 4),
    "08a": ("BERT's descendants", 3.5, 4),
    "08b": ("Text to text", 4.5, 4),
    "07": ("Vision Transformer", 1.5, 5),
    "09": ("Swin and Perceiver", 2.5, 5),
    "10": ("Text and pictures", 3.5, 5),
    "11": ("Growing up", 5.8, 4),
}

# The chapters whose notebooks exist; the others are planned.
READY = ("00", "01", "02", "03", "04", "05", "05b", "06", "06b", "07", "08a", "08b", "09", "10")

ROUTES = {
    "Two-hour essentials": ("00", "01", "02", "05"),
    "Builder": ("00", "01", "02", "03", "04", "05"),
    "Everything": tuple(CHAPTERS),
}
_FOR = ("what attention is, and how a GPT writes", "a GPT from your own code", "the whole family")
_BRANCHES = {"05": "writing", "06": "reading", "07": "seeing"}

# What a chapter builds on; chapter 00 opens everything.
_NEEDS = (
    ("00", "01"),
    ("01", "02"),
    ("02", "03"),
    ("03", "04"),
    ("04", "05"),
    ("05", "05b"),
    ("04", "06"),
    ("06", "06b"),
    ("06", "08a"),
    ("08a", "08b"),
    ("04", "07"),
    ("07", "09"),
    ("09", "10"),
    ("05b", "11"),
    ("08b", "11"),
    ("10", "11"),
)

_ROUTE_COLOURS = (ORANGE, GREEN, BLUE)
_STEP, _RISE, _BOX = 1.24, 1.0, (1.08, 0.74)


def box(axes, x, y, width, height, **look):
    """Add a box with round corners around (x, y)."""
    style = "round,pad=0,rounding_size=0.09"
    axes.add_patch(
        FancyBboxPatch((x - width / 2, y - height / 2), width, height, boxstyle=style, **look)
    )


@styled
def course_map(done=(), figure=None):
    """Chapters 00 to 11, what builds on what, and three routes through them.

    Planned chapters, those not in READY, are dashed. done holds the names of finished chapters
    ("00", "05b", ...), which are filled in.
    Raises ValueError for a name that is no chapter.
    """
    unknown = sorted(set(done) - set(CHAPTERS))
    if unknown:
        raise ValueError(f"no chapter is called {unknown[0]!r}; there are {', '.join(CHAPTERS)}")
    figure = blank(figure, 8.7, 6.5)
    axes = figure.subplots()
    axes.set(xlim=(-0.58, 5.8 * _STEP + 0.58), ylim=(5 * _RISE + 0.45, -0.75), aspect="equal")
    axes.axis("off")
    place = {name: (col * _STEP, row * _RISE) for name, (_, col, row) in CHAPTERS.items()}
    for before, after in _NEEDS:
        (x0, y0), (x1, y1) = place[before], place[after]
        bend = x1 - _BOX[0] / 2 - (0.2 if x1 > x0 else -_BOX[0] / 2)  # where branches part or join
        axes.plot([x0, bend, bend, x1], [y0, y0, y1, y1], color=MUTED, linewidth=1.4, zorder=1)
    for name, (title, _, _) in CHAPTERS.items():
        x, y = place[name]
        look = _state(name)
        if name in done:
            look |= {"facecolor": "#cdeadf", "edgecolor": GREEN}
        box(axes, x, y, *_BOX, **look, zorder=2)
        tick = " ✓" if name in done else ""
        colour = INK if name in (*READY, *done) else MUTED
        centred = {"ha": "center", "va": "center", "zorder": 3, "color": colour}
        axes.text(x, y - 0.21, name + tick, fontweight="bold", fontsize=11, **centred)
        wrapped = textwrap.fill(title, 12)
        axes.text(x, y + 0.12, wrapped, fontsize=9.5, linespacing=1.05, **centred)
        if name in _BRANCHES:
            above = {"style": "italic", "fontsize": 10, "color": MUTED}
            axes.text(x - _BOX[0] / 2, y - 0.44, _BRANCHES[name], **above)
    for index, (route, chapters) in enumerate(ROUTES.items()):
        _route(axes, -0.32 + 0.82 * index, index, route, chapters)
    x, y = place["11"]
    axes.text(x, y + 0.53, "planned", fontsize=9.5, color=MUTED, ha="center", va="center")
    finished = f" ({len(set(done))} of {len(CHAPTERS)} done)" if done else ""
    axes.set_title(
        f"Five chapters in a row, then three branches: writing, reading, seeing{finished}"
    )
    return figure


def describe_course_map():
    """Say in words what `course_map` shows."""
    builds_on = {}
    for before, after in _NEEDS:
        builds_on.setdefault(after, []).append(before)
    chapters = ". ".join(
        f"{name} {title}"
        + ("" if name in READY else " (planned)")
        + (f", after {' and '.join(builds_on[name])}" if name in builds_on else "")
        for name, (title, _, _) in CHAPTERS.items()
    )
    routes = "; ".join(f"{route} {', '.join(names)}" for route, names in ROUTES.items())
    return f"Map of the chapters. {chapters}. Routes: {routes}."


def _state(name):
    """Return the look of a chapter's box: solid and white when it is there, dashed when planned."""
    if name in READY:
        return {"facecolor": "white", "edgecolor": INK, "linewidth": 2.2}
    return {"facecolor": CARD, "edgecolor": MUTED, "linewidth": 1.2, "linestyle": (0, (4, 3))}


def _route(axes, y, index, route, chapters):
    left, colour = 0.95, _ROUTE_COLOURS[index]
    named = axes.text(left, y, route, color=colour, fontweight="bold", fontsize=11, va="center")
    aside = {"xycoords": named, "textcoords": "offset points", "va": "center", "color": MUTED}
    axes.annotate(_FOR[index], (1, 0.5), xytext=(8, 0), fontsize=10, **aside)
    xs = [left + 0.2 + 0.44 * i for i in range(len(chapters))]
    axes.plot([xs[0], xs[-1]], [y + 0.34, y + 0.34], color=colour, linewidth=3, zorder=1)
    for x, name in zip(xs, chapters, strict=True):
        box(axes, x, y + 0.34, 0.37, 0.3, **_state(name) | {"edgecolor": colour}, zorder=2)
        axes.text(x, y + 0.35, name, fontsize=9, ha="center", va="center", zorder=3)

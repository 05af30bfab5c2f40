"""The map of the course with its three routes, and the family tree of the models it meets."""

import textwrap

from matplotlib.patches import FancyBboxPatch

from tutorial_lib.figures.style import BLUE, CARD, GREEN, GRID, INK, MUTED, ORANGE, blank, styled
from tutorial_lib.models.zoo import ZOO

# name -> (title, column, row)
CHAPTERS = {
    "00": ("Start here", 0, 1),
    "01": ("Tokenization", 1, 1),
    "02": ("Attention", 2, 1),
    "03": ("Positions", 3, 1),
    "04": ("The Transformer", 4, 1),
    "05": ("GPT", 5.3, 0),
    "05b": ("Prompting", 6.3, 0),
    "06": ("BERT", 5.3, 1),
    "06b": ("BERT in use", 6.3, 1),
    "08a": ("BERT's descendants", 7.3, 1),
    "08b": ("Text to text", 8.3, 1),
    "07": ("Vision Transformer", 5.3, 2),
    "09": ("Swin and Perceiver", 6.3, 2),
    "10": ("Text and pictures", 7.3, 2),
    "11": ("Growing up", 9.6, 1),
}

# The chapters whose notebooks exist; the others are planned.
READY = ("00", "01", "02", "03", "04", "05", "05b", "06", "06b", "07", "08a", "08b", "09", "10")

ROUTES = {
    "Two-hour essentials": ("00", "01", "02", "05"),
    "Builder": ("00", "01", "02", "03", "04", "05"),
    "Everything": tuple(CHAPTERS),
}

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
_STEP, _RISE, _BOX = 1.25, 1.25, (1.04, 0.74)


def _box(axes, x, y, width, height, **look):
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
    figure = blank(figure, 11.8, 5.3)
    axes = figure.subplots()
    axes.set(xlim=(-0.65, 9.6 * _STEP + 0.65), ylim=(2 * _RISE + 2.35, -0.55), aspect="equal")
    axes.axis("off")
    place = {name: (col * _STEP, row * _RISE) for name, (_, col, row) in CHAPTERS.items()}
    for before, after in _NEEDS:
        (x0, y0), (x1, y1) = place[before], place[after]
        bend = x1 - _BOX[0] / 2 - 0.29  # halfway between the columns where branches part or join
        axes.plot([x0, bend, bend, x1], [y0, y0, y1, y1], color=MUTED, linewidth=1.4, zorder=1)
    for name, (title, _, _) in CHAPTERS.items():
        x, y = place[name]
        look = _state(name)
        if name in done:
            look |= {"facecolor": "#cdeadf", "edgecolor": GREEN}
        _box(axes, x, y, *_BOX, **look, zorder=2)
        tick = " ✓" if name in done else ""
        colour = INK if name in (*READY, *done) else MUTED
        centred = {"ha": "center", "va": "center", "zorder": 3, "color": colour}
        axes.text(x, y - 0.2, name + tick, fontweight="bold", fontsize=10, **centred)
        wrapped = textwrap.fill(title, 12)
        axes.text(x, y + 0.13, wrapped, fontsize=8.5, linespacing=1.05, **centred)
    for index, (route, chapters) in enumerate(ROUTES.items()):
        _route(axes, 2 * _RISE + 0.95 + 0.5 * index, route, chapters, _ROUTE_COLOURS[index])
    for index, (name, meaning) in enumerate({READY[0]: "here now", "11": "planned"}.items()):
        _box(axes, -0.28 + 1.6 * index, -0.2, 0.44, 0.28, **_state(name), zorder=2)
        axes.text(0.04 + 1.6 * index, -0.19, meaning, fontsize=9, va="center")
    finished = f", {len(set(done))} of {len(CHAPTERS)} done" if done else ""
    to_come = len(CHAPTERS) - len(READY)
    axes.set_title(f"{len(READY)} chapters and {to_come} to come, three routes{finished}")
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


def _route(axes, y, route, chapters, colour):
    axes.text(-0.5, y, route, color=colour, fontweight="bold", va="center")
    x = 2.0
    xs = [x + 0.58 * i for i in range(len(chapters))]
    axes.plot([xs[0], xs[-1]], [y, y], color=colour, linewidth=3, zorder=1)
    for x, name in zip(xs, chapters, strict=True):
        look = _state(name) | {"edgecolor": colour}
        _box(axes, x, y, 0.44, 0.32, **look, zorder=2)
        axes.text(x, y + 0.01, name, fontsize=8.5, ha="center", va="center", zorder=3)


# part of the Transformer -> (title, what it does, left end, width, columns, colour)
_FAMILIES = {
    "both": ("Encoder-decoder", "reads one, writes another", 0.0, 2.3, 2, ORANGE),
    "encoder": ("Encoder", "looks both ways", 2.6, 3.3, 3, BLUE),
    "decoder": ("Decoder", "sees only what came before", 6.2, 4.3, 4, GREEN),
}
_CHATGPT = 2022
_FULL, _LESS = 0.86, 0.62  # height of a year, and of each further row in it


@styled
def family_tree(sizes=False, figure=None):
    """The models of `models.zoo` by year of their first paper, in three families.

    Under the name stands the chapter that meets it; with sizes its parameters, too, and "–" where
    nobody has told. Without sizes the year of ChatGPT, which is no model of the zoo, is there too.
    """
    figure = blank(figure, 11.0, 7.4 if sizes else 7.9)
    axes = figure.subplots()
    tops, y = {}, 0.0
    for year in sorted({member.year for member in ZOO} | ({_CHATGPT} if not sizes else set())):
        tops[year] = y
        rows = max(
            -(-len(_members(part, year)) // columns)
            for part, (_, _, _, _, columns, _) in _FAMILIES.items()
        )
        y += _FULL + _LESS * max(0, rows - 1)  # a year without a model is a row, too
    axes.set(xlim=(-0.75, 10.5), ylim=(y, -1.0))
    axes.axis("off")
    for year, top in tops.items():
        axes.text(-0.7, top + 0.25, str(year), fontweight="bold", color=MUTED, va="center")
        axes.plot([-0.7, 10.5], [top - 0.12, top - 0.12], color=GRID, linewidth=0.8, zorder=0)
    for part, (title, what, left, width, columns, colour) in _FAMILIES.items():
        axes.text(left, -0.75, title, color=colour, fontweight="bold", fontsize=11.5)
        axes.text(left, -0.38, what, color=MUTED, fontsize=9)
        for year, top in tops.items():
            members = _members(part, year)
            for index, member in enumerate(members):
                column, row = index % columns, index // columns
                room = width if len(members) == 1 and columns == 2 else width / columns
                x = left + column * (width / columns) + room / 2
                centre = top + 0.25 + _LESS * row
                look = {"facecolor": CARD, "edgecolor": colour, "linewidth": 1.5}
                _box(axes, x, centre, room - 0.12, 0.5, **look)
                note = _note(member, sizes)
                middle = {"ha": "center", "va": "center"}
                low = 0.09 if note else 0
                letters = 9.5 if len(member.name) < 11 else 8.5
                axes.text(x, centre - low, member.name, fontsize=letters, color=INK, **middle)
                axes.text(x, centre + 0.13, note, fontsize=8, color=MUTED, **middle)
    # From the Transformer's box to the first model of each family.
    top, row = tops[2017] + 0.25, tops[2018]
    line = {"color": MUTED, "linewidth": 1.4, "zorder": 0.5}  # below the boxes
    for x in (3.15, 6.74):
        axes.plot([2.24, x, x], [top, top, row], **line)
    above = tops[2019] - 0.05
    axes.plot([1.15, 1.15], [top + 0.25, above], **line)
    axes.plot([0.575, 0.575, 1.725, 1.725], [tops[2019], above, above, tops[2019]], **line)
    if not sizes:
        # From BERT to its first descendants, and from GPT to GPT to GPT.
        axes.plot([3.15, 3.15], [row, above], **line)
        axes.plot([3.15, 3.15, 5.35, 5.35], [tops[2019], above, above, tops[2019]], **line)
        axes.plot([4.25, 4.25], [above, tops[2019]], **line)
        axes.plot([6.74, 6.74], [row, tops[2023]], **line)
        centre = tops[_CHATGPT] + 0.25
        look = {"facecolor": CARD, "edgecolor": GREEN, "linewidth": 1.5, "linestyle": (0, (4, 3))}
        _box(axes, 6.74, centre, 0.95, 0.5, **look)
        axes.text(6.74, centre, "ChatGPT", fontsize=9.5, color=INK, ha="center", va="center")
        axes.text(7.35, centre, "a GPT trained to answer people", color=MUTED, va="center")
    axes.set_title("One encoder-decoder in 2017, then three families, up to today's models")
    return figure


def describe_family_tree(sizes=False):
    """Say in words what `family_tree` shows."""
    said = "Family tree by year. " + " ".join(
        f"{title}, {what}: "
        + ", ".join(f"{m.name} {m.year} {_note(m, sizes)}".strip() for m in ZOO if m.part == part)
        + "."
        for part, (title, what, *_) in _FAMILIES.items()
    )
    return said if sizes else f"{said} In {_CHATGPT} ChatGPT, a GPT trained to answer people."


def _members(part, year):
    return [member for member in ZOO if (member.part, member.year) == (part, year)]


def _note(member, sizes):
    """Return what stands under a name: "chapter 06", or "06 · 335 M"."""
    if not sizes:
        return f"chapter {member.chapter}" if member.chapter else ""
    size = "–" if member.parameters is None else _short(member.parameters)
    return f"{member.chapter} · {size}" if member.chapter else size


def _short(n):
    """Return a number of parameters in three digits at most: 22.7 M, 335 M, 1.56 B, 671 B."""
    letter, unit = ("B", 1e9) if n >= 1e9 else ("M", 1e6)
    return f"{n / unit:.3g} {letter}"

"""The map of the course with its three routes, and the family tree of the models it meets."""

import textwrap

from matplotlib.patches import FancyBboxPatch

from tutorial_lib.figures.style import (
    BLUE,
    CARD,
    GREEN,
    GRID,
    INK,
    MUTED,
    ORANGE,
    PALE_BLUE,
    PALE_GREEN,
    PALE_ORANGE,
    blank,
    styled,
)
from tutorial_lib.models.zoo import ZOO

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
        _box(axes, x, y, *_BOX, **look, zorder=2)
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
        _box(axes, x, y + 0.34, 0.37, 0.3, **_state(name) | {"edgecolor": colour}, zorder=2)
        axes.text(x, y + 0.35, name, fontsize=9, ha="center", va="center", zorder=3)


# part of the Transformer -> (title, what it does, left end, columns, colour, fill)
_FAMILIES = {
    "both": ("Encoder-decoder", "reads one, writes another", 0.0, 1, ORANGE, PALE_ORANGE),
    "encoder": ("Encoder", "looks both ways", 1.95, 3, BLUE, PALE_BLUE),
    "decoder": ("Decoder", "sees only what came before", 5.4, 3, GREEN, PALE_GREEN),
}
_MET = ("SmolLM2", "MiniLM")  # the models that chapter 00 runs
_CHATGPT = 2022
_ROOM = 1.06  # width of a column
_FULL, _LESS = 0.8, 0.6  # height of a year, and of each further row in it


@styled
def family_tree(sizes=False, figure=None):
    """The models of `models.zoo` by year of their first paper, in three families.

    Under the name stands the chapter that meets it; with sizes its parameters, too, and "–" where
    nobody has told. Without sizes the year of ChatGPT, which is no model of the zoo, is there too,
    and the models that chapter 00 runs are filled.
    """
    years = sorted({member.year for member in ZOO} | ({_CHATGPT} if not sizes else set()))
    tops, y = {}, 0.0
    for year in years:
        tops[year] = y
        rows = max(
            -(-len(_members(part, year)) // columns)
            for part, (_, _, _, columns, _, _) in _FAMILIES.items()
        )
        y += _FULL + _LESS * max(0, rows - 1)  # a year without a model is a row, too
    figure = blank(figure, 8.9, 0.92 * (y + 1.2))
    axes = figure.subplots()
    axes.set(xlim=(-0.7, 8.65), ylim=(y, -1.0))
    axes.axis("off")
    for year, top in tops.items():
        axes.text(-0.65, top + 0.25, str(year), fontweight="bold", color=MUTED, va="center")
        axes.plot([-0.65, 8.6], [top - 0.13, top - 0.13], color=GRID, linewidth=0.8, zorder=0)
    for part, (title, what, left, columns, colour, fill) in _FAMILIES.items():
        axes.text(left, -0.68, title, color=colour, fontweight="bold", fontsize=12)
        below = textwrap.fill(what, 14) if columns == 1 else what
        axes.text(left, -0.58, below, color=MUTED, fontsize=9.5, va="top", linespacing=1.1)
        for year, top in tops.items():
            for index, member in enumerate(_members(part, year)):
                x = left + _ROOM * (index % columns + 0.5)
                centre = top + 0.25 + _LESS * (index // columns)
                met = member.name in _MET and not sizes
                look = {"facecolor": fill if met else CARD, "edgecolor": colour, "linewidth": 1.5}
                _box(axes, x, centre, _ROOM - 0.08, 0.5, **look)
                note = _note(member, sizes)
                middle = {"ha": "center", "va": "center"}
                low = 0.1 if note else 0
                letters = 10.5 if len(member.name) < 10 else 9.5 if len(member.name) < 11 else 8.8
                axes.text(x, centre - low, member.name, fontsize=letters, color=INK, **middle)
                axes.text(x, centre + 0.13, note, fontsize=9, color=MUTED, **middle)
    # From the Transformer's box to the first model of each family.
    both, encoder, decoder = (left + _ROOM / 2 for _, _, left, *_ in _FAMILIES.values())
    top, row = tops[2017] + 0.25, tops[2018]
    line = {"color": MUTED, "linewidth": 1.4, "zorder": 0.5}  # below the boxes
    axes.plot([both, encoder, encoder], [top, top, row], **line)
    axes.plot([encoder, decoder, decoder], [top, top, row], **line)
    # BART and T5, of one month, side by side at one line.
    beside, two = both - _ROOM / 2 - 0.08, (tops[2019] + 0.25, tops[2019] + 0.25 + _LESS)
    axes.plot([both, both, beside, beside], [top, row, row, two[1]], **line)
    for height in two:
        axes.plot([beside, both], [height, height], **line)
    if not sizes:
        # From BERT to its first descendants, and from GPT to GPT to GPT.
        above = tops[2019] - 0.06
        for column in range(3):
            x = encoder + column * _ROOM
            axes.plot([encoder, encoder, x, x], [row, above, above, tops[2019]], **line)
        axes.plot([decoder, decoder], [row, tops[2023]], **line)
        centre, chatbot = tops[_CHATGPT] + 0.25, decoder + _ROOM
        axes.plot([decoder, chatbot], [centre, centre], **line)
        look = {"facecolor": CARD, "edgecolor": GREEN, "linewidth": 1.5, "linestyle": (0, (4, 3))}
        _box(axes, chatbot, centre, _ROOM - 0.08, 0.5, **look)
        axes.text(chatbot, centre, "ChatGPT", fontsize=10.5, color=INK, ha="center", va="center")
        answers = "a GPT trained\nto answer"
        axes.text(chatbot + 0.54, centre, answers, color=MUTED, fontsize=9, va="center")
        filled = "filled: you have used it in this chapter"
        x, y = encoder - _ROOM / 2, tops[max(years)] + 0.25
        axes.text(x, y, filled, color=MUTED, fontsize=9.5, va="center")
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
    if not sizes and member.name in _MET:
        return "this chapter"
    if not sizes:
        return f"chapter {member.chapter}" if member.chapter else ""
    size = "–" if member.parameters is None else _short(member.parameters)
    return f"{member.chapter} · {size}" if member.chapter else size


def _short(n):
    """Return a number of parameters in three digits at most: 22.7 M, 335 M, 1.56 B, 671 B."""
    letter, unit = ("B", 1e9) if n >= 1e9 else ("M", 1e6)
    return f"{n / unit:.3g} {letter}"

"""The family of the Transformer: some of its models with what each was built on, or all by year."""

import textwrap

from tutorial_lib.figures.chapter00_start_here.course import box
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

# part of the Transformer -> (title, what it does, colour, fill)
_PARTS = {
    "both": ("Encoder-decoder", "reads one, writes another", ORANGE, PALE_ORANGE),
    "encoder": ("Encoder", "looks both ways", BLUE, PALE_BLUE),
    "decoder": ("Decoder", "sees only what came before", GREEN, PALE_GREEN),
}

# A few models as a tree: model -> (what it was built on, left end, row)
TREE = {
    "Transformer": (None, 0.75, 0),
    "BERT": ("Transformer", 2.6, 1),
    "GPT": ("Transformer", 6.1, 1),
    "T5": ("Transformer", 1.0, 2),
    "BART": ("Transformer", 1.0, 3),
    "RoBERTa": ("BERT", 2.85, 2),
    "ALBERT": ("BERT", 2.85, 3),
    "GPT-2": ("GPT", 6.1, 2),
    "MiniLM": ("BERT", 2.85, 4),
    "ViT": ("Transformer", 4.3, 4),
    "GPT-3": ("GPT-2", 6.1, 4),
    "Swin": ("ViT", 4.55, 5),
    "CLIP": ("ViT", 4.55, 6),
    "ChatGPT": ("GPT-3", 6.35, 7),
    "DINOv2": ("ViT", 4.55, 8),
    "Llama": ("GPT-3", 6.35, 8),
    "SmolLM2": ("Llama", 6.6, 9),
}
_MET = ("SmolLM2", "MiniLM")  # the models that chapter 00 runs
_ROWS = {2017: 0, 2018: 1, 2019: 2, 2020: 4, 2021: 5, 2022: 7, 2023: 8, 2025: 9}  # the first
_WIDE, _HIGH, _STEP = 1.26, 0.5, 0.64  # inches: a box, and from row to row
_SUBJECTS = {"BERT": "for text", "ViT": "for pictures"}


def family_tree(sizes=False, figure=None):
    """The family of the Transformer in its three branches.

    By default the models that the chapters build and use, in the order of their years, each with a
    line to what it was built on. With sizes all models of `models.zoo`, with their parameters ("–"
    where nobody has told) and without lines but the first.
    """
    return _zoo(figure=figure) if sizes else _tree(figure=figure)


def describe_family_tree(sizes=False):
    """Say in words what `family_tree` shows."""
    if sizes:
        return "Family tree by year. " + " ".join(
            f"{title}, {what}: "
            + ", ".join(f"{m.name} {m.year} {_size(m)}".strip() for m in ZOO if m.part == part)
            + "."
            for part, (title, what, *_) in _PARTS.items()
        )
    members = {member.name: member for member in ZOO}
    said = []
    for name, (parent, *_) in TREE.items():
        note = _note(members[name]) if name in members else "2022"
        said.append(f"{name} ({note})" + (f" from {parent}" if parent else ""))
    return f"Family tree, each model with what it was built on: {', '.join(said)}."


@styled
def _tree(figure=None):
    members = {member.name: member for member in ZOO}
    n_rows = max(row for *_, row in TREE.values()) + 1
    figure = blank(figure, 8.9, _STEP * n_rows + 1.25)
    axes = figure.subplots()
    axes.set(xlim=(0, 8.7), ylim=(_STEP * n_rows, -0.72))
    axes.axis("off")
    for year, first in _ROWS.items():
        top = first * _STEP
        axes.text(0.05, top + _STEP / 2, str(year), fontweight="bold", color=MUTED, va="center")
        axes.plot([0.05, 8.65], [top, top], color=GRID, linewidth=0.8, zorder=0)
    for left, part in ((0.75, "both"), (2.6, "encoder"), (6.1, "decoder")):
        title, what, colour, _ = _PARTS[part]
        axes.text(left, -0.48, title, color=colour, fontweight="bold", fontsize=12.5)
        what = textwrap.fill(what, 14) if part == "both" else what  # a narrow column
        axes.text(left, -0.38, what, color=MUTED, fontsize=10, va="top", linespacing=1.1)
    for name, (parent, left, row) in TREE.items():
        y = _STEP * (row + 0.5)
        if parent:
            _line(axes, TREE[parent], left, y)
        if name in _SUBJECTS:
            said = {"style": "italic", "fontsize": 10, "color": MUTED}
            axes.text(left + _WIDE / 2 + 0.08, y - 0.33, _SUBJECTS[name], **said)
        member = members.get(name)
        _, _, colour, fill = _PARTS[member.part if member else "decoder"]
        look = {"facecolor": fill if name in _MET else CARD, "edgecolor": colour, "linewidth": 1.6}
        box(axes, left + _WIDE / 2, y, _WIDE, _HIGH, **look, zorder=2)
        centred = {"ha": "center", "va": "center", "zorder": 3}
        axes.text(left + _WIDE / 2, y - 0.1, name, fontsize=11.5, color=INK, **centred)
        note = _note(member) if member else "trained to chat"
        axes.text(left + _WIDE / 2, y + 0.13, note, fontsize=9, color=MUTED, **centred)
    axes.set_title("The Transformer of 2017 has three kinds of descendants")
    return figure


def _line(axes, parent, left, y):
    """Draw the line from a parent's box to a child at (left, y), whichever way is free."""
    _, from_left, from_row = parent
    from_y = _STEP * (from_row + 0.5)
    look = {"color": MUTED, "linewidth": 1.5, "zorder": 1}
    if left == from_left:  # straight down
        x = left + _WIDE / 2
        axes.plot([x, x], [from_y, y], **look)
    elif left - from_left < 0.5:  # down beside its siblings, and in from the left
        x = from_left + 0.12
        axes.plot([x, x, left], [from_y, y, y], **look)
    else:  # to another branch
        x = left + _WIDE / 2
        axes.plot([from_left + _WIDE, x, x], [from_y, from_y, y], **look)


def _note(member):
    if member.name in _MET:
        return "in this chapter"
    return f"chapter {member.chapter}"


_COLUMNS = {"both": (0.0, 1), "encoder": (1.95, 3), "decoder": (5.4, 3)}  # left end, how many
_ROOM = 1.06  # width of a column
_FULL, _LESS = 0.8, 0.6  # height of a year, and of each further row in it


@styled
def _zoo(figure=None):
    tops, y = {}, 0.0
    for year in sorted({member.year for member in ZOO}):
        tops[year] = y
        rows = max(
            -(-len(_members(part, year)) // columns) for part, (_, columns) in _COLUMNS.items()
        )
        y += _FULL + _LESS * (rows - 1)
    figure = blank(figure, 8.9, 0.92 * (y + 1.2))
    axes = figure.subplots()
    axes.set(xlim=(-0.7, 8.65), ylim=(y, -1.0))
    axes.axis("off")
    for year, top in tops.items():
        axes.text(-0.65, top + 0.25, str(year), fontweight="bold", color=MUTED, va="center")
        axes.plot([-0.65, 8.6], [top - 0.13, top - 0.13], color=GRID, linewidth=0.8, zorder=0)
    for part, (left, columns) in _COLUMNS.items():
        title, what, colour, _ = _PARTS[part]
        axes.text(left, -0.68, title, color=colour, fontweight="bold", fontsize=12)
        below = textwrap.fill(what, 14) if columns == 1 else what
        axes.text(left, -0.58, below, color=MUTED, fontsize=9.5, va="top", linespacing=1.1)
        for year, top in tops.items():
            for index, member in enumerate(_members(part, year)):
                x = left + _ROOM * (index % columns + 0.5)
                centre = top + 0.25 + _LESS * (index // columns)
                look = {"facecolor": CARD, "edgecolor": colour, "linewidth": 1.5}
                box(axes, x, centre, _ROOM - 0.08, 0.5, **look)
                middle = {"ha": "center", "va": "center"}
                letters = 10.5 if len(member.name) < 10 else 9.5 if len(member.name) < 11 else 8.8
                axes.text(x, centre - 0.1, member.name, fontsize=letters, color=INK, **middle)
                axes.text(x, centre + 0.13, _size(member), fontsize=9, color=MUTED, **middle)
    # From the Transformer's box to the first model of each family.
    both, encoder, decoder = (left + _ROOM / 2 for left, _ in _COLUMNS.values())
    top, row = tops[2017] + 0.25, tops[2018]
    line = {"color": MUTED, "linewidth": 1.4, "zorder": 0.5}  # below the boxes
    axes.plot([both, encoder, encoder], [top, top, row], **line)
    axes.plot([encoder, decoder, decoder], [top, top, row], **line)
    # BART and T5, of one month, side by side at one line.
    beside, two = both - _ROOM / 2 - 0.08, (tops[2019] + 0.25, tops[2019] + 0.25 + _LESS)
    axes.plot([both, both, beside, beside], [top, row, row, two[1]], **line)
    for height in two:
        axes.plot([beside, both], [height, height], **line)
    axes.set_title("One encoder-decoder in 2017, then three families, up to today's models")
    return figure


def _members(part, year):
    return [member for member in ZOO if (member.part, member.year) == (part, year)]


def _size(member):
    """Return where a model is met and how large it is: "06 · 335 M"."""
    size = "–" if member.parameters is None else _short(member.parameters)
    return f"{member.chapter} · {size}" if member.chapter else size


def _short(n):
    """Return a number of parameters in three digits at most: 22.7 M, 335 M, 1.56 B, 671 B."""
    letter, unit = ("B", 1e9) if n >= 1e9 else ("M", 1e6)
    return f"{n / unit:.3g} {letter}"

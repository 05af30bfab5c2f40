"""A text whose gaps are filled one after the other, a row for each pass."""

import itertools
from collections.abc import Sequence

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter06_bert.inputs import _box
from tutorial_lib.figures.generation import token_name

GAP = "[MASK]"
COLUMN, ROW = 1.05, 0.42  # inches


@style.styled
def filling_up(passes: Sequence[str], title: str = "", figure=None):
    """Draw a text before and after each pass of a model that fills its gaps.

    passes: the text with its gaps as [MASK], then the same after each pass, words apart by spaces.
    A word is framed in the row in which it is new. Returns the figure. Raises ShapeError without
    a text, and for texts of different lengths.

    >>> figure = filling_up(["[MASK] [MASK]", "[MASK] und", "vier und"], "Two gaps")
    >>> [text.get_text() for text in figure.axes[0].texts][:4]
    ['before', '[MASK]', '[MASK]', 'pass 1']
    """
    rows = _checked(passes)
    names = [token_name(word) for row in rows for word in row]
    column = max(COLUMN, 0.25 + max(style.text_width(name, 9.5) for name in names))
    width = 0.9 + column * len(rows[0])
    wide = max(width, style.text_width(title, 12, "bold") + 0.3)
    figure = style.blank(figure, wide, ROW * len(rows) + 0.6)
    axes = figure.subplots()
    for number, row in enumerate(rows):
        y = -ROW * number
        name = f"pass {number}" if number else "before"
        axes.text(0, y, name, va="center", fontsize=9.5, color=style.MUTED)
        for place, word in enumerate(row):
            x = 0.9 + column * (place + 0.5)
            if word == GAP:
                look = {"fill": style.PALE_BLUE, "edge": style.BLUE}
            elif number and rows[number - 1][place] == GAP:
                look = {"edge": style.ORANGE, "fontweight": "bold"}
            else:
                look = {}
            _box(axes, x, y, token_name(word), column - 0.12, **look)
    axes.set(xlim=(0, wide), ylim=(-ROW * (len(rows) - 0.4), 0.6 * ROW))
    axes.axis("off")
    style.headline(figure, title)
    return figure


def _checked(passes):
    rows = [text.split() for text in passes]
    lengths = {len(row) for row in rows}
    if len(lengths) != 1 or 0 in lengths:
        raise ShapeError(
            f"filling_up needs texts of one length, words apart by spaces, got {list(passes)}"
        )
    return rows


def describe_filling_up(passes):
    """Say in words what `filling_up` shows: which word is new in each pass.

    >>> describe_filling_up(["[MASK] [MASK]", "[MASK] und", "vier und"])
    'Two gaps at first. Pass 1 puts in und; pass 2 vier. At the end: vier und.'
    """
    rows = _checked(passes)
    counts = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")
    gaps = sum(word == GAP for word in rows[0])
    said = f"{counts[gaps] if gaps < len(counts) else gaps} gap{'s' * (gaps != 1)} at first."
    new = [
        " ".join(b for a, b in zip(before, after, strict=True) if a == GAP != b)
        for before, after in itertools.pairwise(rows)
    ]
    if new:
        later = "".join(f"; pass {n} {words}" for n, words in enumerate(new[1:], 2))
        said += f" Pass 1 puts in {new[0]}{later}."
    return f"{said} At the end: {' '.join(rows[-1])}."

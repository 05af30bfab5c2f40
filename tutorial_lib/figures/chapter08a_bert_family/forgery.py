"""A line as it was written, with gaps, forged, and what the detective says of each token."""

from itertools import pairwise

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.tokens import visible

STEP, HEIGHT = 0.5, 0.34  # inches: from row to row, and of a chip
ROWS = ("written", "hidden", "forged")


@style.styled
def forged_line(written, hidden, forged, suspicion, title="", figure=None):
    """Three rows of tokens, one column a token, and below a bar: how sure the detective is.

    written, hidden, forged: T strings each; suspicion: T numbers from 0 to 1. A column whose forged
    token differs from the written one is orange, one that was drawn as it was is green. Returns the
    figure. Raises ShapeError when the lengths differ.

    >>> figure = forged_line(["a", "b"], ["a", "[MASK]"], ["a", "c"], [0.1, 0.9])
    >>> [text.get_text() for text in figure.axes[0].texts[:4]]
    ['written', 'a', 'b', 'hidden']
    """
    rows = _checked(written, hidden, forged, suspicion)
    wide = [0.2 + 0.086 * max(len(row[at]) for row in rows) for at in range(len(written))]
    width = 0.85 + sum(wide)
    figure = style.blank(figure, max(6.0, width + 0.3), 3.5)
    above, below = figure.subplots(2, 1, height_ratios=(3 * STEP, 1.1), sharex=True)
    edges = [sum(wide[:at]) for at in range(len(wide) + 1)]
    middles = [(left + right) / 2 for left, right in pairwise(edges)]
    for number, (name, row) in enumerate(zip(ROWS, rows, strict=True)):
        y = -number * STEP
        above.text(-0.12, y, name, ha="right", va="center", color=style.MUTED, fontsize=9.5)
        for at, (token, x) in enumerate(zip(row, middles, strict=True)):
            box = {"boxstyle": "round,pad=0.25", "linewidth": 1}
            box["facecolor"], box["edgecolor"] = _look(rows, number, at)
            look = {"ha": "center", "va": "center", "fontsize": 9.5, "bbox": box}
            above.text(x, y, token, **look)
    above.set(xlim=(-0.85, edges[-1]), ylim=(-2 * STEP - 0.25, 0.25))
    above.axis("off")
    colours = [
        style.ORANGE if old != new else style.GREEN if gap != old else style.BLUE
        for old, gap, new in zip(*rows, strict=True)
    ]
    below.bar(middles, suspicion, width=[0.72 * side for side in wide], color=colours)
    below.axhline(0.5, color=style.MUTED, linestyle=(0, (4, 3)), linewidth=1)
    below.set(ylim=(0, 1.02), yticks=[0, 0.5, 1], xticks=[])
    below.set_ylabel("P(replaced)", fontsize=9.5)
    style.headline(figure, title)
    return figure


def describe_forged_line(written, hidden, forged, suspicion):
    """Say in words what `forged_line` shows: what was replaced, and what is suspected.

    >>> describe_forged_line(["a", "b"], ["a", "[MASK]"], ["a", "c"], [0.1, 0.9])
    'Of “a b” these were hidden and drawn anew: b, now c (0.90). Suspected besides: none.'
    """
    rows = _checked(written, hidden, forged, suspicion)
    drawn, others = [], []
    for old, gap, new, how in zip(*rows, suspicion, strict=True):
        if gap != old or new != old:
            drawn.append(f"{old}, {'as it was' if new == old else f'now {new}'} ({how:.2f})")
        elif how > 0.5:
            others.append(f"{old} ({how:.2f})")
    text = " ".join(rows[0])
    besides = ", ".join(others) or "none"
    return f"Of “{text}” these were hidden and drawn anew: {'; '.join(drawn)}. " + (
        f"Suspected besides: {besides}."
    )


def _checked(written, hidden, forged, suspicion):
    rows = [[visible(token) for token in row] for row in (written, hidden, forged)]
    lengths = {len(row) for row in (*rows, suspicion)}
    if len(lengths) != 1 or 0 in lengths:
        raise ShapeError(f"the rows must be equally long, got {[len(row) for row in rows]}")
    return rows


def _look(rows, number, at):
    """Return fill and edge of a chip."""
    old, gap, new = (row[at] for row in rows)
    if gap == old and new == old:
        return style.CARD, style.GRID
    if number == 1:
        return style.PALE_GREY, style.MUTED
    if number == 2:
        return (style.PALE_ORANGE, style.ORANGE) if new != old else (style.PALE_GREEN, style.GREEN)
    return style.CARD, style.MUTED

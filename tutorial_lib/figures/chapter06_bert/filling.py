"""A text whose gaps are filled one after the other: a row for each pass, or for each order."""

import itertools
from collections.abc import Sequence

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter06_bert.inputs import _box
from tutorial_lib.figures.charts import share_bar
from tutorial_lib.figures.generation import token_name

GAP = "[MASK]"
COLUMN, ROW = 1.05, 0.42  # inches
ORDER_ROW = 0.72  # inches: a word, and its pass below
# Inches: of a row's name, of a column of shares, of a bar for 1.
LABEL, SHARE, FULL = 1.3, 1.75, 1.0
RIGHT, WRONG = (style.PALE_GREEN, style.GREEN), (style.PALE_AMBER, style.AMBER)


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


@style.styled
def filling_orders(asked, orders, wanted, shares, title="", colours=None, figure=None):
    """Draw how a model fills one text in several orders, and how often each order is right.

    asked: what the text answers, written above; orders {name: passes}: the text with its gaps as
    [MASK], then the same after each pass, words apart by spaces, no gap in the last; wanted: the
    right words. A right word is green, a wrong one amber, and below it stands the pass that put it
    in. shares {model: {name: share}}: how many of many texts each model gets right, a column of
    bars in colours[model], blue by default. Returns the figure. Raises ShapeError without an order,
    for texts of different lengths, a gap that is left, or a share outside of 0 to 1.

    >>> orders = {"at once": ["[MASK] [MASK]", "und und"]}
    >>> figure = filling_orders("four-and", orders, "vier und", {"BERT": {"at once": 0.5}})
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['four-and', 'BERT', 'at once', 'und', 'pass 1', 'und', 'pass 1', '0.50']
    """
    rows = _checked_orders(orders, wanted, shares)
    names = [word for passes in rows.values() for word, _ in passes]
    column = max(0.8, 0.3 + max(style.text_width(token_name(name), 9.5) for name in names))
    n_words = len(wanted.split())
    label = max(LABEL, 0.2 + max(style.text_width(name, 9.5) for name in rows))
    bars = label + column * n_words + 0.35
    wide = max(bars + SHARE * len(shares), style.text_width(title, 12, "bold") + 0.3)
    figure = style.blank(figure, wide, ORDER_ROW * len(rows) + 0.85)
    axes = figure.subplots()
    small = {"fontsize": 9.5, "va": "center", "color": style.MUTED}
    axes.text(label + 0.06, 0.42, asked, va="center", fontsize=9.5, fontweight="bold")
    for number, model in enumerate(shares):
        axes.text(bars + SHARE * number, 0.42, model, **small)
    for number, (name, passes) in enumerate(rows.items()):
        y = -ORDER_ROW * number
        axes.text(0, y, name, va="center", fontsize=9.5)
        for place, ((word, when), right) in enumerate(zip(passes, wanted.split(), strict=True)):
            x = label + column * (place + 0.5)
            fill, edge = RIGHT if word == right else WRONG
            _box(axes, x, y, token_name(word), column - 0.12, fill=fill, edge=edge)
            axes.text(x, y - 0.29, f"pass {when}", ha="center", **small | {"fontsize": 9})
        for place, (model, by_name) in enumerate(shares.items()):
            colour = (colours or {}).get(model, style.BLUE)
            share_bar(axes, y, by_name[name], colour, bars + SHARE * place, FULL)
    axes.set(xlim=(0, wide), ylim=(-ORDER_ROW * (len(rows) - 0.4), 0.62))
    axes.axis("off")
    style.headline(figure, title)
    return figure


def _checked_orders(orders, wanted, shares):
    """Return {name: [(word, the pass that put it in, from 1)]}; raises ShapeError."""
    if not orders:
        raise ShapeError("filling_orders needs at least one order")
    for by_name in shares.values():
        if {*by_name} != {*orders} or not all(0 <= share <= 1 for share in by_name.values()):
            raise ShapeError(
                f"filling_orders needs a share from 0 to 1 for each of {[*orders]}, got {by_name}"
            )
    rows = {}
    for name, passes in orders.items():
        *texts, last, _ = _checked([*passes, wanted], "filling_orders")
        if GAP in last:
            raise ShapeError(f"filling_orders needs texts without a gap at the end, got {passes}")
        rows[name] = [
            (words[-1], next(n for n, word in enumerate(words) if word != GAP))
            for words in zip(*texts, last, strict=True)
        ]
    return rows


def describe_filling_orders(asked, orders, wanted, shares, title=""):
    """Say in words what `filling_orders` shows.

    >>> orders = {"at once": ["[MASK] [MASK]", "und und"]}
    >>> describe_filling_orders("four-and", orders, "vier und", {"BERT": {"at once": 0.5}})
    'Asked: four-and. Wanted: vier und. At once: und (pass 1) und (pass 1); BERT 0.50 right.'
    """
    said = [f"{title}."] * bool(title) + [f"Asked: {asked}. Wanted: {wanted}."]
    for name, passes in _checked_orders(orders, wanted, shares).items():
        words = " ".join(f"{word} (pass {when})" for word, when in passes)
        right = ", ".join(f"{model} {by_name[name]:.2f}" for model, by_name in shares.items())
        said.append(f"{name[:1].upper()}{name[1:]}: {words}; {right} right.")
    return " ".join(said)


def _checked(passes, what="filling_up"):
    rows = [text.split() for text in passes]
    lengths = {len(row) for row in rows}
    if len(lengths) != 1 or 0 in lengths:
        raise ShapeError(
            f"{what} needs texts of one length, words apart by spaces, got {list(passes)}"
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

"""Where a scheme of positions enters an attention layer: three doors, drawn from real tensors."""

import math

from matplotlib.patches import Circle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.diagrams import (
    KEY,
    LOOKS,
    QUERY,
    RADIUS,
    VALUE,
    arrow,
    canvas,
    cells,
    chips,
    plus,
    rounded,
)

DOOR = style.INK
ACROSS = 8.4
TRUNK = 5.35  # x of the words' way up
MAPS_AT = {"queries": (4.15, QUERY), "keys": (5.35, KEY), "values": (6.55, VALUE)}
PALE = {QUERY: style.PALE_BLUE, KEY: style.PALE_ORANGE, VALUE: style.PALE_GREEN}


@style.styled
def position_doors(words, table, angles, bias, title=None, figure=None):
    """Draw one attention layer and the three places where positions can enter it.

    words: T tokens; table (T, D): what door 1 adds; angles (T, K/2): by how much door 2 turns each
    pair, drawn as hands; bias (T, S): what door 3 adds. Returns the figure. Raises ShapeError when
    these are not of T positions.

    >>> import torch
    >>> hands = torch.tensor([[0.0, 0.0], [1.0, 0.1]])
    >>> drawn = position_doors(["to", "be"], torch.eye(2), hands, torch.zeros(2, 2))
    >>> drawn.axes[0].get_title("left")
    'Positions can enter a layer by three doors'
    """
    n = len(words)
    if len(table) != n or len(angles) != n or tuple(bias.shape) != (n, n):
        raise ShapeError(
            f"{n} words need a table, angles and a bias of {n} positions, got shapes "
            f"{tuple(table.shape)}, {tuple(angles.shape)} and {tuple(bias.shape)}"
        )
    title = title or "Positions can enter a layer by three doors"
    figure, axes = canvas(figure, ACROSS, 7.15, title, below=0.05)
    middle = {"ha": "center", "va": "center", "zorder": 4}

    # The words, and door 1.
    chips(axes, words, TRUNK, 0, 3.6)
    _box(axes, TRUNK, 0.62, 2.9, f"word vectors ({n}, {table.shape[1]})", "embedding")
    arrow(axes, [(TRUNK, 0.32), (TRUNK, 0.62)])
    arrow(axes, [(TRUNK, 1.08), (TRUNK, 1.5)])
    plus(axes, TRUNK, 1.5 + RADIUS, edge=DOOR)
    cells(axes, table, 2.35, 1.28, 1.25, 0.7)
    arrow(axes, [(3.6, 1.63), (TRUNK - RADIUS, 1.63)], DOOR, 1.8)
    _door(axes, 1.63, 1, "added to the words", "sinusoidal, learned")

    # Three maps, and door 2.
    rail = 1.97
    axes.plot([TRUNK, TRUNK], [1.5 + 2 * RADIUS, rail], color=style.MUTED, linewidth=1.2, zorder=2)
    for name, (x, colour) in MAPS_AT.items():
        arrow(axes, [(TRUNK, rail), (x, rail), (x, 2.2)])
        rounded(axes, x - 0.45, 2.2, 0.9, 0.42, PALE[colour], colour)
        axes.text(x, 2.41, name, fontsize=9.5, **middle)
    for name in ("queries", "keys"):
        x, colour = MAPS_AT[name]
        arrow(axes, [(x, 2.62), (x, 3.12)], colour)
        plus(axes, x, 3.12 + RADIUS, "↻", edge=DOOR)
        axes.plot([x, x], [3.38, 3.75], color=colour, linewidth=1.2, zorder=2)
    _hands(axes, angles, 2.3, 3.25)
    start = 3.6
    for name in ("queries", "keys"):
        x = MAPS_AT[name][0]
        arrow(axes, [(start, 3.25), (x - RADIUS, 3.25)], DOOR, 1.8)
        start = x + RADIUS
    _door(axes, 3.25, 2, "turns queries, keys", "rotary")

    # Scores, and door 3.
    x = (MAPS_AT["queries"][0] + MAPS_AT["keys"][0]) / 2
    for name, side in (("queries", -0.25), ("keys", 0.25)):
        at, colour = MAPS_AT[name]
        arrow(axes, [(at, 3.6), (at, 3.75), (x + side, 3.75), (x + side, 3.95)], colour)
    _box(axes, x, 3.95, 2.0, f"scores q · k / √K ({n}, {n})", "attention")
    arrow(axes, [(x, 4.41), (x, 4.83)])
    plus(axes, x, 4.83 + RADIUS, edge=DOOR)
    cells(axes, bias, 2.6, 4.53, 0.85, 0.85)
    arrow(axes, [(3.45, 4.96), (x - RADIUS, 4.96)], DOOR, 1.8)
    _door(axes, 4.96, 3, "added to the scores", "relative, ALiBi")
    arrow(axes, [(x, 5.09), (x, 5.45)])
    _box(axes, x, 5.45, 2.0, f"softmax: weights ({n}, {n})", "attention")

    # What is handed over.
    at, colour = MAPS_AT["values"]
    arrow(axes, [(x, 5.91), (x, 6.45)])
    arrow(axes, [(at, 2.62), (at, 6.58), (x + RADIUS, 6.58)], colour)
    plus(axes, x, 6.45 + RADIUS, "×", edge=style.MUTED)
    arrow(axes, [(x, 6.71), (x, 7.1)])
    axes.text(x + 0.2, 6.95, "what each word gathers", va="center", fontsize=9.5)
    axes.text(at + 0.15, 4.3, "values know\ndoor 1 only", va="center", fontsize=9)
    return figure


def _box(axes, x, bottom, width, text, kind):
    """A box in the middle of its way up, with one line of text."""
    rounded(axes, x - width / 2, bottom, width, 0.46, *LOOKS[kind])
    axes.text(x, bottom + 0.23, text, ha="center", va="center", fontsize=9.5, zorder=4)


def _door(axes, y, number, what, schemes):
    """The name of a door at the left edge: its number, what happens there, and who uses it."""
    rounded(axes, 0.05, y - 0.19, 0.38, 0.38, DOOR, DOOR)
    look = {"ha": "center", "va": "center", "color": style.CARD, "zorder": 4}
    axes.text(0.24, y - 0.01, str(number), fontsize=12, fontweight="bold", **look)
    axes.text(0.53, y + 0.11, what, fontsize=10, fontweight="bold", va="center")
    axes.text(0.53, y - 0.13, schemes, fontsize=9.5, va="center", color=style.MUTED)


def _hands(axes, angles, left, y):
    """Three small clocks: the first pair at the first, a middle and the last position."""
    for place, at in enumerate((0, len(angles) // 2, len(angles) - 1)):
        x, angle = left + 0.22 + 0.44 * place, float(angles[at, 0])
        look = {"facecolor": style.CARD, "edgecolor": style.MUTED, "linewidth": 1.2, "zorder": 3}
        axes.add_patch(Circle((x, y), 0.2, **look))
        end = (x + 0.18 * math.cos(angle), y + 0.18 * math.sin(angle))
        arrow(axes, [(x, y), end], style.BLUE, 1.4, 5)
        axes.text(x, y - 0.31, str(at), ha="center", va="center", fontsize=8.5, color=style.MUTED)

"""One word encoded in two orders of merging, each merge a row of chips."""

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from tutorial_lib.figures.style import GRID, INK, MUTED, ORANGE, PALE_BLUE, PALE_GREY, blank, styled
from tutorial_lib.figures.tokens import visible

LETTER = 0.17  # inches a monospaced character takes at 12 points, with its share of the chip


@styled
def merge_orders(
    orders: Mapping[str, Sequence[Sequence[bytes]]], title: str, figure: Figure | None = None
) -> Figure:
    """The states of a word under several orders of merging, side by side.

    orders maps a name to the states of `encoding_states`, symbols as bytes; the symbol that a
    merge has just made has an orange edge.
    """
    rows = max(map(len, orders.values()))
    figure = blank(figure, 3.4 * len(orders) + 0.4, 1.25 + 0.4 * rows)
    columns = figure.subplots(1, len(orders), squeeze=False)[0]
    for axes, (name, states) in zip(columns, orders.items(), strict=True):
        axes.set(xlim=(0, 3.2), ylim=(rows + 0.1, -0.05))
        axes.axis("off")
        axes.set_title(f"{name}: {len(states[-1])} token{'s' * (len(states[-1]) > 1)}", fontsize=11)
        for row, state in enumerate(states):
            made = _made(states[row - 1], state) if row else None
            label = "bytes" if row == 0 else f"merge {row}"
            axes.text(0.02, row + 0.5, label, va="center", color=MUTED, fontsize=9.5)
            left = 0.75
            for index, symbol in enumerate(state):
                width = LETTER * len(symbol) + 0.12
                new = index == made
                axes.add_patch(
                    Rectangle(
                        (left, row + 0.14),
                        width,
                        0.72,
                        facecolor=PALE_BLUE if len(symbol) > 1 else PALE_GREY,
                        edgecolor=ORANGE if new else GRID,
                        linewidth=2 if new else 1,
                        zorder=3 if new else 2,
                    )
                )
                text = visible(symbol.decode(errors="replace"))
                mono = {"family": "DejaVu Sans Mono", "ha": "center", "va": "center"}
                axes.text(
                    left + width / 2, row + 0.52, text, fontsize=12, color=INK, zorder=4, **mono
                )
                left += width + 0.05
    figure.suptitle(title, x=0.01, ha="left", fontweight="bold", fontsize=12)
    return figure


def _made(before, after):
    """Where the two states first differ: there the merge has put its new symbol."""
    return next(i for i, symbol in enumerate(after) if symbol != before[i])

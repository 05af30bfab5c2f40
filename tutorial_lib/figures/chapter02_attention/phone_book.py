"""The task of the phone book: one row asks for two names, and has to find a line for each."""

from matplotlib.patches import FancyArrowPatch

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.diagrams import canvas, rounded

STEP, CARD, RISE = 1.0, 0.66, (0.75, 1.15)  # inches: from line to line, a card, the two arcs


@style.styled
def phone_book_task(book, asked, title, figure=None):
    """A phone book as a row of cards, the two names asked for last, an arc to the line of each.

    book: {name: number}, in the order of its lines; asked: two of its names. Each has a colour, in
    the question, at its line and in the answer. Returns the figure. Raises ShapeError when a name
    is not in the book.

    >>> drawn = phone_book_task({"Ada": 3, "Leo": 0}, ["Leo", "Ada"], "Two lines to find")
    >>> [text.get_text() for text in drawn.axes[0].texts][-3:]
    ['answer:', '0', '3']
    """
    if missing := [name for name in asked if name not in book]:
        raise ShapeError(f"the book has no line for {', '.join(missing)}")
    colours = dict(zip(asked, (style.BLUE, style.ORANGE), strict=True))
    names = list(book)
    width = STEP * (len(names) + 2.4)
    figure, axes = canvas(figure, width, CARD + RISE[1] + 0.2, title, below=0.1)
    here = {"ha": "center", "va": "center", "zorder": 4}
    for place, (name, number) in enumerate(book.items()):
        left, colour = STEP * place, colours.get(name)
        fill = {style.BLUE: style.PALE_BLUE, style.ORANGE: style.PALE_ORANGE}.get(colour)
        rounded(
            axes, left + 0.04, 0, STEP - 0.08, CARD, fill or style.PALE_GREY, colour or style.GRID
        )
        ink = {"color": colour or style.INK, "fontweight": "bold" if colour else "normal"}
        axes.text(left + STEP / 2, 0.46, name, fontsize=11, **ink, **here)
        axes.text(left + STEP / 2, 0.19, str(number), fontsize=11, **ink, **here)
    asks, wide = STEP * len(names), 1.2 * STEP
    rounded(axes, asks + 0.04, 0, wide - 0.08, CARD, style.CARD, style.INK)
    axes.text(asks + wide / 2, 0.19, "?", fontsize=12, fontweight="bold", **here)
    for side, name, rise in zip((-1, 1), asked, _rises(names, asked), strict=True):
        look = {"color": colours[name], "fontweight": "bold"}
        axes.text(asks + wide * (0.5 + 0.23 * side), 0.46, name, fontsize=11, **look, **here)
        end = STEP * (names.index(name) + 0.5), CARD + 0.03
        start = asks + wide * (0.5 + 0.23 * side), CARD + 0.03
        axes.add_patch(
            FancyArrowPatch(
                start,
                end,
                connectionstyle=f"arc3,rad={2 * rise / (start[0] - end[0])}",
                arrowstyle="-|>",
                mutation_scale=14,
                linewidth=2.2,
                color=colours[name],
                shrinkA=0,
                shrinkB=0,
            )
        )
    axes.text(asks + wide + 0.5, 0.46, "answer:", fontsize=11, color=style.MUTED, **here)
    for side, name in zip((-1, 1), asked, strict=True):
        look = {"color": colours[name], "fontweight": "bold", "fontsize": 14}
        axes.text(asks + wide + 0.5 + 0.2 * side, 0.17, str(book[name]), **look, **here)
    return figure


def _rises(names, asked):
    """How high the two arcs rise: the one that goes farther is the higher one."""
    first, second = (names.index(name) for name in asked)
    return RISE if first > second else RISE[::-1]

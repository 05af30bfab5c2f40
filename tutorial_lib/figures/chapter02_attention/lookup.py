"""The three parts of attention as one small drawing: a word asks, words match, they hand over."""

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.diagrams import KEY, QUERY, VALUE, arrow, canvas, rounded

PALE = {QUERY: style.PALE_BLUE, KEY: style.PALE_ORANGE, VALUE: style.PALE_GREEN}
STEP = 0.95  # from book to book, in inches


@style.styled
def ask_match_hand_over(word, asks, books, weights, figure=None):
    """A word asks, books match more or less and hand over as much of their content.

    asks: what the word asks; books: triples (word, key, value), all text; weights: a share for each
    book, drawn as the width of its two arrows. Returns the figure. Raises ShapeError unless there
    is one weight for each book.

    >>> drawn = ask_match_hand_over("it", "alive?", [("animal", "alive", "furry")], [1.0])
    >>> drawn.axes[0].get_title("left")
    'Ask, match, hand over'
    """
    if len(books) != len(weights):
        raise ShapeError(f"{len(books)} books need as many weights, got {len(weights)}")
    high = STEP * len(books)
    middle = high / 2
    figure, axes = canvas(figure, 9.4, high, "Ask, match, hand over", below=0)

    _card(axes, 0.1, middle, 1.9, QUERY, "query", f"{word} asks", asks)
    for number, ((name, key, value), weight) in enumerate(zip(books, weights, strict=True)):
        y = high - STEP * (number + 0.5)
        look = {"width": 0.8 + 6 * weight}
        arrow(axes, [(2.05, middle), (2.95, y)], colour=QUERY, **look)
        _card(axes, 3.0, y, 1.75, KEY, "key", name, key)
        _card(axes, 4.8, y, 1.75, VALUE, "value", name, value)
        arrow(axes, [(6.6, y), (7.45, middle)], colour=VALUE, **look)
        side = 0.28 if y >= middle else -0.28  # away from the arrow
        axes.text(6.62, y + side, f"{weight:.0%}", va="center", color=VALUE, fontsize=10)
    _card(axes, 7.5, middle, 1.8, VALUE, "mixture", f"{word} receives", "a mixture of all values")
    return figure


def _card(axes, left, y, width, colour, kind, name, words):
    """Draw a card with its kind in the corner, a name, and what is written on it."""
    rounded(axes, left, y - 0.36, width, 0.72, PALE[colour], colour)
    here = {"ha": "center", "va": "center", "zorder": 4}
    axes.text(left + width / 2, y + 0.22, kind, color=colour, fontsize=9, fontweight="bold", **here)
    axes.text(left + width / 2, y + 0.01, name, fontsize=10, **here)
    axes.text(left + width / 2, y - 0.2, words, color=style.MUTED, fontsize=9, **here)

"""Why it is not enough to hide a word from its own position: two layers carry it back."""

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter06_bert.inputs import _box
from tutorial_lib.figures.generation import token_name

HEIGHTS = (0.0, 1.2, 2.4)  # what is read, after one layer, after two


def leaked(n_words, at):
    """Return which positions hold word `at` in the text, after one layer and after two, (3, T).

    Every position looks at all but its own, and begins without its own word.

    >>> leaked(3, at=1).astype(int).tolist()
    [[0, 1, 0], [1, 0, 1], [1, 1, 1]]
    """
    if n_words < 3 or not 0 <= at < n_words:
        raise ShapeError(f"leaked needs 3 words or more and one of them, got {n_words} and {at}")
    sees = ~np.eye(n_words, dtype=bool)  # (T, T): row t looks at column s
    first = np.arange(n_words) == at
    second = (sees & first).any(axis=1)
    third = second | (sees & second).any(axis=1)
    return np.stack([first, second, third])


@style.styled
def two_layer_leak(words, at, title="", figure=None):
    """Two layers in which no position may look at its own word, and how word `at` comes back.

    words: T strings. Grey lines: who looks at whom. Orange: what carries word `at` to others and
    back to its own position; orange dots hold it, pale ones off that path. Returns the figure.
    Raises ShapeError for fewer than 3 words.

    >>> figure = two_layer_leak(["so", "it", "is"], 1, "It comes back")
    >>> figure.axes[0].get_title(loc="left")
    'It comes back'
    """
    names = [token_name(word) for word in words]
    holds = leaked(len(names), at)
    column = 1.5
    figure = style.blank(figure, 8.2, 4.4)
    axes = figure.subplots()
    for layer in (0, 1):
        low, high = HEIGHTS[layer] + (0.16 if layer == 0 else 0), HEIGHTS[layer + 1]
        for t in range(len(names)):
            for s in range(len(names)):
                path = s == at if layer == 0 else t == at and holds[1, s]
                if s == t:
                    continue
                line = {"color": style.ORANGE, "linewidth": 2.2, "zorder": 2}
                if not path:
                    line = {"color": style.GRID, "linewidth": 1.0, "zorder": 1}
                axes.plot([column * s, column * t], [low, high], **line)
        own = {"color": style.MUTED, "linestyle": ":", "linewidth": 1.4, "zorder": 1}
        axes.plot([column * at] * 2, [low, high], **own)
        middle = (low + high) / 2
        axes.text(column * at, middle, "✕", ha="center", va="center", fontsize=13,
                  color=style.INK, zorder=4, backgroundcolor=style.CARD)  # fmt: skip
    for y, row in zip(HEIGHTS[1:], holds[1:], strict=True):
        for t, full in enumerate(row):
            path = y == HEIGHTS[1] or t == at
            fill = style.CARD if not full else style.ORANGE if path else style.PALE_ORANGE
            axes.plot(column * t, y, "o", ms=13, mfc=fill, mec=style.MUTED, zorder=5)
    for t, name in enumerate(names):
        lit = {"fill": style.PALE_ORANGE, "edge": style.ORANGE} if t == at else {}
        _box(axes, column * t, 0, name, 1.15, fontsize=11, **lit)
    axes.annotate(
        f"must say “{names[at]}”, and holds it",
        (column * at, HEIGHTS[2] + 0.14),
        (column * at, HEIGHTS[2] + 0.62),
        ha="center", fontsize=11, color=style.ORANGE, fontweight="bold",
        arrowprops={"arrowstyle": "-", "color": style.ORANGE},
    )  # fmt: skip
    last = column * (len(names) - 1) + 0.75
    for y, text in zip(
        HEIGHTS,
        (
            "the text",
            f"after layer 1: all others\nhave read “{names[at]}”",
            "after layer 2:\nit is back",
        ),
        strict=True,
    ):
        axes.text(last, y, text, va="center", fontsize=10.5, color=style.INK)
    axes.set(xlim=(-0.8, last + 2.3), ylim=(-0.3, HEIGHTS[2] + 0.9))
    axes.axis("off")
    axes.set_title(title)
    return figure


def describe_two_layer_leak(words, at):
    """Say in words what `two_layer_leak` shows.

    >>> describe_two_layer_leak(["so", "it", "is"], 1)[:58]
    'Two layers over “so it is”. No position may look at its ow'
    """
    names = [token_name(word) for word in words]
    leaked(len(names), at)
    return (
        f"Two layers over “{' '.join(names)}”. No position may look at its own word. Orange lines: "
        f"in layer 1 all other positions read “{names[at]}”, and in layer 2 the position of "
        f"“{names[at]}” reads them, so the word is back where it has to be guessed."
    )

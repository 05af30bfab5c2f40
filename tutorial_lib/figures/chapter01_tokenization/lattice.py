"""Two ways to cut a word into pieces of a vocabulary, as arcs over and under its letters."""

from collections.abc import Mapping, Sequence
from itertools import accumulate

from matplotlib.figure import Figure
from matplotlib.patches import Arc

from tutorial_lib.figures.style import BLUE, CARD, INK, MUTED, ORANGE, blank, styled
from tutorial_lib.figures.tokens import visible

_FLAT = 0.55  # height of an arc, of its width
_LETTERS = 0.5  # room for the letters, half of it on each side of the line


@styled
def segmentations(
    word: str,
    log_p: Mapping[str, float],
    best: Sequence[str],
    title: str,
    other: Sequence[str] = (),
    names: tuple[str, str] = ("likeliest", "other"),
    figure: Figure | None = None,
) -> Figure:
    """Two cuts of a word, from left to right: each piece an arc, with its log-probability.

    `best` is orange and above the letters, `other` blue and below them, each with its sum under its
    name. log_p maps pieces to the logarithm of their probability; all further pieces of the word
    that it holds are pale arcs above the letters: what could have been taken instead.
    """
    longest = max(map(len, [*best, *other]))
    low = _FLAT / 2 * max(map(len, other), default=0) + _LETTERS
    high = _FLAT / 2 * longest + _LETTERS
    figure = blank(figure, 8.8, 0.75 * (low + high) + 1.4)
    axes = figure.subplots()
    axes.set(xlim=(-1.9, len(word) + 0.2), ylim=(-low - 0.5, high + 0.5))
    axes.axis("off")
    taken = {*_spans(best), *_spans(other)}
    for start in range(len(word)):
        for end in range(start + 1, len(word) + 1):
            if word[start:end] in log_p and (start, end) not in taken:
                _arc(axes, start, end, 1, color=MUTED, alpha=0.3, linewidth=1.1)
    for pieces, side, colour, name in ((best, 1, ORANGE, names[0]), (other, -1, BLUE, names[1])):
        for start, end in _spans(pieces):
            _arc(axes, start, end, side, color=colour, linewidth=3, zorder=2)
            piece = word[start:end]
            top = side * (_FLAT / 2 * (end - start) + _LETTERS + 0.14)
            label = f"{visible(piece)}  {log_p[piece]:.1f}"
            look = {"fontsize": 11, "fontweight": "bold", "color": INK, "zorder": 4}
            look |= {"ha": "center", "va": "bottom" if side > 0 else "top"}  # outside of its arc
            look["bbox"] = {"facecolor": CARD, "edgecolor": "none", "pad": 1}
            axes.text((start + end) / 2, top, label, **look)
        if pieces:
            total = f"{name}\n{sum(log_p[piece] for piece in pieces):.1f}"
            here = {"fontsize": 11.5, "fontweight": "bold", "color": colour, "linespacing": 1.4}
            axes.text(-1.85, side * (_LETTERS + 0.6), total, va="center", **here)
    for i, letter in enumerate(word):
        look = {"fontsize": 16, "family": "DejaVu Sans Mono", "color": INK}
        axes.text(i + 0.5, 0, visible(letter), ha="center", va="center", **look)
    for y in (_LETTERS, -_LETTERS) if other else (_LETTERS,):
        axes.plot(range(len(word) + 1), [y] * (len(word) + 1), "o", color=INK, markersize=4)
    axes.set_title(title)
    return figure


def _arc(axes, start, end, side, **look):
    """Draw half an ellipse from border to border, above the letters or below them."""
    angles = {"theta1": 0, "theta2": 180} if side > 0 else {"theta1": 180, "theta2": 360}
    width = end - start
    centre = ((start + end) / 2, side * _LETTERS)
    axes.add_patch(Arc(centre, width, width * _FLAT, **angles, **look))


def _spans(pieces):
    """Where each piece of a cut starts and ends."""
    ends = list(accumulate(map(len, pieces)))
    return zip([0, *ends], ends, strict=False)

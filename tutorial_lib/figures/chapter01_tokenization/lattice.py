"""All ways to cut a word into pieces of a vocabulary, as arcs over its letters."""

from collections.abc import Mapping, Sequence
from itertools import accumulate

from matplotlib.figure import Figure
from matplotlib.patches import Arc

from tutorial_lib.figures.style import BLUE, CARD, INK, MUTED, ORANGE, blank, styled
from tutorial_lib.figures.tokens import visible


@styled
def segmentations(
    word: str,
    log_p: Mapping[str, float],
    best: Sequence[str],
    title: str,
    other: Sequence[str] = (),
    figure: Figure | None = None,
) -> Figure:
    """Each piece of a word that the vocabulary holds as an arc; a path from left to right is a cut.

    log_p maps pieces to the logarithm of their probability, which is written on the arcs. The
    pieces of `best`, one after the other, are orange, those of `other`, a second cut, blue, and
    all the rest grey. Only these two cuts have their pieces beside the numbers.
    """
    lit, rival = set(_spans(best)), set(_spans(other))
    arcs = [
        (start, end)
        for start in range(len(word))
        for end in range(start + 1, len(word) + 1)
        if word[start:end] in log_p
    ]
    longest = max(end - start for start, end in arcs)
    figure = blank(figure, 8.8, 1.7 + 0.45 * longest)
    axes = figure.subplots()
    axes.set(xlim=(-0.15, len(word) + 0.15), ylim=(-0.75, 0.5 * longest + 0.45))
    axes.axis("off")
    for start, end in sorted(arcs, key=lambda arc: (arc in lit, arc in rival)):
        n, chosen = end - start, (start, end) in lit | rival
        colour = ORANGE if (start, end) in lit else BLUE if chosen else MUTED
        axes.add_patch(
            Arc(
                ((start + end) / 2, 0),
                n,
                n,
                theta1=0,
                theta2=180,
                color=colour,
                alpha=1 if chosen else 0.4,
                linewidth=3 if chosen else 1.2,
                zorder=2 if chosen else 1,
            )
        )
        number = f"{log_p[word[start:end]]:.1f}"
        # A label of the second cut is left of the top of its arc, off the arcs of the first.
        lean = 0.26 if (start, end) in rival - lit and n > 1 else 0.0
        axes.text(
            (start + end) / 2 - 0.5 * n * lean,
            0.5 * n * (1 - lean**2) ** 0.5,
            f"{visible(word[start:end])}  {number}" if n > 1 and chosen else number,
            ha="center",
            va="center",
            fontsize=10,
            color=INK if chosen else MUTED,
            fontweight="bold" if chosen else "normal",
            bbox={"facecolor": CARD, "edgecolor": "none", "pad": 1.2},
            zorder=4 if chosen else 3,
        )
    for i, letter in enumerate(word):
        axes.text(
            i + 0.5,
            -0.4,
            visible(letter),
            ha="center",
            va="center",
            fontsize=15,
            family="DejaVu Sans Mono",
            color=INK,
        )
    axes.plot(range(len(word) + 1), [0] * (len(word) + 1), "o", color=INK, markersize=5, zorder=5)
    axes.set_title(title)
    return figure


def _spans(pieces):
    """Where each piece of a cut starts and ends."""
    ends = list(accumulate(map(len, pieces)))
    return zip([0, *ends], ends, strict=False)

"""All ways to cut a word into pieces of a vocabulary, as arcs over its letters."""

from collections.abc import Mapping, Sequence

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
    figure: Figure | None = None,
) -> Figure:
    """Each piece of a word that the vocabulary holds as an arc; a way from left to right is a cut.

    log_p maps pieces to the logarithm of their probability, which is written on the arcs of two
    letters and more; the pieces of `best`, one after the other, are orange.
    """
    lit, at = set(), 0
    for piece in best:
        lit.add((at, at + len(piece)))
        at += len(piece)
    arcs = [
        (start, end)
        for start in range(len(word))
        for end in range(start + 1, len(word) + 1)
        if word[start:end] in log_p
    ]
    longest = max(end - start for start, end in arcs)
    figure = blank(figure, 9.0, 1.7 + 0.42 * longest)
    axes = figure.subplots()
    axes.set(xlim=(-0.15, len(word) + 0.15), ylim=(-0.55, 0.42 * longest + 0.55))
    axes.axis("off")
    for start, end in sorted(arcs, key=lambda arc: arc in lit):
        n, chosen = end - start, (start, end) in lit
        colour = ORANGE if chosen else BLUE
        axes.add_patch(
            Arc(
                ((start + end) / 2, 0.05),
                n * 0.97,
                0.84 * n,
                theta1=0,
                theta2=180,
                color=colour,
                alpha=1 if chosen else 0.45,
                linewidth=3 if chosen else 1.4,
            )
        )
        if n > 1 or chosen:
            axes.text(
                (start + end) / 2,
                0.05 + 0.42 * n,
                f"{visible(word[start:end])}  {log_p[word[start:end]]:.1f}",
                ha="center",
                va="center",
                fontsize=9,
                color=INK if chosen else MUTED,
                fontweight="bold" if chosen else "normal",
                bbox={"facecolor": CARD, "edgecolor": "none", "pad": 1.2},
            )
    for i, letter in enumerate(word):
        axes.text(
            i + 0.5,
            -0.3,
            visible(letter),
            ha="center",
            va="center",
            fontsize=15,
            family="DejaVu Sans Mono",
            color=INK,
        )
    axes.plot(range(len(word) + 1), [0.05] * (len(word) + 1), "o", color=INK, markersize=4)
    axes.set_title(title)
    return figure

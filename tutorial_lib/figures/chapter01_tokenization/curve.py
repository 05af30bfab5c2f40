"""What a larger vocabulary buys: characters per token, with other vocabularies as points."""

from collections.abc import Mapping, Sequence
from itertools import cycle

from matplotlib.figure import Figure

from tutorial_lib.figures.style import BLUE, GREEN, INK, ORANGE, blank, styled

_MARKS = (("D", ORANGE), ("s", GREEN), ("^", INK))


@styled
def compression_curve(
    sizes: Sequence[int],
    per_token: Sequence[float],
    others: Mapping[str, tuple[int, float]],
    title: str,
    figure: Figure | None = None,
) -> Figure:
    """Characters per token over the size of the vocabulary, on a scale of doublings.

    others maps the name of another vocabulary to its (size, characters per token): a point with
    its name beside it.
    """
    figure = blank(figure, 8.0, 4.2)
    axes = figure.subplots()
    axes.plot(sizes, per_token, "-o", color=BLUE, markersize=5)
    axes.annotate(
        "BPE, learned on other plays",
        (sizes[-4], per_token[-4]),
        (8, -16),
        textcoords="offset points",
        color=BLUE,
    )
    for (name, (size, ratio)), (mark, colour) in zip(others.items(), cycle(_MARKS)):
        axes.plot([size], [ratio], mark, color=colour, markersize=8)
        right = size < 1000
        axes.annotate(
            name,
            (size, ratio),
            (9 if right else -9, -3 if right else 9),
            textcoords="offset points",
            ha="left" if right else "right",
            color=colour,
        )
    axes.set_xscale("log", base=2)
    ticks = [64, 256, 1024, 4096, 16384, 65536]
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.set_ylim(0, 1.15 * max(*per_token, *(ratio for _, ratio in others.values())))
    axes.margins(x=0.06)
    axes.grid(axis="y", linewidth=0.8)
    axes.set(xlabel="ids in the vocabulary", ylabel="characters per token", title=title)
    return figure

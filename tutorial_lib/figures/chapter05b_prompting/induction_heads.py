"""Induction heads: the idea as a drawing, one at work on a sentence, the scores of all heads."""

import numpy as np
import torch
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.style import (
    BLUE,
    CARD,
    GREEN,
    GRID,
    INK,
    MUTED,
    ORANGE,
    WEIGHTS,
    blank,
    draw_frame,
    headline,
    panel_title,
    styled,
)


@styled
def induction_idea(title="", *, tokens=("A", "B", "C", "D", "A"), figure=None):
    """Two heads in a row: one notes at B what came before it, the other finds B by that note.

    tokens: the last one occurs before; what followed it then is the answer.
    Raises ShapeError when the last token occurs nowhere else.

    >>> [text.get_text() for text in induction_idea().axes[0].texts][:5]
    ['A', 'B', 'C', 'D', 'A']
    """
    tokens = list(tokens)
    if tokens[-1] not in tokens[:-1]:
        raise ShapeError(f"the last token must occur before, got {tokens}")
    first = tokens.index(tokens[-1])
    after, last = first + 1, len(tokens) - 1
    figure = blank(figure, 8.0, 3.6)
    axes = figure.subplots()
    for place, token in enumerate(tokens):
        _box(axes, place, 0, token, GRID if place not in (after, last) else "#d6e8f4")
    _box(axes, after, 1.25, f"“after {tokens[first]}”", "#fbe3d3", wide=0.92)
    _arrow(axes, (first, 0.3), (after - 0.1, 0.93), ORANGE, -0.25)
    _arrow(axes, (last, 0.3), (after + 0.48, 1.3), BLUE, 0.25)
    _arrow(axes, (after, -0.3), (last - 0.45, -1.25), GREEN, 0.3)
    _box(axes, last, -1.25, f"next: {tokens[after]}", "#d3efe6", wide=0.86)
    axes.text(
        after - 0.55,
        1.75,
        "1  a previous-token head writes down, at each position, what came before",
        color=ORANGE,
    )
    axes.text(
        after + 0.62,
        0.74,
        f"2  the induction head asks:\n    where is a note “after {tokens[last]}”?",
        color=BLUE,
        va="center",
    )
    axes.text(
        after + 0.75,
        -0.68,
        f"3  it fetches what is there: {tokens[after]}",
        color=GREEN,
        va="center",
    )
    axes.set(xlim=(-0.6, last + 0.7), ylim=(-1.7, 2.1), title=title)
    axes.axis("off")
    return figure


def _box(axes, x, y, text, colour, wide=0.6):
    axes.add_patch(
        FancyBboxPatch(
            (x - wide / 2, y - 0.26),
            wide,
            0.52,
            boxstyle="round,pad=0.02",
            facecolor=colour,
            edgecolor=MUTED,
            linewidth=0.8,
        )
    )
    axes.text(x, y, text, ha="center", va="center", color=INK)


def _arrow(axes, start, end, colour, bend):
    axes.add_patch(
        FancyArrowPatch(
            start,
            end,
            connectionstyle=f"arc3,rad={bend}",
            arrowstyle="-|>",
            mutation_scale=14,
            color=colour,
            linewidth=1.8,
        )
    )


@styled
def copied_words(first, second, weights, title="", *, figure=None):
    """Where a head looks in the first line of a prompt while the model reads the second.

    first, second: lists of tokens; weights (len(second), len(first)): a stroke is as broad as its
    weight, below 0.1 it is left out. Strokes to the first token, where idle heads rest, are grey.
    Raises ShapeError when they do not fit.

    >>> figure = copied_words(["x", "They", "swam"], ["They"], [[0.1, 0.0, 0.9]])
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['first line', 'x', 'They', 'swam', 'second line', 'They', '0.90']
    """
    weights = np.asarray(weights, dtype=float)
    if weights.shape != (len(second), len(first)):
        raise ShapeError(f"{weights.shape} weights for {len(second)} by {len(first)} tokens")
    figure = blank(figure, 9.0, 3.4)
    axes = figure.subplots()
    places = []
    for name, tokens, y in (("first line", first, 1.0), ("second line", second, 0.0)):
        axes.text(-0.8, y, name, ha="right", va="center", color=MUTED)
        places.append([])
        left = 0.0
        for token in tokens:
            wide = 0.9 + 0.42 * len(token)
            places[-1].append(left + wide / 2)
            axes.add_patch(
                FancyBboxPatch(
                    (left, y - 0.1),
                    wide,
                    0.2,
                    boxstyle="round,pad=0.02,rounding_size=0.05",
                    facecolor=GRID,
                    edgecolor="none",
                )
            )
            axes.text(left + wide / 2, y, token, ha="center", va="center", color=INK, fontsize=12)
            left += wide + 0.35
    above, below = places
    for row, x in zip(weights, below, strict=True):
        for column, weight in enumerate(row):
            if weight < 0.1:
                continue
            colour = BLUE if column else MUTED
            ends = (x, above[column]), (0.14, 0.86)
            axes.plot(*ends, color=colour, alpha=0.85 if column else 0.35, linewidth=6 * weight)
            if column and weight == row.max():
                across = x + 0.3 * (above[column] - x)
                axes.text(
                    across,
                    0.36,
                    f"{weight:.2f}",
                    ha="center",
                    va="center",
                    fontsize=9.5,
                    fontweight="bold",
                    color=BLUE,
                    bbox={"facecolor": CARD, "edgecolor": "none", "pad": 1.2},
                )
    axes.set(xlim=(-4.2, max(above[-1], below[-1]) + 1.5), ylim=(-0.2, 1.2), title=title)
    axes.axis("off")
    return figure


@styled
def score_grids(panels, title="", *, figure=None):
    """Grids of one number a head: a row for each layer, a column for each head, from 0 to 1.

    panels: {name: (scores (L, H), heads to frame)}; heads are (layer, head), and in each frame is
    its number. Panels may have fewer layers than the first.

    >>> axes = score_grids({"induction": ([[0.1, 0.9]], [(0, 1)])}).axes[0]
    >>> len(axes.patches), axes.texts[0].get_text()
    (1, '0.90')
    """
    shapes = [np.shape(scores) for scores, _ in panels.values()]
    n_layers, n_heads = max(shape[0] for shape in shapes), shapes[0][1]
    wide, high = max(0.6 + 0.36 * n_heads, 2.9), max(0.18 * n_layers, 1.7)  # room for the numbers
    figure = blank(figure, 1.4 + wide * len(panels), 1.3 + high)
    grid = figure.subplots(1, len(panels), squeeze=False)[0]
    for axes, (name, (scores, framed)) in zip(grid, panels.items(), strict=True):
        scores = torch.as_tensor(scores).double().cpu().numpy()
        picture = axes.imshow(scores, cmap=WEIGHTS, vmin=0, vmax=1, aspect="auto")
        draw_frame(axes)
        axes.set_xticks(range(scores.shape[1]))
        axes.set_yticks(range(0, n_layers, 5 if n_layers > 12 else 1))
        axes.set_ylim(n_layers - 0.5, -0.5)  # equal layers at equal heights
        axes.tick_params(length=0)
        for layer, head in framed:
            axes.add_patch(_frame(head, layer))
            axes.text(
                head,
                layer,
                f"{scores[layer, head]:.2f}",
                ha="center",
                va="center_baseline",
                fontsize=9.5,
                fontweight="bold",
                color="white" if scores[layer, head] > 0.5 else INK,
                zorder=6,
            )
        panel_title(axes, name)
    figure.colorbar(picture, ax=list(grid), fraction=0.04, pad=0.02).outline.set_visible(False)
    figure.supxlabel("head", fontsize=10)
    figure.supylabel("layer", fontsize=10)
    headline(figure, title)
    return figure


def _frame(x, y):
    return FancyBboxPatch(
        (x - 0.5, y - 0.5),
        1,
        1,
        boxstyle="square,pad=0",
        facecolor="none",
        edgecolor=ORANGE,
        linewidth=1.8,
        zorder=5,
    )

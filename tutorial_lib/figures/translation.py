"""Where a translator looks in the source while it writes: one token's bars, and the whole map."""

from itertools import pairwise

import numpy as np
from matplotlib.patches import FancyArrowPatch, PathPatch, Rectangle
from matplotlib.path import Path

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.attention_maps import SCALE
from tutorial_lib.figures.charts import filled_array

LETTER = 0.105  # inches a character takes at 10.5 points
ROOM = 0.2  # inches between two labels
MOST_NUMBERS = 14  # tokens on a side up to which a map has its numbers


def _checked(weights, written, source):
    if hasattr(weights, "detach"):
        weights = weights.detach().float().cpu().numpy()
    weights = filled_array(weights, 2, "weights")
    if weights.shape != (len(written), len(source)):
        raise ShapeError(
            f"weights are {weights.shape[0]} x {weights.shape[1]}, but {len(written)} tokens are "
            f"written and {len(source)} are in the source"
        )
    return weights


def _sizes(labels, least):
    """The inches each label takes, at least `least` and the room beside it."""
    return np.array([max(LETTER * len(label), least) + ROOM for label in labels])


def _centres(sizes, width):
    """The middle of each label, all side by side around the middle of `width`."""
    return np.cumsum(sizes) - sizes / 2 + (width - sizes.sum()) / 2


@style.styled
def translation_step(weights, written, source, step, title="", figure=None):
    """One step of a translation: the source with a bar for each weight, and what is written.

    weights (T, S) of one head, or a mean of heads; written T and source S labels; step, from 0,
    is the written token whose weights are drawn. Grey lines lead to where the tokens before it
    looked most; those after it are not written yet and pale.
    Returns the figure. Raises ShapeError when labels and weights disagree or no such step is.

    >>> figure = translation_step([[0.1, 0.9], [0.7, 0.3]], ["b", "a"], ["a", "b"], step=0)
    >>> [text.get_text() for text in figure.axes[0].texts][:2]
    ['0.10', '0.90']
    """
    weights = _checked(weights, written, source)
    if not 0 <= step < len(written):
        raise ShapeError(f"step must be from 0 to {len(written) - 1}, got {step}")
    sizes = _sizes(source, 0.32), _sizes(written, 0.16)
    width = max(sizes[0].sum(), sizes[1].sum(), 5.0)
    figure = style.blank(figure, width + 1.2, 3.9)
    axes = figure.subplots()
    above, below = (_centres(side, width) for side in sizes)
    bars, top, bottom = 1.75, 1.5, 0.0
    for s, x in enumerate(above):
        weight = weights[step, s]
        axes.add_patch(Rectangle((x - 0.16, bars), 0.32, weight, facecolor=style.BLUE))
        axes.text(x, bars + weight + 0.05, f"{weight:.2f}", ha="center", fontsize=9.5)
    for s, x in enumerate(above):
        axes.text(x, top, source[s], ha="center", va="center", fontsize=10.5)
        weight = weights[step, s]
        if weight >= 0.01:
            _line(axes, (below[step], bottom + 0.14), (x, top - 0.14), weight, style.BLUE)
    for t in range(step):  # where the earlier tokens looked most, so that a crossing is seen
        best = int(weights[t].argmax())
        ends = (below[t], bottom + 0.14), (above[best], top - 0.14)
        _line(axes, *ends, weights[t, best], "#c3c7cf")
    axes.plot([above[0] - 0.3, above[-1] + 0.3], [bars, bars], color=style.GRID, linewidth=1)
    for t, x in enumerate(below):
        look = {"color": style.INK if t <= step else "#b3b8c2"}
        if t == step:
            half = sizes[1][t] / 2 - 0.02
            box = Rectangle((x - half, bottom - 0.15), 2 * half, 0.3, facecolor="#f6dcc8")
            axes.add_patch(box)
            look["fontweight"] = "bold"
        axes.text(x, bottom, written[t], ha="center", va="center", fontsize=10.5, **look)
    note = {"ha": "right", "va": "center", "color": style.MUTED, "fontsize": 9}
    for text, y in (("weight", bars + 0.5), ("source", top), ("written", bottom)):
        axes.text(-0.1, y, text, **note)
    axes.set(xlim=(-0.75, width + 0.2), ylim=(-0.3, bars + 1.3), title=title)
    axes.axis("off")
    return figure


def _line(axes, start, end, weight, colour):
    middle = (start[1] + end[1]) / 2
    path = Path([start, (start[0], middle), (end[0], middle), end], [1, 4, 4, 4])
    look = {"edgecolor": colour, "linewidth": 0.6 + 4 * weight, "alpha": 0.15 + 0.85 * weight}
    order = 1 if colour == style.BLUE else 0
    axes.add_patch(PathPatch(path, facecolor="none", capstyle="butt", zorder=order, **look))


@style.styled
def cross_attention(weights, written, source, title="", marks=(), figure=None):
    """All steps of a translation: a row for each written token, a column for each of the source.

    weights (T, S) of one head, or a mean of heads. marks: (row, column) pairs, each an index or
    a label; their cells are framed and joined in order, so that where the order of words changes
    the arrow points back. Returns the figure. Raises ShapeError when labels and weights disagree
    or a mark is outside.

    >>> weights = [[0.1, 0.9], [0.7, 0.3]]
    >>> marks = [("zwei", "two"), ("vierzig", "forty")]
    >>> len(cross_attention(weights, ["zwei", "vierzig"], ["forty", "two"], "", marks).axes)
    2
    """
    weights = _checked(weights, written, source)
    cells = [(_index(written, row), _index(source, column)) for row, column in marks]
    small = max(weights.shape) <= MOST_NUMBERS
    cell = 0.62 if small else 0.36
    n_rows, n_columns = weights.shape
    names = [LETTER * max(map(len, labels)) for labels in (written, source)]
    width = max(cell * n_columns + names[0] + 2.0, 5.0)
    figure = style.blank(figure, width, 0.7 * cell * n_rows + 0.75 * names[1] + 1.5)
    axes = figure.subplots()
    image = axes.imshow(weights, cmap=style.WEIGHTS, norm=SCALE, aspect="auto")
    axes.set_yticks(range(n_rows), written)
    turn = {"rotation": 45, "ha": "left", "rotation_mode": "anchor"}
    axes.xaxis.tick_top()
    axes.set_xticks(range(n_columns), source, **turn)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_ylabel("written, from top to bottom")
    axes.set_xlabel("source, as it is read")
    axes.xaxis.set_label_position("bottom")
    axes.set_title(title)
    if small:
        for (t, s), weight in np.ndenumerate(weights):
            colour = style.CARD if weight > 0.3 else style.INK
            centred = {"ha": "center", "va": "center", "fontsize": 8.5, "zorder": 5}
            axes.text(s, t, f"{weight:.2f}", color=colour, **centred)
    for row, column in cells:
        frame = {"fill": False, "edgecolor": style.ORANGE, "linewidth": 2.6, "zorder": 4}
        axes.add_patch(Rectangle((column - 0.47, row - 0.47), 0.94, 0.94, **frame))
    for (row, column), (next_row, next_column) in pairwise(cells):
        joint = {"arrowstyle": "-|>", "mutation_scale": 15, "linewidth": 2.2, "zorder": 4}
        joint |= {"color": style.ORANGE, "shrinkA": 17, "shrinkB": 17}
        axes.add_patch(FancyArrowPatch((column, row), (next_column, next_row), **joint))
    bar = figure.colorbar(image, ax=axes, pad=0.02, ticks=[0, 0.1, 0.3, 0.6, 1], shrink=0.9)
    bar.set_label("weight")
    bar.outline.set_visible(False)
    return figure


def _index(labels, wanted):
    if wanted in labels:
        return list(labels).index(wanted)
    if isinstance(wanted, str) or not 0 <= wanted < len(labels):
        raise ShapeError(f"{wanted!r} is none of {list(labels)}, nor the index of one")
    return wanted

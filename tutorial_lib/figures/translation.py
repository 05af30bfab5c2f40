"""Where a translator looks in the source while it writes: one token's bars, and the whole map."""

from itertools import pairwise

import numpy as np
from matplotlib.patches import FancyArrowPatch, Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.attention_maps import SCALE
from tutorial_lib.figures.charts import filled_array

LETTER = 0.105  # inches a character takes at 10.5 points
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
    bar.set_label("weight (colours stretched near 0)")
    bar.outline.set_visible(False)
    return figure


def _index(labels, wanted):
    if wanted in labels:
        return list(labels).index(wanted)
    if isinstance(wanted, str) or not 0 <= wanted < len(labels):
        raise ShapeError(f"{wanted!r} is none of {list(labels)}, nor the index of one")
    return wanted

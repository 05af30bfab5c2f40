"""Which heads a model misses when they are off, beside what they look at."""

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.charts import filled_array
from tutorial_lib.figures.style import BLUE, GREY, INK, MUTED, blank, styled


@styled
def heads_off(looked, left, whole, xlabel, ylabel, title, lit=(), figure=None):
    """Do the heads that look at something matter more? A dot for each head of each layer.

    looked (L, H): how much each head looks at it, to the right; left (L, H): what is left of the
    score without the head, upward; whole: the score with all heads, a grey line. lit: the (layer,
    head) whose dots are blue and named; the others are grey. Raises ShapeError when the two differ
    in shape, or a lit head is not there.

    >>> drawn = heads_off([[0.2, 0.6]], [[0.9, 0.7]], 0.95, "looks", "left", "It matters", [(0, 1)])
    >>> [text.get_text() for text in drawn.axes[0].texts]
    ['all heads on', 'layer 0, head 1']
    """
    looked, left = filled_array(looked, 2, "looked"), filled_array(left, 2, "left")
    if looked.shape != left.shape:
        raise ShapeError(f"looked is {looked.shape} and left {left.shape}: one number a head each")
    lit = [tuple(head) for head in lit]
    for head in lit:
        if not all(0 <= place < size for place, size in zip(head, looked.shape, strict=True)):
            raise ShapeError(f"head {head} is not in {looked.shape[0]} layers of {looked.shape[1]}")
    figure = blank(figure, 8.0, 3.2)
    axes = figure.subplots()
    axes.axhline(whole, color=MUTED, linewidth=1.2, zorder=0)
    right = 1.3 * looked.max() or 1.0  # room for a name
    axes.text(right, whole, "all heads on", va="bottom", ha="right", color=MUTED, fontsize=10)
    last = max(lit, key=lambda head: looked[head], default=None)
    for head in np.ndindex(looked.shape):
        x, y = looked[head], left[head]
        axes.scatter([x], [y], s=75, color=BLUE if head in lit else GREY, linewidth=0, zorder=2)
        if head in lit:
            shift, side = ((9, 0), "left") if head == last else ((-9, 0), "right")
            look = {"textcoords": "offset points", "ha": side, "va": "center", "color": INK}
            axes.annotate(f"layer {head[0]}, head {head[1]}", (x, y), shift, **look)
    low, high = min(left.min(), whole), max(left.max(), whole)
    margin = 0.25 * (high - low) or 0.1
    axes.set(xlim=(0, right), ylim=(low - margin, high + margin))
    axes.set(xlabel=xlabel, ylabel=ylabel, title=title)
    return figure


def describe_heads_off(looked, left, whole):
    """Say in words what `heads_off` shows: two numbers a head.

    >>> describe_heads_off([[0.2, 0.6]], [[0.9, 0.7]], 0.95)
    'All heads on: 0.95. Layer 0, head 0: looks 0.20, 0.90 left without it; layer 0, head 1: looks \
0.60, 0.70 left without it.'
    """
    looked, left = np.asarray(looked), np.asarray(left)
    heads = [
        f"layer {layer}, head {head}: looks {looked[layer, head]:.2f}, "
        f"{left[layer, head]:.2f} left without it"
        for layer, head in np.ndindex(looked.shape)
    ]
    said = "; ".join(heads)
    return f"All heads on: {whole:.2f}. {said[0].upper()}{said[1:]}."

"""What a map promises against what breaking the head does: one dot for each head."""

import numpy as np

from tutorial_lib.figures.charts import filled_array
from tutorial_lib.figures.style import BLUE, MUTED, ORANGE, blank, styled


@styled
def map_against_effect(weights, effects, x_label, y_label, title, named=(), figure=None):
    """A dot a head: its weight in the map against what happens without it.

    weights and effects are (L, H); named: pairs (layer, head) that get their names. Returns the
    figure. Raises ShapeError unless both are filled matrices of one shape.

    >>> dots = map_against_effect([[0.1, 0.7]], [[0.0, 0.2]], "map", "effect", "Two heads")
    >>> len(dots.axes[0].collections[0].get_offsets())
    2
    """
    weights, effects = filled_array(weights, 2, "weights"), filled_array(effects, 2, "effects")
    figure = blank(figure, 7.5, 4.2)
    axes = figure.subplots()
    axes.axhline(0, color=MUTED, linewidth=0.8, zorder=0)
    colours = [
        ORANGE if (layer, head) in {tuple(pair) for pair in named} else BLUE
        for layer, head in np.ndindex(weights.shape)
    ]
    axes.scatter(weights.ravel(), effects.ravel(), c=colours, s=38, alpha=0.75, linewidth=0)
    for layer, head in named:
        axes.annotate(
            f"L{layer}H{head}",
            (weights[layer, head], effects[layer, head]),
            (-8, 5),
            textcoords="offset points",
            ha="right",
            fontweight="bold",
            color=ORANGE,
        )
    axes.margins(x=0.06, y=0.12)
    axes.set(xlabel=x_label, ylabel=y_label, title=title)
    return figure


def describe_map_against_effect(weights, effects, named):
    """Say in words what `map_against_effect` shows: the named heads and the range of the others."""
    weights, effects = filled_array(weights, 2, "weights"), filled_array(effects, 2, "effects")
    said = [
        f"L{layer}H{head}: weight {weights[layer, head]:.2f}, effect {effects[layer, head]:.3f}"
        for layer, head in named
    ]
    rest = np.ones(weights.shape, dtype=bool)
    for layer, head in named:
        rest[layer, head] = False
    others = effects[rest]
    return (
        f"{weights.size} dots, one for each head. {'; '.join(said)}. "
        f"The effects of all others lie between {others.min():.3f} and {others.max():.3f}."
    )

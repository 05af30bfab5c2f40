"""What a map promises against what breaking the head does: a dot for each head or sentence."""

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.charts import filled_array
from tutorial_lib.figures.style import (
    BLUE,
    GRID,
    MUTED,
    ORANGE,
    blank,
    headline,
    panel_title,
    styled,
)


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


@styled
def what_is_left(panels, whole, y_label, title, named=(), figure=None):
    """A dot a head, layer by layer: what is left of an effect without the head.

    panels: {name: (L, H)}, side by side, nan for a head that has no dot; whole: the effect with all
    heads at work, drawn as a dashed line; named: pairs (layer, head) that get their names. Returns
    the figure. Raises ShapeError unless the panels are filled matrices of one shape.

    >>> dots = what_is_left({"one head": [[0.1, 0.2]]}, 0.2, "effect", "Two heads", [(0, 0)])
    >>> [text.get_text() for text in dots.axes[0].texts]
    ['L0H0', 'all heads at work']
    """
    panels = {name: filled_array(values, 2, name) for name, values in panels.items()}
    shapes = {values.shape for values in panels.values()}
    if len(shapes) != 1:
        raise ShapeError(f"the panels must have one shape (L, H), got {sorted(shapes)}")
    n_layers, n_heads = shapes.pop()
    figure = blank(figure, 9.0, 4.2)
    both = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, (name, values) in zip(both, panels.items(), strict=True):
        layers, heads = np.indices(values.shape)
        across = layers + (heads - (n_heads - 1) / 2) / n_heads * 0.7
        for layer in range(1, n_layers):
            axes.axvline(layer - 0.5, color=GRID, linewidth=0.8, zorder=0)
        axes.axhline(whole, color=MUTED, linestyle=(0, (4, 3)), linewidth=1.2, zorder=0)
        axes.axhline(0, color=MUTED, linewidth=0.8, zorder=0)
        lit = np.zeros(values.shape, dtype=bool)
        for layer, head in named:
            lit[layer, head] = True
            if np.isfinite(values[layer, head]):
                low = values[layer, head] < whole
                axes.annotate(
                    f"L{layer}H{head}",
                    (across[layer, head], values[layer, head]),
                    (0, -7 if low else 7),
                    textcoords="offset points",
                    ha="center",
                    va="top" if low else "bottom",
                    fontweight="bold",
                    color=ORANGE,
                )
        for mask, colour in ((~lit, BLUE), (lit, ORANGE)):
            axes.scatter(across[mask], values[mask], c=colour, s=34, alpha=0.8, linewidth=0)
        axes.set_xticks(range(n_layers))
        axes.set_xlim(-0.6, n_layers - 0.4)
        axes.set_xlabel("layer")
        panel_title(axes, name)
    outside = {"va": "center", "ha": "left", "color": MUTED, "fontsize": 9.5}
    both[-1].text(n_layers - 0.35, whole, "all heads at work", **outside)
    both[0].set_ylabel(y_label)
    both[0].margins(y=0.14)
    headline(figure, title)
    return figure


def describe_what_is_left(panels, whole, named):
    """Say in words what `what_is_left` shows: the named heads, and the range of the others."""
    said = [f"With all heads at work it is {whole:.2f}."]
    for name, values in panels.items():
        values = filled_array(values, 2, name)
        rest = np.isfinite(values)
        heads = []
        for layer, head in named:
            if rest[layer, head]:
                heads.append(f"L{layer}H{head} {values[layer, head]:.2f}")
            rest[layer, head] = False
        others = values[rest]
        said.append(
            f"{name}: {', '.join(heads)}; the {others.size} others from {others.min():.2f} to "
            f"{others.max():.2f}."
        )
    return " ".join(said)


@styled
def effect_spread(rows, x_label, title, lit=0, figure=None):
    """A row of dots for each change: its effect in one sentence a dot, and their mean as a bar.

    rows: {name: (N,)}, drawn from the top; lit: which of the N is drawn in orange. Returns the
    figure. Raises ShapeError unless all rows are filled and equally long.

    >>> dots = effect_spread({"one head": [0.1, 0.2, 0.0]}, "effect", "Three sentences")
    >>> [label.get_text() for label in dots.axes[0].get_yticklabels()]
    ['one head']
    """
    rows = {name: filled_array(values, 1, name) for name, values in rows.items()}
    if len({len(values) for values in rows.values()}) != 1:
        raise ShapeError("the rows must hold equally many effects, one a sentence")
    figure = blank(figure, 8.0, 0.8 * len(rows) + 1.3)
    axes = figure.subplots()
    axes.axvline(0, color=MUTED, linewidth=0.8, zorder=0)
    for place, values in enumerate(rows.values()):
        apart = place + 0.22 * np.cos(2.4 * np.arange(len(values)))  # so that equal dots are seen
        rest = np.arange(len(values)) != lit
        axes.scatter(values[rest], apart[rest], c=BLUE, s=34, alpha=0.6, linewidth=0)
        axes.scatter(values[lit], apart[lit], c=ORANGE, s=60, linewidth=0, zorder=3)
        axes.plot([values.mean()] * 2, [place - 0.36, place + 0.36], color=MUTED, linewidth=2.5)
    axes.set_yticks(range(len(rows)), rows)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.margins(x=0.05)
    axes.set(xlabel=x_label, title=title)
    return figure


def describe_effect_spread(rows, lit=0):
    """Say in words what `effect_spread` shows: for each row the mean, the range, and the lit one.

    >>> describe_effect_spread({"one head": [0.25, 0.0]})
    'one head: mean 0.125, from 0.000 to 0.250, the orange dot 0.250.'
    """
    said = []
    for name, values in rows.items():
        values = filled_array(values, 1, name)
        said.append(
            f"{name}: mean {values.mean():.3f}, from {values.min():.3f} to {values.max():.3f}, "
            f"the orange dot {values[lit]:.3f}."
        )
    return " ".join(said)

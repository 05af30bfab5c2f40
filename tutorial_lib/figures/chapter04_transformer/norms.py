"""Norm before or after: how large the gradient of each layer is, and how the loss falls."""

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.charts import line_chart, spread_apart
from tutorial_lib.figures.style import BLUE, ORANGE, blank, headline, styled

_COLOURS = {"post": ORANGE, "pre": BLUE}


@styled
def gradient_norms(rows, title="", figure=None):
    """The norm of each layer's gradient, encoder and decoder side by side, post- against pre-norm.

    rows: dicts with "norm" ("post" or "pre"), "seed", "encoder_gradients" and
    "decoder_gradients" (a number a layer), as the recipe norm-placement makes them. Lines are
    means over the seeds, areas reach from the least to the most. Returns the figure. Raises
    ShapeError without rows.

    >>> row = {"norm": "pre", "seed": 0, "encoder_gradients": [1, 2], "decoder_gradients": [2, 3]}
    >>> len(gradient_norms([row]).axes)
    2
    """
    if not rows:
        raise ShapeError("gradient_norms needs at least one row")
    figure = blank(figure, 9.0, 3.9)
    panels = figure.subplots(1, 2, sharey=True)
    for axes, stack in zip(panels, ("encoder", "decoder"), strict=True):
        ends = {}
        for norm in dict.fromkeys(row["norm"] for row in rows):
            # Before the first step a warm-up has changed nothing: one row a seed is enough.
            by_seed = {r["seed"]: r[f"{stack}_gradients"] for r in rows if r["norm"] == norm}
            values = np.array(list(by_seed.values()), dtype=float)  # (seeds, layers)
            layers = np.arange(values.shape[1])
            colour = _COLOURS[norm]
            axes.plot(layers, values.mean(axis=0), color=colour, marker="o", markersize=5)
            low, high = values.min(axis=0), values.max(axis=0)
            axes.fill_between(layers, low, high, color=colour, alpha=0.18, linewidth=0)
            ends[norm] = values.mean(axis=0)[-1]
        axes.set_xticks(layers)
        axes.grid(axis="y", linewidth=0.8)
        axes.set_xlabel(f"{stack} layer, 0 is next to the words")
        axes.margins(x=0.04)
    top = axes.get_ylim()[1]  # shared, so known when both are drawn
    axes.set_ylim(0, top)
    heights = spread_apart(np.array(list(ends.values())), 0.07 * top)
    for norm, y in zip(ends, heights, strict=True):
        look = {"color": _COLOURS[norm], "fontweight": "bold", "va": "center"}
        axes.text(layers[-1] + 0.3, y, f"{norm}-norm", **look)
    panels[0].set_ylabel("norm of the gradient")
    headline(figure, title)
    return figure


def loss_curves(rows, title="", x_label="step", every=20, figure=None):
    """How the loss falls, one line for each position of the norm, with and without warm-up.

    rows: dicts with "norm", "warmup" (steps), "seed" and "loss", a number for every `every`
    steps. Lines are means over the seeds, areas reach from the least to the most; dashes are
    without warm-up. Returns the figure. Raises ShapeError without rows.

    >>> row = {"norm": "pre", "warmup": 0, "seed": 0, "loss": [3.0, 2.0]}
    >>> loss_curves([row]).axes[0].texts[0].get_text()
    'pre-norm, no warm-up'
    """
    series, bands, colours = {}, {}, {}
    kinds = {(row["warmup"], row["norm"] == "post", row["norm"]) for row in rows}
    for warmup, _, norm in sorted(kinds):
        runs = [row["loss"] for row in rows if (row["norm"], row["warmup"]) == (norm, warmup)]
        losses = np.array(runs, dtype=float)  # (seeds, points)
        steps = every * np.arange(1, losses.shape[1] + 1)
        name = f"{norm}-norm, {f'{warmup} steps of warm-up' if warmup else 'no warm-up'}"
        series[name] = (steps, losses.mean(axis=0))
        bands[name] = (losses.min(axis=0), losses.max(axis=0))
        colours[name] = ORANGE if norm == "post" else BLUE
    return line_chart(
        series,
        x_label,
        "loss (nats)",
        title,
        bands=bands,
        colours=colours,
        dashed=[name for name in series if name.endswith("no warm-up")],
        figure=figure,
    )

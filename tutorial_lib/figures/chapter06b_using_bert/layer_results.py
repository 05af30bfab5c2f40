"""Layer by layer: what a linear classifier reads from each."""

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.charts import filled_array, line_chart


def _seeds(series):
    """Return {name: (seeds, L + 1)}, one seed where only its values are given."""
    table = {}
    for name, values in series.items():
        values = np.atleast_2d(np.asarray(values, dtype=float))
        table[name] = filled_array(values, 2, f"the scores of {name!r}")
    if not table:
        raise ShapeError("layer_scores needs at least one series")
    return table


@style.styled
def layer_scores(series, value_label="accuracy", *, references=None, title="", figure=None):
    """A score against the layer that is read, its best layer ringed; layer 0 is before the first.

    series maps a name to (L + 1,) values or (seeds, L + 1); seeds are drawn as their mean and a
    pale area from the lowest to the highest. references maps a text to a height, drawn dashed.
    Returns the figure. Raises ShapeError without a filled series.

    >>> axes = layer_scores({"all labels": [0.5, 0.8, 0.7]}, title="The middle is best").axes[0]
    >>> [line.get_xydata().tolist() for line in axes.lines if line.get_label() == "best"]
    [[[1.0, 0.8]]]
    """
    table = _seeds(series)
    lines = {name: (np.arange(values.shape[1]), values.mean(0)) for name, values in table.items()}
    spread = {name: (v.min(0), v.max(0)) for name, v in table.items() if len(v) > 1}
    heights = np.concatenate(
        [*(values.ravel() for values in table.values()), [*(references or {}).values()]]
    )
    low, high = np.nanmin(heights), np.nanmax(heights)
    room = 0.1 * (high - low) or 0.05  # for a ring
    figure = line_chart(
        lines,
        "layer (0: before the first; ringed: the best)",
        value_label,
        title,
        bands=spread,
        references=references,
        y_range=(low - room, high + room),
        figure=figure,
    )
    axes = figure.axes[0]
    for index, (layers, means) in enumerate(lines.values()):
        best = int(np.nanargmax(means))
        colour = style.CYCLE[index % len(style.CYCLE)]
        ring = {"ms": 12, "mfc": "none", "mec": colour, "mew": 1.8, "label": "best"}
        axes.plot(layers[best], means[best], "o", **ring)
    axes.set_xticks(np.arange(max(len(layers) for layers, _ in lines.values())))
    return figure


def describe_layer_scores(series, value_label="accuracy"):
    """Say in words what `layer_scores` shows.

    >>> describe_layer_scores({"all labels": [0.5, 0.8, 0.7]})
    'accuracy by layer, from layer 0 on. all labels: 0.500, 0.800, 0.700; best at layer 1.'
    """
    parts = []
    for name, values in _seeds(series).items():
        means = values.mean(0)
        numbers = ", ".join(f"{mean:.3f}" for mean in means)
        parts.append(f"{name}: {numbers}; best at layer {int(np.nanargmax(means))}.")
    return f"{value_label} by layer, from layer 0 on. {' '.join(parts)}"

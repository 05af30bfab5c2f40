"""Layer by layer: what a linear classifier reads from each, and how two senses come apart."""

from itertools import combinations

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
    room = 0.16 * (high - low) or 0.05  # for a number above a ring
    figure = line_chart(
        lines,
        "layer (0: before the first)",
        value_label,
        title,
        bands=spread,
        references=references,
        y_range=(low - room / 2, high + room),
        figure=figure,
    )
    axes = figure.axes[0]
    for index, (series_name, (layers, means)) in enumerate(lines.items()):
        best = int(np.nanargmax(means))
        colour = style.CYCLE[index % len(style.CYCLE)]
        ring = {"ms": 12, "mfc": "none", "mec": colour, "mew": 1.8, "label": "best"}
        axes.plot(layers[best], means[best], "o", **ring)
        # Below its ring where the number would be written on the pale area of another series.
        number = means[best] + room / 2
        others = [edges for name, edges in spread.items() if name != series_name]
        covered = any(low_edge[best] < number < high_edge[best] for low_edge, high_edge in others)
        near = {"xytext": (0, -17 if covered else 10), "textcoords": "offset points"}
        near |= {"ha": "center", "fontsize": 9.5}
        axes.annotate(f"{means[best]:.3f}", (layers[best], means[best]), color=colour, **near)
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


def sense_similarity(vectors, senses):
    """Return the cosines of all pairs of one sense, and of all of two senses: (L + 1, pairs) each.

    vectors (L + 1, N, D): one word in N sentences, at each layer; senses: N labels.
    Raises ShapeError when they disagree or there is no pair of a kind.

    >>> same, different = sense_similarity([[[1, 0], [1, 0], [0, 1]]], ["river", "river", "money"])
    >>> same.tolist(), different.tolist()
    ([[1.0]], [[0.0, 0.0]])
    """
    vectors = filled_array(vectors, 3, "vectors")
    if len(senses) != vectors.shape[1]:
        raise ShapeError(f"{vectors.shape[1]} sentences need as many senses, got {len(senses)}")
    pairs = list(combinations(range(len(senses)), 2))
    alike = np.array([senses[i] == senses[j] for i, j in pairs], dtype=bool)
    if not alike.any() or alike.all():
        raise ShapeError(
            "sense_similarity needs two sentences of one sense and one of another, got "
            f"{list(senses)}"
        )
    units = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    cosines = np.stack([(units[:, i] * units[:, j]).sum(-1) for i, j in pairs], axis=1)
    return cosines[:, alike], cosines[:, ~alike]


@style.styled
def word_by_layer(vectors, senses, word="bank", title="", figure=None):
    """Cosines of one word with itself in other sentences, by layer: same sense and other sense.

    vectors and senses as for `sense_similarity`; a dash is a pair of sentences, a line the mean.
    Returns the figure.

    >>> figure = word_by_layer([[[1, 0], [1, 0], [0, 1]]], ["river", "river", "money"])
    >>> figure.axes[0].get_ylabel()
    'cosine of two “bank”'
    """
    kinds = _kinds(vectors, senses)
    figure = style.blank(figure, 8.0, 4.2)
    axes = figure.subplots()
    for (name, cosines), colour, step in zip(
        kinds.items(), (style.BLUE, style.ORANGE), (-0.16, 0.16), strict=True
    ):
        layers = np.arange(len(cosines))
        for layer, row in enumerate(cosines):
            line = {"color": colour, "markersize": 13, "alpha": 0.55}
            axes.plot(np.full(len(row), layer + step), row, "_", **line)
        means = cosines.mean(1)
        axes.plot(layers + step, means, color=colour)
        words = {"xytext": (14, 0), "textcoords": "offset points", "va": "center"}
        look = {"color": colour, "fontweight": "bold", "fontsize": 9.5}
        end = (layers[-1] + 0.23, means[-1])  # right of the dashes of both kinds
        axes.annotate(name, end, annotation_clip=False, **words, **look)
    axes.set_xticks(layers)
    axes.grid(axis="y", linewidth=0.8)
    axes.set_axisbelow(True)
    label = f"cosine of two “{word}”"
    axes.set(xlabel="layer (0: before the first)", ylabel=label, title=title)
    return figure


def _kinds(vectors, senses):
    return dict(zip(("same sense", "other sense"), sense_similarity(vectors, senses), strict=True))


def describe_word_by_layer(vectors, senses, word="bank"):
    """Say in words what `word_by_layer` shows.

    >>> describe_word_by_layer([[[1, 0], [1, 0], [0, 1]]], ["river", "river", "money"])
    'Mean cosine of two “bank” by layer, from layer 0 on. same sense: 1.00. other sense: 0.00.'
    """
    parts = [
        f"{name}: {', '.join(f'{mean:.2f}' for mean in cosines.mean(1))}."
        for name, cosines in _kinds(vectors, senses).items()
    ]
    return f"Mean cosine of two “{word}” by layer, from layer 0 on. {' '.join(parts)}"

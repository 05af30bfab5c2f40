"""Layer by layer: what a linear classifier reads from each, and how two senses come apart."""

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


def sense_similarity(vectors, senses):
    """Return each sentence's mean cosine with those of its sense, and of others: (L + 1, N) each.

    vectors (L + 1, N, D): one word in N sentences, at each layer; senses: N labels. The first of
    the two leaves out a sentence that is alone with its sense.
    Raises ShapeError when they disagree or there is no pair of a kind.

    >>> same, other = sense_similarity([[[1, 0], [1, 0], [0, 1]]], ["river", "river", "money"])
    >>> same.tolist(), other.tolist()
    ([[1.0, 1.0]], [[0.0, 0.0, 0.0]])
    """
    vectors = filled_array(vectors, 3, "vectors")
    if len(senses) != vectors.shape[1]:
        raise ShapeError(f"{vectors.shape[1]} sentences need as many senses, got {len(senses)}")
    alike = np.array([[one == two for two in senses] for one in senses])  # (N, N)
    fellows = alike & ~np.eye(len(senses), dtype=bool)
    if not fellows.any() or alike.all():
        raise ShapeError(
            "sense_similarity needs two sentences of one sense and one of another, got "
            f"{list(senses)}"
        )
    units = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    cosines = units @ units.transpose(0, 2, 1)  # (L + 1, N, N)
    return tuple(
        np.stack([cosines[:, i, of].mean(-1) for i, of in enumerate(kind) if of.any()], axis=1)
        for kind in (fellows, ~alike)
    )


@style.styled
def word_by_layer(vectors, senses, word="bank", title="", figure=None):
    """Cosines of one word with itself in other sentences, by layer: same sense and other sense.

    vectors and senses as for `sense_similarity`; a line is the mean of the sentences, and the pale
    area behind it holds the middle half of them. Returns the figure.

    >>> figure = word_by_layer([[[1, 0], [1, 0], [0, 1]]], ["river", "river", "money"])
    >>> figure.axes[0].get_ylabel()
    'cosine of two “bank”'
    """
    kinds = _kinds(vectors, senses)
    figure = style.blank(figure, 8.0, 4.2)
    axes = figure.subplots()
    for (name, cosines), colour in zip(kinds.items(), (style.BLUE, style.ORANGE), strict=True):
        layers = np.arange(len(cosines))
        axes.fill_between(layers, *np.percentile(cosines, (25, 75), axis=1), **_pale(colour))
        means = cosines.mean(1)
        axes.plot(layers, means, color=colour, linewidth=3, marker="o", markersize=6)
        words = {"xytext": (10, 0), "textcoords": "offset points", "va": "center"}
        look = {"color": colour, "fontweight": "bold", "fontsize": 9.5}
        axes.annotate(name, (layers[-1], means[-1]), annotation_clip=False, **words, **look)
    axes.set_xticks(layers)
    axes.grid(axis="y", linewidth=0.8)
    axes.set_axisbelow(True)
    label = f"cosine of two “{word}”"
    axes.set(xlabel="layer (0: before the first)", ylabel=label, title=title)
    return figure


def _pale(colour):
    return {"color": colour, "alpha": 0.18, "linewidth": 0}


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

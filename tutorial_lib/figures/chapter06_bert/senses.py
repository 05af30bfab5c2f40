"""Layer by layer: how two senses of one word come apart."""

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.charts import filled_array


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
    """Mean cosine of one word with itself in other sentences, by layer: same and other sense.

    vectors and senses as for `sense_similarity`. Returns the figure. Raises ShapeError as it does.

    >>> figure = word_by_layer([[[1, 0], [1, 0], [0, 1]]], ["river", "river", "money"])
    >>> figure.axes[0].get_ylabel()
    'cosine of two “bank”'
    """
    kinds = _kinds(vectors, senses)
    figure = style.blank(figure, 8.0, 4.0)
    axes = figure.subplots()
    for (name, cosines), colour in zip(kinds.items(), (style.BLUE, style.ORANGE), strict=True):
        layers = np.arange(len(cosines))
        means = cosines.mean(1)
        axes.plot(layers, means, color=colour, linewidth=3, marker="o", markersize=6)
        words = {"xytext": (10, 0), "textcoords": "offset points", "va": "center"}
        look = {"color": colour, "fontweight": "bold", "fontsize": 10}
        axes.annotate(name, (layers[-1], means[-1]), annotation_clip=False, **words, **look)
    axes.set_xticks(layers, ["input", *layers[1:]])
    axes.grid(axis="y", linewidth=0.8)
    axes.set_axisbelow(True)
    label = f"cosine of two “{word}”"
    axes.set(xlabel="after layer", ylabel=label, title=title)
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

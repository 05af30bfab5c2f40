"""Layer by layer: how two senses of one word come apart, and in which sentences."""

import numpy as np
from matplotlib.ticker import MaxNLocator

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.charts import filled_array
from tutorial_lib.figures.tokens import drawable

WIDTH = 9.0  # inches
LEFT_PANEL = 0.8, 3.5  # its edges, in inches
ROW = 0.26  # inches, of a sentence or the name of a sense
NAME = 9.5  # points, of both
LONGEST = 36  # letters of a sentence
KINDS = {"same sense": style.BLUE, "other sense": style.ORANGE}


def sense_similarity(vectors, senses):
    """Return each sentence's mean cosine with those of its sense, and of others: (L + 1, N) each.

    vectors (L + 1, N, D): one word in N sentences, at each layer; senses: N labels. The first of
    the two leaves out a sentence that is alone with its sense.
    Raises ShapeError when they disagree or there is no pair of a kind.

    >>> same, other = sense_similarity([[[1, 0], [1, 0], [0, 1]]], ["river", "river", "money"])
    >>> same.tolist(), other.tolist()
    ([[1.0, 1.0]], [[0.0, 0.0, 0.0]])
    """
    same, other = _by_sentence(vectors, senses)
    return same[:, [list(senses).count(sense) > 1 for sense in senses]], other


def _by_sentence(vectors, senses):
    """The two means of `sense_similarity`, nan for a sentence that is alone with its sense."""
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
        np.stack(
            [
                cosines[:, i, of].mean(-1) if of.any() else np.full(len(cosines), np.nan)
                for i, of in enumerate(kind)
            ],
            axis=1,
        )
        for kind in (fellows, ~alike)
    )


def _checked(vectors, senses, sentences, layer):
    """Return {kind: (L + 1, N)}, nan where a sentence is alone with its sense."""
    kinds = dict(zip(KINDS, _by_sentence(vectors, senses), strict=True))
    n_layers = len(kinds["other sense"]) - 1
    if len(sentences) != len(senses):
        raise ShapeError(f"{len(senses)} vectors need as many sentences, got {len(sentences)}")
    if not 0 <= layer <= n_layers:
        raise ShapeError(f"word_by_layer has the layers 0 to {n_layers}, got layer {layer}")
    return kinds


@style.styled
def word_by_layer(vectors, senses, sentences, word="bank", title="", *, layer=4, figure=None):
    """Mean cosine of one word with itself in other sentences: same and other sense.

    Left by layer, each sentence a thin line, the mean a thick one; right each sentence after one
    `layer`, grouped by sense: a dot for the cosine with its own sense, if it isn't alone with it,
    and one with the other. vectors and senses as for `sense_similarity`; sentences: N strings.
    Returns the figure. Raises ShapeError as `sense_similarity` does, or for another number of
    sentences or a layer that is not there.

    >>> sentences = ["The bank flooded.", "Each bank had ducks.", "My bank closed."]
    >>> senses = ["river", "river", "money"]
    >>> figure = word_by_layer([[[1, 0], [1, 0], [0, 1]]], senses, sentences, layer=0)
    >>> [label.get_text() for label in figure.axes[1].texts][:2]
    ['river', 'The bank flooded.']
    """
    kinds = _checked(vectors, senses, sentences, layer)
    names = [_shortened(sentence) for sentence in sentences]
    n_rows = len(names) + len({*senses})
    body = max(2.6, ROW * n_rows)  # inches
    figure = style.blank(figure, WIDTH, body + 1.35)
    figure.set_layout_engine("none")  # the names of the rows begin at one place, and end at another
    height = body + 1.35
    labels = LEFT_PANEL[1] + 0.35
    start = labels + 0.2 + max(style.text_width(name, NAME) for name in names)
    tall = min(body, 3.4)  # the lines need no more, however many sentences there are
    left, right = (
        figure.add_axes((x / WIDTH, (0.6 + body - tall) / height, wide / WIDTH, tall / height))
        for x, wide, tall in (
            (LEFT_PANEL[0], LEFT_PANEL[1] - LEFT_PANEL[0], tall),
            (start, WIDTH - 0.2 - start, body),
        )
    )
    _draw_layers(left, kinds, layer)
    left.set_ylabel(f"cosine of two “{drawable(word)}”")
    _draw_sentences(right, kinds, layer, senses, names, start - labels)
    top = (0.6 + body + 0.12) / height
    figure.text(
        LEFT_PANEL[0] / WIDTH, top, "each sentence, and the mean (thick)", color=style.MUTED
    )
    passed = f"after {layer} layer{'s' * (layer > 1)}" if layer else "before the first layer"
    words = f"each sentence {passed}"
    figure.text(labels / WIDTH, top, words, color=style.MUTED)
    corner = {"loc": "lower right", "bbox_to_anchor": ((WIDTH - 0.1) / WIDTH, top - 0.08 / height)}
    figure.legend(handles=left.lines[-len(KINDS) :], ncols=len(KINDS), borderpad=0, **corner)
    figure.suptitle(title, x=0.02, y=1 - 0.1 / height, ha="left", fontsize=12, fontweight="bold")
    return figure


def _shortened(sentence):
    sentence = drawable(" ".join(sentence.split()))
    return sentence if len(sentence) <= LONGEST else sentence[: LONGEST - 1] + "…"


def _draw_layers(axes, kinds, layer):
    layers = np.arange(len(kinds["other sense"]))
    axes.axvline(layer, color=style.GRID, linewidth=9, zorder=0)
    for name, cosines in kinds.items():
        axes.plot(layers, cosines, color=KINDS[name], linewidth=1, alpha=0.25, zorder=2)
    for name, cosines in kinds.items():
        look = {"color": KINDS[name], "linewidth": 3, "marker": "o", "markersize": 6}
        axes.plot(layers, np.nanmean(cosines, axis=1), label=name, zorder=3, **look)
    axes.set_xticks(layers)
    axes.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    axes.grid(axis="y", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_xlabel("layers passed")


def _draw_sentences(axes, kinds, layer, senses, names, to_names):
    """Draw a row for each sentence, sense by sense; the names begin `to_names` inches left."""
    chosen = {name: cosines[layer] for name, cosines in kinds.items()}
    low, high = (float(end(list(chosen.values()))) for end in (np.nanmin, np.nanmax))
    if high - low < 0.01:  # at the input all are 1, but for the last digit
        low, high = (low + high) / 2 - 0.005, (low + high) / 2 + 0.005
    span = high - low
    label = {"textcoords": "offset points", "va": "center", "fontsize": NAME}
    label |= {"xycoords": ("axes fraction", "data"), "xytext": (-72 * to_names, 0)}
    row = 0
    for sense in dict.fromkeys(senses):
        axes.annotate(drawable(str(sense)), (0, row), fontweight="bold", **label)
        for i in [i for i, one in enumerate(senses) if one == sense]:
            row += 1
            axes.annotate(names[i], (0, row), **label)
            dots = [cosines[i] for cosines in chosen.values()]
            axes.plot(dots, [row, row], color=style.MUTED, linewidth=1, zorder=2)
            close = abs(dots[0] - dots[1]) < 0.03 * span  # the dot in front leaves a ring to see
            for front, (dot, colour) in enumerate(zip(dots, KINDS.values(), strict=True)):
                size = 4 if front and close else 8
                axes.plot(dot, row, "o", markersize=size, color=colour, zorder=3 + front)
        row += 1
    axes.set(ylim=(row - 0.4, -0.6), yticks=[], xlabel="mean cosine with the others")
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    axes.set_xlim(low - 0.08 * span, high + 0.08 * span)
    axes.grid(axis="x", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines["left"].set_visible(False)


def describe_word_by_layer(vectors, senses, sentences, word="bank", layer=4):
    """Say in words what `word_by_layer` shows.

    >>> vectors, senses = [[[1, 0], [1, 0], [0, 1]]], ["river", "river", "money"]
    >>> sentences = ["It flooded.", "It is full.", "It closed."]
    >>> words = describe_word_by_layer(vectors, senses, sentences, layer=0)
    >>> words[words.index("After") :]
    'After layer 0, with its own sense and the other. River: “It flooded.” 1.00 and 0.00, \
“It is full.” 1.00 and 0.00. Money: “It closed.” alone and 0.00.'
    """
    kinds = _checked(vectors, senses, sentences, layer)
    means = [
        f"{name.capitalize()}: {', '.join(f'{mean:.2f}' for mean in np.nanmean(cosines, axis=1))}."
        for name, cosines in kinds.items()
    ]
    same, other = (cosines[layer] for cosines in kinds.values())
    groups = {str(sense): [] for sense in senses}
    for sentence, sense, own, to_other in zip(sentences, senses, same, other, strict=True):
        own = "alone" if np.isnan(own) else f"{own:.2f}"
        groups[str(sense)].append(f"“{_shortened(sentence)}” {own} and {to_other:.2f}")
    said = " ".join(
        f"{sense[:1].upper()}{sense[1:]}: {', '.join(of)}." for sense, of in groups.items()
    )
    return (
        f"Mean cosine of two “{word}” by layer, from layer 0 on. {' '.join(means)} "
        f"After layer {layer}, with its own sense and the other. {said}"
    )

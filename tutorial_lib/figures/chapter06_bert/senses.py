"""Layer by layer: how two senses of one word come apart, and in which sentences."""

import numpy as np
from matplotlib.lines import Line2D
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
KINDS = {"same sense": style.BLUE, "other sense": style.GREEN}
BASELINE = "another word"
COLOURS = KINDS | {BASELINE: style.GREY}
BELOW, CUT = 0.85, 0.16  # inches: the height of the panel of other words, and the gap above


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
    units = _units(vectors)
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


def other_word_similarity(vectors, others):
    """Return each vector's mean cosine with those of other words: (L + 1, N).

    vectors (L + 1, N, D): one word in N sentences, at each layer; others (L + 1, M, D): other words
    in M sentences. Raises ShapeError when their layers or widths disagree.

    >>> other_word_similarity([[[1, 0], [0, 2]]], [[[3, 0], [1, 0]]]).tolist()
    [[1.0, 0.0]]
    """
    vectors, others = filled_array(vectors, 3, "vectors"), filled_array(others, 3, "others")
    if vectors.shape[::2] != others.shape[::2]:
        raise ShapeError(
            f"others must be (L + 1, M, D) like the vectors {vectors.shape}, got {others.shape}"
        )
    return (_units(vectors) @ _units(others).transpose(0, 2, 1)).mean(-1)  # (L + 1, N)


def _units(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def _checked(vectors, senses, sentences, layer, others):
    """Return {kind: (L + 1, N)}, nan where a sentence is alone with its sense."""
    kinds = dict(zip(KINDS, _by_sentence(vectors, senses), strict=True))
    n_layers = len(kinds["other sense"]) - 1
    if len(sentences) != len(senses):
        raise ShapeError(f"{len(senses)} vectors need as many sentences, got {len(sentences)}")
    if not 0 <= layer <= n_layers:
        raise ShapeError(f"word_by_layer has the layers 0 to {n_layers}, got layer {layer}")
    if others is not None:
        kinds[BASELINE] = other_word_similarity(vectors, others)
    return kinds


@style.styled
def word_by_layer(
    vectors, senses, sentences, word="bank", title="", *, layer=4, others=None, figure=None
):
    """Mean cosine of one word with itself in other sentences: same and other sense.

    Left by layer, each sentence a thin line, the mean a thick one; right each sentence after one
    `layer`, grouped by sense: a dot for the cosine with its own sense, if it isn't alone with it,
    and one with the other. vectors and senses as for `sense_similarity`; sentences: N strings.
    others (L + 1, M, D), vectors of other words: below the left panel, in grey, the cosine with
    them, on a scale of its own.
    Returns the figure. Raises ShapeError as `sense_similarity` and `other_word_similarity` do, or
    for another number of sentences or a layer that is not there.

    >>> sentences = ["The bank flooded.", "Each bank had ducks.", "My bank closed."]
    >>> senses = ["river", "river", "money"]
    >>> figure = word_by_layer([[[1, 0], [1, 0], [0, 1]]], senses, sentences, layer=0)
    >>> [label.get_text() for label in figure.axes[1].texts][:2]
    ['river', 'The bank flooded.']
    """
    kinds = _checked(vectors, senses, sentences, layer, others)
    names = [_shortened(sentence) for sentence in sentences]
    n_rows = len(names) + len({*senses})
    body = max(2.6 if others is None else 3.2, ROW * n_rows)  # inches
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
    own = {name: kinds[name] for name in KINDS}
    _draw_layers(left, own, layer)
    left.set_ylabel(f"cosine of two “{drawable(word)}”")
    if others is not None:
        _draw_baseline(left, kinds, layer, f"“{drawable(word)}” and {BASELINE}")
    _draw_sentences(right, own, layer, senses, names, start - labels)
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
    layers = np.arange(len(next(iter(kinds.values()))))
    axes.axvline(layer, color=style.GRID, linewidth=9, zorder=0)
    for name, cosines in kinds.items():
        axes.plot(layers, cosines, color=COLOURS[name], linewidth=1, alpha=0.25, zorder=2)
    for name, cosines in kinds.items():
        look = {"color": COLOURS[name], "linewidth": 3, "marker": "o", "markersize": 6}
        axes.plot(layers, np.nanmean(cosines, axis=1), label=name, zorder=3, **look)
    axes.set_xticks(layers)
    axes.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    axes.grid(axis="y", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_xlabel("layers passed")


def _draw_baseline(axes, kinds, layer, label):
    """Draw the cosine with other words below the lines of the senses, on a scale of its own.

    On one scale it would lie so far below them that the two senses could not be told apart.
    """
    figure = axes.figure
    left, bottom, width, height = axes.get_position().bounds
    inch = 1 / figure.get_figheight()
    axes.set_position((left, bottom + (BELOW + CUT) * inch, width, height - (BELOW + CUT) * inch))
    below = figure.add_axes((left, bottom, width, BELOW * inch))
    _draw_layers(below, {BASELINE: kinds[BASELINE]}, layer)
    low, high = min(0.0, float(kinds[BASELINE].min())), max(0.1, float(kinds[BASELINE].max()))
    span = high - low
    below.set_ylim(low - 0.15 * span, high + 0.7 * span)  # room for the words above the lines
    ticks = MaxNLocator(2, steps=[1, 2, 5, 10]).tick_values(low, high)
    below.set_yticks([tick for tick in ticks if low <= tick <= high])
    words = {"transform": below.transAxes, "color": style.MUTED, "va": "top", "ha": "right"}
    below.text(0.99, 0.98, label, fontsize=NAME, **words)
    axes.set_xlabel("")
    axes.tick_params(bottom=False, labelbottom=False)
    axes.spines["bottom"].set_visible(False)
    if axes.get_ylim()[0] > below.get_ylim()[1]:  # one axis, with its middle left out
        for y in (bottom + BELOW * inch, bottom + (BELOW + CUT) * inch):
            x = left + np.array([-0.06, 0.06]) / WIDTH
            slant = Line2D(x, y + np.array([-0.03, 0.03]) * inch, color=style.MUTED, linewidth=1)
            figure.add_artist(slant)


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


def describe_word_by_layer(vectors, senses, sentences, word="bank", layer=4, others=None):
    """Say in words what `word_by_layer` shows.

    >>> vectors, senses = [[[1, 0], [1, 0], [0, 1]]], ["river", "river", "money"]
    >>> sentences = ["It flooded.", "It is full.", "It closed."]
    >>> words = describe_word_by_layer(vectors, senses, sentences, layer=0)
    >>> words[words.index("After") :]
    'After layer 0, with its own sense and the other. River: “It flooded.” 1.00 and 0.00, \
“It is full.” 1.00 and 0.00. Money: “It closed.” alone and 0.00.'
    """
    kinds = _checked(vectors, senses, sentences, layer, others)
    by_layer = {
        name: ", ".join(f"{mean:z.2f}" for mean in np.nanmean(cosines, axis=1))
        for name, cosines in kinds.items()
    }
    means = [f"{name.capitalize()}: {by_layer[name]}." for name in KINDS]
    if others is not None:
        means.append(f"Of “{word}” and {BASELINE}, in grey: {by_layer[BASELINE]}.")
    same, other = (kinds[name][layer] for name in KINDS)
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

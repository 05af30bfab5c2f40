"""One body and the three heads of this chapter: what each reads, and what comes out."""

import torch
from matplotlib.patches import Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.diagrams import rounded
from tutorial_lib.figures.machine_parts import count_in_words, parameters_of

WIDTH = 10.0  # inches
LOOK = {"boxstyle": "round,pad=0,rounding_size=0.07", "linewidth": 1.6, "zorder": 1}  # of a box
HEADS = ("sentence", "token", "span")
MARKS = ("[CLS]", "[SEP]")  # of no label, and where no answer can be


def _facts(model, ids):
    """For each head: what it reads, its layer, the shape of its answers, its parameters."""
    with torch.no_grad():
        hidden = model(ids)
        mask = torch.ones_like(ids, dtype=torch.bool)
        spans = torch.stack(model.span_logits(hidden), dim=-1)
        shapes = {
            "sentence": model.sequence_logits(hidden, mask).shape,
            "token": model.token_logits(hidden).shape,
            "span": spans.shape,
        }
    width = hidden.size(-1)
    classes = {name: shape[-1] for name, shape in shapes.items()}
    counts = {
        "sentence": parameters_of(model.sequence_head),
        "token": parameters_of(model.token_head),
        "span": parameters_of(model.span_head),
    }
    layers = {name: f"{width} → {n}" for name, n in classes.items()}
    return {name: (READS[name], layers[name], tuple(shapes[name]), counts[name]) for name in HEADS}


ANSWERS = {
    "sentence": "one answer for the text:\nfresh or rotten?",
    "token": "one answer for each token:\nis it a name?",
    "span": "two scores for each token:\nstart here? end here?",
}


READS = {
    "sentence": "the mean of all vectors",
    "token": "each vector",
    "span": "each vector",
}


@style.styled
def body_and_heads(model, ids, words, title="", figure=None):
    """A BERT's body with three heads on it.

    model: a BERT with the heads n_classes (pooling "mean"), n_labels and span; ids (1, T),
    words: T strings. From below: tokens, body, a vector for each token, the heads, each with the
    vectors that it reads and the numbers that come out.
    Returns the figure. Raises ShapeError when words and ids disagree.
    """
    if ids.shape != (1, len(words)):
        raise ShapeError(f"{len(words)} words, but ids are {tuple(ids.shape)}")
    facts = _facts(model, ids)
    n, width = len(words), model.config.d_model
    figure = style.blank(figure, WIDTH, 5.6 if title else 5.2)
    axes = figure.subplots()
    axes.set(xlim=(0, WIDTH), ylim=(0, 5.1), title=title)
    axes.axis("off")
    left, step = 1.5, (WIDTH - 1.6) / n
    middles = [left + step * (t + 0.5) for t in range(n)]
    # A frame about all vectors: two heads take each of them, the sentence head their mean.
    rounded(axes, 0.05, 1.39, WIDTH - 0.15, 0.54, style.CARD, style.GRID, **LOOK)
    small = {"fontsize": 10, "color": style.MUTED, "va": "center"}
    for word, x in zip(words, middles, strict=True):
        rounded(
            axes, x - step * 0.45, 0.05, step * 0.9, 0.3, style.PALE_GREY, style.PALE_GREY, **LOOK
        )
        at = {"ha": "center", "va": "center", "family": "DejaVu Sans Mono"}
        axes.text(x, 0.2, word, fontsize=9, **at)
        _arrow(axes, x, 0.37, 0.6)
        _arrow(axes, x, 1.22, 1.46)
        axes.add_patch(Rectangle((x - 0.07, 1.46), 0.14, 0.4, facecolor=style.PALE_SKY,
                                 edgecolor=style.BLUE, linewidth=1))  # fmt: skip
    axes.text(0.15, 0.2, "tokens", **small)
    axes.text(0.15, 1.66, f"vectors (B, T, D)\n= (1, {n}, {width})", linespacing=1.25, **small)
    rounded(axes, left, 0.62, WIDTH - 1.6, 0.58, style.PALE_BLUE, style.BLUE, **LOOK)
    heads = sum(facts[name][-1] for name in HEADS)
    masked = parameters_of(model.mlm_head) if model.mlm_head is not None else 0
    body = parameters_of(model) - heads - masked
    middle = {"ha": "center", "va": "center"}
    says = f"body: {model.config.n_layers} layers, {count_in_words(body)}"
    axes.text(left + (WIDTH - 1.6) / 2, 0.91, says, fontsize=11, fontweight="bold", **middle)
    each = (WIDTH - 0.1) / len(HEADS)
    for number, name in enumerate(HEADS):
        _head(axes, name, facts[name], 0.05 + each * number, each - 0.15, n)
    return figure


LABELS = {"token": ("O", "B", "I"), "span": ("start", "end")}


@style.styled
def one_head(name, d_model, words, right, title="", figure=None):
    """One linear head on a worked sentence, from below: words, body, vectors, head, labels.

    name: "token" or "span"; d_model: the numbers of a vector; words: T strings; right: (label,
    place) pairs, filled: place is a token. Cells that touch share one softmax; [CLS] and [SEP],
    which have no label, are grey. Returns the figure. Raises ShapeError for another name.

    >>> figure = one_head("span", 4, ["call", "ann"], [("start", 1), ("end", 1)])
    >>> [text.get_text() for text in figure.axes[0].texts][-3:]
    ['span head, 4 → 2: 10 parameters', 'end', 'start']
    """
    labels, n = _labels(name), len(words)
    low = 1.8  # of the head's box
    cells = low + 0.8
    tall, apart = 0.27, 0.12 if name == "span" else 0.0  # of a row of labels, and between two
    top = cells + len(labels) * (tall + apart)
    figure = style.blank(figure, WIDTH, top + (0.6 if title else 0.2))
    axes = figure.subplots()
    axes.set(xlim=(0, WIDTH), ylim=(0, top + 0.05), title=title)
    axes.axis("off")
    left, step = 0.95, (WIDTH - 1.05) / n
    middles = [left + step * (t + 0.5) for t in range(n)]
    centre = left + step * n / 2
    at = {"ha": "center", "va": "center"}
    vector = {"facecolor": style.PALE_SKY, "edgecolor": style.BLUE, "linewidth": 1}
    for word, x in zip(words, middles, strict=True):
        box = (x - step * 0.46, 0.05, step * 0.92, 0.32)
        rounded(axes, *box, style.PALE_GREY, style.PALE_GREY, **LOOK)
        axes.text(x, 0.21, word, fontsize=10.5, **at)
        _arrow(axes, x, 0.38, 0.56)
        _arrow(axes, x, 0.99, 1.17)
        axes.add_patch(Rectangle((x - 0.07, 1.18), 0.14, 0.36, **vector))
        _arrow(axes, x, 1.57, low, style.ORANGE)
        _arrow(axes, x, low + 0.46, cells - 0.04, style.ORANGE)
    half = step * n / 2
    rounded(axes, left, 0.57, 2 * half, 0.41, style.PALE_BLUE, style.BLUE, **LOOK)
    axes.text(centre, 0.775, "body", fontsize=11, fontweight="bold", **at)
    rounded(axes, centre - half, low, 2 * half, 0.46, style.PALE_ORANGE, style.ORANGE, **LOOK)
    size = f"{d_model} → {len(labels)}: {len(labels) * (d_model + 1):,} parameters"
    says = f"{name} head, {size}"
    axes.text(centre, low + 0.23, says, fontsize=11, fontweight="bold", **at)
    wide = step if name == "span" else step * 0.62
    for row, label in enumerate(labels[::-1]):  # the first one on top
        y = cells + row * (tall + apart)
        side = {"fontsize": 10.5, "ha": "right", "va": "center"}
        axes.text(left - 0.1, y + tall / 2, label, **side)
        for place, x in enumerate(middles):
            outside = words[place] in MARKS
            fill = style.PALE_GREY if outside else style.CARD
            fill = style.ORANGE if (label, place) in right else fill
            look = {"facecolor": fill, "edgecolor": style.ORANGE, "linewidth": 0.9}
            axes.add_patch(Rectangle((x - wide / 2, y), wide, tall, **look))
    return figure


def _labels(name):
    if name not in LABELS:
        raise ShapeError(f"one_head draws the heads {' and '.join(LABELS)}, got {name!r}")
    return LABELS[name]


def _head(axes, name, facts, x, width, n):
    """One head: what it reads, its box, the strip of what comes out, its answer."""
    reads, layers, shape, n_parameters = facts
    middle = x + width / 2
    at = {"ha": "center", "va": "center"}
    _arrow(axes, middle, 1.95, 2.7, style.ORANGE)
    beside = {"fontsize": 10, "color": style.MUTED, "va": "center"}
    axes.text(middle + 0.12, 2.3, f"reads {reads}", **beside)
    rounded(axes, x, 2.7, width, 0.74, style.PALE_ORANGE, style.ORANGE, **LOOK)
    axes.text(middle, 3.27, f"{name} head", fontsize=11.5, fontweight="bold", **at)
    axes.text(middle, 3.03, layers, fontsize=10, **at)
    axes.text(middle, 2.83, count_in_words(n_parameters), fontsize=9.5, color=style.MUTED, **at)
    _arrow(axes, middle, 3.44, 3.62, style.ORANGE)
    cells = n if len(shape) == 3 else 1
    for row in range(shape[-1]):
        _strip(axes, middle, 3.64 + 0.13 * row, cells, width, of=n)
    names = {2: "(B, {})", 3: "(B, T, {})"}[len(shape)].format(shape[-1])
    axes.text(middle, 4.2, f"{names} = {shape}", fontsize=10, color=style.MUTED, **at)
    axes.text(middle, 4.68, ANSWERS[name], fontsize=10, fontweight="bold", linespacing=1.35, **at)


def _strip(axes, middle, y, cells, width, of):
    """A row of small squares about a middle."""
    side = (width - 0.1) / of
    start = middle - side * cells / 2
    for t in range(cells):
        look = {"facecolor": style.PALE_ORANGE, "edgecolor": style.ORANGE}
        axes.add_patch(Rectangle((start + side * t, y), side, 0.12, linewidth=0.9, **look))


def _arrow(axes, x, low, high, colour=style.MUTED):
    look = {"arrowstyle": "-|>", "color": colour, "linewidth": 1, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", (x, high), (x, low), arrowprops=look | {"mutation_scale": 7})


def describe_body_and_heads():
    """Say what the heads read and return: the alt text.

    >>> describe_body_and_heads()[:70]
    'A BERT from bottom to top: tokens, body, a vector for each token, thre'
    """
    return (
        "A BERT from bottom to top: tokens, body, a vector for each token, three heads. "
        + " ".join(_in_words(name) for name in HEADS)
    )


def _in_words(name):
    return f"The {name} head reads {READS[name]}, {ANSWERS[name].partition(':')[0]}."


def describe_one_head(name, words=(), right=()):
    """Say what `one_head` shows, with the labels of the worked sentence: the alt text.

    >>> describe_one_head("token", ["ask", "ann"], [("O", 0), ("B", 1)])
    'The token head reads each vector, one answer for each token. Labels: ask O, ann B.'
    """
    _labels(name)
    text = _in_words(name)
    labels = ", ".join(f"{words[place]} {label}" for label, place in right)
    return f"{text} Labels: {labels}." if labels else text

"""One body and the four heads of BERT's uses: what each reads, and what comes out."""

import torch
from matplotlib.patches import Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.diagrams import rounded
from tutorial_lib.figures.machine_parts import count_in_words, parameters_of

WIDTH = 10.0  # inches
LOOK = {"boxstyle": "round,pad=0,rounding_size=0.07", "linewidth": 1.6, "zorder": 1}  # of a box
HEADS = ("sentence", "pair", "token", "span")


def _facts(model, ids, segments):
    """For each head: what it reads, its layers, its answers' name, the shape, its parameters."""
    with torch.no_grad():
        hidden = model(ids, segments)
        mask = torch.ones_like(ids, dtype=torch.bool)
        spans = torch.stack(model.span_logits(hidden), dim=-1)
        shapes = {
            "sentence": model.sequence_logits(hidden, mask).shape,
            "pair": model.nsp_logits(hidden).shape,
            "token": model.token_logits(hidden).shape,
            "span": spans.shape,
        }
    width = hidden.size(-1)
    classes = {name: shape[-1] for name, shape in shapes.items()}
    counts = {
        "sentence": parameters_of(model.sequence_head),
        "pair": parameters_of(model.pooler) + parameters_of(model.nsp_head),
        "token": parameters_of(model.token_head),
        "span": parameters_of(model.span_head),
    }
    layers = {name: f"{width} → {n}" for name, n in classes.items()}
    layers["pair"] = f"{width} → {width} → {classes['pair']}"
    return {name: (READS[name], layers[name], tuple(shapes[name]), counts[name]) for name in HEADS}


ANSWERS = {
    "sentence": "one answer for the text:\nfresh or rotten?",
    "pair": "one answer for two texts:\ndo they follow?",
    "token": "one answer for each token:\nis it a name?",
    "span": "two scores for each token:\nstart here? end here?",
}


READS = {
    "sentence": "the mean of all",
    "pair": "[CLS] alone",
    "token": "each vector",
    "span": "each vector",
}


@style.styled
def body_and_heads(model, ids, segments, words, title="", figure=None):
    """A BERT's body with four heads on it.

    model: a BERT with the heads nsp, n_classes (pooling "mean"), n_labels and span; ids and
    segments (1, T), words: T strings. From below: tokens, body, a vector for each token, the
    heads, each with the vectors that it reads and the numbers that come out.
    Returns the figure. Raises ShapeError when words and ids disagree.
    """
    if ids.shape != (1, len(words)):
        raise ShapeError(f"{len(words)} words, but ids are {tuple(ids.shape)}")
    facts = _facts(model, ids, segments)
    n, width = len(words), model.config.d_model
    figure = style.blank(figure, WIDTH, 5.6 if title else 5.2)
    axes = figure.subplots()
    axes.set(xlim=(0, WIDTH), ylim=(0, 5.1), title=title)
    axes.axis("off")
    left, step = 1.5, (WIDTH - 1.6) / n
    middles = [left + step * (t + 0.5) for t in range(n)]
    small = {"fontsize": 9, "color": style.MUTED, "va": "center"}
    for word, x in zip(words, middles, strict=True):
        rounded(
            axes, x - step * 0.45, 0.05, step * 0.9, 0.3, style.PALE_GREY, style.PALE_GREY, **LOOK
        )
        at = {"ha": "center", "va": "center", "family": "DejaVu Sans Mono"}
        axes.text(x, 0.2, word, fontsize=8.5, **at)
        _arrow(axes, x, 0.37, 0.6)
        _arrow(axes, x, 1.22, 1.45)
        axes.add_patch(Rectangle((x - 0.07, 1.45), 0.14, 0.4, facecolor=style.PALE_SKY,
                                 edgecolor=style.BLUE, linewidth=1))  # fmt: skip
    axes.text(0.02, 0.2, "tokens", **small)
    axes.text(0.02, 1.65, f"vectors\n(B, T, D) =\n(1, {n}, {width})", linespacing=1.25, **small)
    rounded(axes, left, 0.62, WIDTH - 1.6, 0.58, style.PALE_BLUE, style.BLUE, **LOOK)
    heads = sum(facts[name][-1] for name in HEADS)
    masked = parameters_of(model.mlm_head) if model.mlm_head is not None else 0
    body = parameters_of(model) - heads - masked
    middle = {"ha": "center", "va": "center"}
    says = f"body: {model.config.n_layers} layers, {count_in_words(body)}"
    axes.text(left + (WIDTH - 1.6) / 2, 0.91, says, fontsize=11, fontweight="bold", **middle)
    each = (WIDTH - 0.1) / 4
    for number, name in enumerate(HEADS):
        _head(axes, name, facts[name], 0.05 + each * number, each - 0.15, n)
    return figure


@style.styled
def one_head(name, d_model, n_tokens=8, title="", figure=None):
    """One linear head from left to right: the vectors that it reads, its size, its answer.

    name: "sentence", "token" or "span"; d_model: the numbers of a vector. Returns the figure.
    """
    n_scores = 3 if name == "token" else 2
    figure = style.blank(figure, WIDTH, 1.5 if title else 1.15)
    axes = figure.subplots()
    axes.set(xlim=(0, WIDTH), ylim=(0, 1.1), title=title)
    axes.axis("off")
    at = {"ha": "center", "va": "center"}
    _strip(axes, 1.4, 0.66, n_tokens, 2.5, range(n_tokens), style.PALE_SKY, style.BLUE)
    axes.text(1.4, 0.38, f"reads {READS[name]}", fontsize=10, **at)
    look = {"arrowstyle": "-|>", "color": style.ORANGE, "linewidth": 1.4, "mutation_scale": 10}
    for start, end in ((2.75, 3.2), (5.3, 5.75)):
        axes.annotate("", (end, 0.55), (start, 0.55), arrowprops=look)
    rounded(axes, 3.25, 0.12, 2.0, 0.86, style.PALE_ORANGE, style.ORANGE, **LOOK)
    axes.text(4.25, 0.74, f"{name} head", fontsize=11.5, fontweight="bold", **at)
    size = f"{d_model} → {n_scores}: {n_scores * (d_model + 1):,} parameters"
    axes.text(4.25, 0.36, size, fontsize=8.5, **at)
    cells = 1 if name == "sentence" else n_tokens
    for row in range(n_scores):
        _strip(axes, 6.6, 0.5 + 0.13 * row, cells, 1.6, range(cells), style.PALE_ORANGE,
               style.ORANGE, of=n_tokens)  # fmt: skip
    shape = f"(B, {n_scores})" if name == "sentence" else f"(B, T, {n_scores})"
    axes.text(6.6, 0.3, shape, fontsize=10, **at)
    axes.text(7.65, 0.55, ANSWERS[name], fontsize=10, fontweight="bold", va="center",
              linespacing=1.35)  # fmt: skip
    return figure


def _head(axes, name, facts, x, width, n):
    """One head: the strip of what it reads, its box, the strip of what comes out, its answer."""
    reads, layers, shape, n_parameters = facts
    middle = x + width / 2
    at = {"ha": "center", "va": "center"}
    taken = range(1) if name == "pair" else range(n)
    _strip(axes, middle, 2.12, n, width, taken, style.PALE_SKY, style.BLUE)
    axes.text(middle, 2.42, f"reads {reads}", fontsize=9, color=style.MUTED, **at)
    _arrow(axes, middle, 2.52, 2.7, style.ORANGE)
    rounded(axes, x, 2.7, width, 0.74, style.PALE_ORANGE, style.ORANGE, **LOOK)
    axes.text(middle, 3.22, f"{name} head", fontsize=11.5, fontweight="bold", **at)
    axes.text(middle, 2.98, layers, fontsize=9.5, **at)
    axes.text(middle, 2.8, count_in_words(n_parameters), fontsize=8.5, color=style.MUTED, **at)
    _arrow(axes, middle, 3.44, 3.62, style.ORANGE)
    cells = n if len(shape) == 3 else 1
    for row in range(shape[-1]):
        _strip(axes, middle, 3.64 + 0.13 * row, cells, width, range(cells), style.PALE_ORANGE,
               style.ORANGE, of=n)  # fmt: skip
    names = {2: "(B, {})", 3: "(B, T, {})"}[len(shape)].format(shape[-1])
    axes.text(middle, 4.2, f"{names} = {shape}", fontsize=9, color=style.MUTED, **at)
    axes.text(middle, 4.68, ANSWERS[name], fontsize=9.5, fontweight="bold", linespacing=1.35, **at)


def _strip(axes, middle, y, cells, width, taken, fill, edge, of=None):
    """A row of small squares about a middle, those taken filled."""
    side = (width - 0.1) / (of or cells)
    start = middle - side * cells / 2
    for t in range(cells):
        look = {"facecolor": fill if t in taken else style.CARD, "edgecolor": edge}
        axes.add_patch(Rectangle((start + side * t, y), side, 0.12, linewidth=0.9, **look))


def _arrow(axes, x, low, high, colour=style.MUTED):
    look = {"arrowstyle": "-|>", "color": colour, "linewidth": 1, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", (x, high), (x, low), arrowprops=look | {"mutation_scale": 7})


def describe_body_and_heads():
    """Say what the heads read and return: the alt text.

    >>> describe_body_and_heads()[:70]
    'A BERT from bottom to top: tokens, body, a vector for each token, four'
    """
    return (
        "A BERT from bottom to top: tokens, body, a vector for each token, four heads. "
        + " ".join(describe_one_head(name) for name in HEADS)
    )


def describe_one_head(name):
    """Say what a head reads and returns: the alt text.

    >>> describe_one_head("pair")
    'The pair head reads [CLS] alone, one answer for two texts.'
    """
    return f"The {name} head reads {READS[name]}, {ANSWERS[name].partition(':')[0]}."

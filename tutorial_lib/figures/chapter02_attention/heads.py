"""Attention heads as a machine: what is made from what, with real numbers inside."""

import numpy as np

from tutorial_lib.attention import attention_scores
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.diagrams import (
    KEY,
    QUERY,
    VALUE,
    arrow,
    canvas,
    cells,
    plus,
    rounded,
)
from tutorial_lib.figures.machine_parts import sizes_in_words
from tutorial_lib.figures.tokens import drawable, visible
from tutorial_lib.interpret import trace

NUMBERS = 32  # of a vector that are drawn
FEW = 6  # a matrix with no more rows and columns has its numbers written in square cells
SPAN = 1.45  # height of the longer text's matrices, in inches
WORD = 0.085  # inches a letter takes
STRIP = 0.2  # width of one head in the row of heads, in inches
ASIDE = 0.11  # how far arrows keep off each other, in inches


@style.styled
def head_diagram(x, queries, keys, values, mask=None, words=None, title=None, figure=None):
    """Draw one attention head from left to right, each matrix with its real numbers.

    x (T, D) asks and answers; queries (T, K), keys (S, K) and values (S, V), with S = T, are what a
    head makes of it; mask (T, S), True = may look. Scores, weights and output are computed as
    `attention.attention` does (Vaswani et al. 2017, eq. 1). words name the rows. Blue is above 0,
    orange below it; weights are blue. Where all matrices are small, each cell is a square with its
    number in it, and equal numbers have equal colours.
    Returns the figure. Raises ShapeError when these do not fit together.
    """
    steps = head_steps(x, queries, keys, values, mask)
    n_asking, n_asked = steps["scores"].shape
    unit = SPAN / max(n_asking, n_asked)
    words = _named(words, n_asking)
    room = 0.12 + WORD * max(map(len, words))
    pitch = SPAN + 0.95
    row_q, row_k, row_v = 2 * pitch + SPAN / 2, pitch + SPAN / 2, SPAN / 2
    tensors = (x, queries, keys, values, steps["scores"])
    small = max(max(tensor.shape) for tensor in tensors) <= FEW
    wide, narrow = 1.45, 1.0
    wide_q, wide_k, wide_v = (narrow,) * 3
    top = None  # each matrix has a scale of its own
    if small:
        wide, wide_q, wide_k, wide_v = (unit * tensor.shape[1] for tensor in tensors[:4])
        narrow = max(wide_q, wide_k, wide_v)
        top = max(float(tensor.abs().max()) for tensor in tensors)
    square = unit * n_asked
    at_x = room + wide / 2
    at_q = at_x + wide / 2 + 1.0 + narrow / 2
    at_scores = at_q + narrow / 2 + 0.95 + square / 2
    masked = "masked" in steps
    step = max(square + 0.9, 2.1)
    at_weights = at_scores + step * (2 if masked else 1)
    width = at_weights + max(square / 2, narrow / 2) + 0.5
    height = 2 * pitch + SPAN + 0.5
    figure, axes = canvas(figure, width, height, title or "One attention head", below=0.4)
    middle = (row_q + row_k) / 2
    _matrix(axes, x, "x", "T D", at_x, row_k, wide, unit * n_asking, style.INK, top=top)
    _rows(axes, words, at_x - wide / 2, row_k, unit)
    value_letters = "S K" if values.shape[-1] == keys.shape[-1] else "S D"
    made = (
        ("queries", "T K", queries, row_q, QUERY, "W_q", wide_q),
        ("keys", "S K", keys, row_k, KEY, "W_k", wide_k),
        ("values", value_letters, values, row_v, VALUE, "W_v", wide_v),
    )
    for name, letters, tensor, y, colour, weight, across in made:
        start, end = at_x + wide / 2 + 0.06, at_q - across / 2 - 0.08
        turn = start + 0.2
        leave = row_k + ASIDE * ((y > row_k) - (y < row_k))
        bend = [(turn, leave), (turn, y)] if y != row_k else []
        arrow(axes, [(start, leave), *bend, (end, y)], colour, 1.8)
        axes.text(turn + 0.07, y + 0.07, f"· {weight}", color=colour, fontsize=9.5, va="bottom")
        _matrix(axes, tensor, name, letters, at_q, y, across, unit * len(tensor), colour, top=top)
    start, end = at_q + narrow / 2 + 0.06, at_scores - square / 2 - 0.08
    turn = (start + end) / 2 - 0.1
    for y, colour, across, up in ((row_q, QUERY, wide_q, ASIDE), (row_k, KEY, wide_k, -ASIDE)):
        start, meets = at_q + across / 2 + 0.06, middle + up
        arrow(axes, [(start, y), (turn, y), (turn, meets), (end, meets)], colour, 1.8)
    width_k = queries.shape[-1]
    high = unit * n_asking
    _matrix(
        axes, steps["scores"], "scores", "T S", at_scores, middle, square, high, style.INK, top=top
    )
    said = f"queries · keysᵀ / √{width_k}"
    axes.text(at_scores, middle - high / 2 - 0.4, said, ha="center", va="top", fontsize=9.5)
    at = at_scores
    for name, sign in (("masked", "mask"), ("weights", "softmax")):
        if name not in steps:
            continue
        ends = [(at + square / 2 + 0.06, middle), (at + step - square / 2 - 0.08, middle)]
        arrow(axes, ends)
        axes.text(at + step / 2, middle + 0.08, sign, ha="center", va="bottom", fontsize=9.5)
        at += step
        colour = style.INK
        fill = style.BLUE if name == "weights" else None
        _matrix(axes, steps[name], name, "T S", at, middle, square, high, colour, fill, top)
    axes.text(
        at_weights,
        middle - high / 2 - 0.4,
        "each row sums to 1",
        ha="center",
        va="top",
        fontsize=9.5,
    )
    # The weights come down, the values from the left.
    meet = at_weights - max(square, narrow) / 2 - 0.75
    drop = at_weights + square / 2 + 0.2
    turn_y = middle - high / 2 - 0.85
    points = [(at_weights + square / 2 + 0.05, middle), (drop, middle), (drop, turn_y)]
    arrow(axes, [*points, (meet, turn_y), (meet, row_v + 0.14)], style.INK, 1.8)
    arrow(axes, [(at_q + wide_v / 2 + 0.06, row_v), (meet - 0.14, row_v)], VALUE, 1.8)
    plus(axes, meet, row_v, "·", style.INK)
    arrow(axes, [(meet + 0.14, row_v), (at_weights - wide_v / 2 - 0.08, row_v)])
    words_at = (at_q + narrow / 2 + meet) / 2
    said = "each row: values\nmixed by that row's weights"
    axes.text(words_at, row_v - 0.12, said, ha="center", va="top", fontsize=9.5, color=style.MUTED)
    _matrix(
        axes,
        steps["output"],
        "output",
        f"T {value_letters[-1]}",
        at_weights,
        row_v,
        wide_v,
        high,
        style.INK,
        top=top,
    )
    return figure


def head_steps(x, queries, keys, values, mask=None):
    """Return what a head computes by name: scores, masked (with a mask), weights, output.

    Shapes as in `head_diagram`. Raises ShapeError when they do not fit.

    >>> import torch
    >>> head_steps(*[torch.eye(2)] * 4)["weights"].sum(-1)
    tensor([1., 1.])
    """
    sizes = [tuple(t.shape) for t in (x, queries, keys, values)]
    fits = all(len(size) == 2 for size in sizes) and len(x) == len(queries)
    if not fits or not len(x) == len(keys) == len(values):
        raise ShapeError(f"a head needs x (T, D), queries, keys and values (T, K): {sizes}")
    q, k = queries[None, None], keys[None, None]
    steps = {"scores": attention_scores(q, k)[0, 0]}
    last = steps["scores"]
    if mask is not None:
        last = steps["masked"] = attention_scores(q, k, mask)[0, 0]
    steps["weights"] = last.softmax(-1)  # (T, S)
    steps["output"] = steps["weights"] @ values  # (T, K)
    return steps


@style.styled
def multi_head_diagram(layer, x, words=None, title=None, heads=None, figure=None, **options):
    """Draw a MultiHeadAttention from left to right: its heads, side by side again, then W_o.

    x (1, T, D); options are the layer's own, such as mask. All numbers are those of one forward
    pass: each head's queries, keys, values, weights and output. Of x and the output the first 32
    columns are drawn. heads: which to draw, framed in amber wherever they are; by default the
    first two and the last. Returns the figure.
    Raises what the layer raises.
    """
    records = {name: record.tensor[0] for name, record in trace(layer, x, **options).items()}
    n_heads, n_tokens, _ = records["queries"].shape
    heads = sorted({0, min(1, n_heads - 1), n_heads - 1}) if heads is None else list(heads)
    words = _named(words, n_tokens)
    room = 0.12 + WORD * max(map(len, words))
    high = 1.55
    names = 0.1 + 0.075 * max(map(len, words))  # below a map, on end
    pitch = high + names + 0.5
    height = pitch * len(heads) - 0.3
    narrow, wide = 0.8, 1.2
    x_at = room + wide / 2
    left = x_at + wide / 2 + 1.15  # of the frame around a head
    asks = left + 0.12
    maps = asks + narrow + 0.2 + room + high / 2
    outputs = maps + high / 2 + 0.4 + narrow / 2
    right = outputs + narrow / 2 + 0.15
    side = STRIP * n_heads
    joined = right + 0.75 + side / 2
    out = joined + side / 2 + 0.85 + wide / 2
    figure, axes = canvas(
        figure, out + wide / 2 + 0.15, height + 0.35, title or "Multi-head attention", below=0.3
    )
    middle = height / 2
    _block(axes, x[0], "x", _said_of_some("T D", x[0]), x_at, middle, wide, high)
    _rows(axes, words, x_at - wide / 2, middle, high / n_tokens)
    for row, head in enumerate(heads):
        y = height - high / 2 - row * pitch
        low = y - high / 2 - names - 0.05
        rounded(axes, left, low, right - left, high + names + 0.37, "none", style.GRID, zorder=1)
        turn = x_at + wide / 2 + 0.35
        arrow(axes, [(x_at + wide / 2 + 0.06, middle), (turn, middle), (turn, y), (left, y)])
        axes.text(left - 0.08, y + 0.06, f"head {head}", ha="right", va="bottom", fontsize=9.5)
        part = (high + names + 0.34) / 3
        for place, (said, colour) in enumerate(
            (("queries", QUERY), ("keys", KEY), ("values", VALUE))
        ):
            down = low + part * (2 - place) + 0.06
            _framed(axes, records[said][head], asks, down, narrow, part - 0.34, False)
            look = {"ha": "center", "va": "bottom", "color": colour, "fontsize": 9.5}
            above = down + part - 0.32
            axes.text(asks + narrow / 2, above, said, fontweight="bold", **look)
        weights = records["weights"][head]
        _matrix(axes, weights, "weights", None, maps, y, high, high, style.INK, style.BLUE)
        _rows(axes, words, maps - high / 2, y, high / n_tokens)
        _columns(axes, words, maps, y - high / 2, high / n_tokens)
        found = records["heads"][head]
        _block(axes, found, "output", str(head), outputs, y, narrow, high, lit=True)
        arrow(axes, [(maps + high / 2 + 0.06, y), (outputs - narrow / 2 - 0.08, y)])
        start, end = joined - side / 2 - 0.08, right
        turn = (start + end) / 2
        arrow(axes, [(end, y), (turn, y), (turn, middle), (start, middle)])
        if row + 1 < len(heads) and heads[row + 1] != head + 1:
            axes.text(left - 0.4, y - pitch / 2, "⋮", fontsize=14, ha="center", va="center")
    sized = (("queries", "T K", asks + narrow / 2), ("weights", "T S", maps))
    for name, letters, place in (*sized, ("heads", "T K", outputs)):
        below = height - len(heads) * pitch + 0.33
        said = sizes_in_words(letters, records[name][0].shape)
        axes.text(place, below, said, ha="center", va="top", fontsize=9)
    _side_by_side(axes, records["heads"], heads, joined, middle, side, high)
    start, end = joined + side / 2 + 0.06, out - wide / 2 - 0.08
    arrow(axes, [(start, middle), (end, middle)])
    d_model = layer.output.weight.shape
    said = f"· W_o\n{d_model[1]} × {d_model[0]}"
    axes.text((start + end) / 2, middle + 0.08, said, ha="center", va="bottom", fontsize=9.5)
    output = records["output"]
    _block(axes, output, "output", _said_of_some("T D", output), out, middle, wide, high)
    return figure


def _said_of_some(letters, tensor):
    """The sizes of a matrix, and how many of its columns are drawn."""
    said = sizes_in_words(letters, tensor.shape)
    return said + (f"\nfirst {NUMBERS} columns" if tensor.shape[1] > NUMBERS else "")


def _block(axes, tensor, name, below, x, y, width, height, lit=False):
    """The first columns of a tensor (T, D) around (x, y); lit frames them in amber."""
    _framed(axes, tensor, x - width / 2, y - height / 2, width, height, lit)
    look = {"ha": "center", "va": "bottom", "fontsize": 10, "fontweight": "bold"}
    axes.text(x, y + height / 2 + 0.07, name, **look)
    axes.text(x, y - height / 2 - 0.08, below, ha="center", va="top", fontsize=9.2)


def _framed(axes, tensor, left, bottom, width, height, lit):
    shown = tensor.detach().float().cpu().numpy()[:, :NUMBERS]
    cells(axes, shown, left, bottom, width, height)
    frame = {"boxstyle": "square,pad=0", "linewidth": 2.0 if lit else 1.0, "zorder": 5}
    edge = style.AMBER if lit else style.GRID
    rounded(axes, left, bottom, width, height, "none", edge, **frame)


def _side_by_side(axes, outputs, drawn, x, y, width, height):
    """The outputs of all heads, (H, T, K), next to each other; those drawn are framed in amber."""
    n_heads, n_tokens, d_head = outputs.shape
    strip, left, bottom = width / n_heads, x - width / 2, y - height / 2
    for head in range(n_heads):
        lit = head in drawn
        _framed(axes, outputs[head], left + strip * head, bottom, strip - 0.04, height, lit)
        if lit:
            below = {"ha": "center", "va": "top", "fontsize": 9}
            axes.text(left + strip * (head + 0.5) - 0.02, bottom - 0.06, str(head), **below)
    above = {"ha": "center", "va": "bottom", "fontsize": 10, "fontweight": "bold"}
    axes.text(x, y + height / 2 + 0.07, "heads, side by side", **above)
    said = sizes_in_words("T D", (n_tokens, n_heads * d_head))
    axes.text(x, bottom - 0.27, said, ha="center", va="top", fontsize=9.2)


def _named(words, n):
    words = [str(i) for i in range(n)] if words is None else list(words)
    if len(words) != n:
        raise ShapeError(f"{n} rows need as many words, got {len(words)}")
    return [drawable(visible(word)) for word in words]


def _rows(axes, words, left, middle, unit):
    top = middle + unit * len(words) / 2
    for row, word in enumerate(words):
        y = top - unit * (row + 0.5)
        look = {"ha": "right", "va": "center", "fontsize": 9, "family": "DejaVu Sans Mono"}
        axes.text(left - 0.08, y, word, **look)


def _columns(axes, words, middle, bottom, unit):
    left = middle - unit * len(words) / 2
    for column, word in enumerate(words):
        look = {"ha": "center", "va": "top", "fontsize": 9, "family": "DejaVu Sans Mono"}
        axes.text(left + unit * (column + 0.5), bottom - 0.06, word, rotation=90, **look)


def _matrix(axes, tensor, name, letters, x, y, width, height, colour, fill=None, top=None):
    """A matrix (R, C) around (x, y), its name above and its shape below.

    With `top`, the number of the darkest colour, each cell has its number in it.
    """
    values = tensor.detach().float().cpu().numpy()
    shown = values[:, :NUMBERS]
    rounded(axes, x - width / 2, y - height / 2, width, height, style.CARD, "none", linewidth=0)
    left, bottom = x - width / 2, y - height / 2
    cells(axes, shown, left, bottom, width, height, fill, top or (1.0 if fill else None))
    if top:
        _numbers(axes, shown, left, bottom, width, height, top)
    size = 10 if letters else 9
    above = {"ha": "center", "va": "bottom", "fontsize": size, "fontweight": "bold"}
    axes.text(x, y + height / 2 + 0.07, name, color=colour, **above)
    if letters:
        said = _said_of_some(letters, values)
        axes.text(x, y - height / 2 - 0.08, said, ha="center", va="top", fontsize=9.2)


def _numbers(axes, values, left, bottom, width, height, top):
    n_rows, n_columns = values.shape
    for (row, column), value in np.ndenumerate(values):
        if not np.isfinite(value):
            continue  # crossed out
        x = left + (column + 0.5) * width / n_columns
        y = bottom + height - (row + 0.5) * height / n_rows
        said = f"{value:.2f}".rstrip("0").rstrip(".")
        ink = "white" if abs(value) > 0.6 * top else style.INK
        look = {"ha": "center", "va": "center", "fontsize": 9.2, "zorder": 6}
        axes.text(x, y, said, color=ink, **look)

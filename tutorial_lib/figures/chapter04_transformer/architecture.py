"""The Transformer drawn from a real model, with the shapes of one forward pass."""

from dataclasses import replace

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.diagrams import (
    BYPASS,
    WIDTH,
    arrow,
    canvas,
    column,
    heights,
    rounded,
    shares,
    small_box,
)
from tutorial_lib.figures.machine_parts import (
    Part,
    parameters_by_kind,
    parameters_of,
    parts_of,
    shape_in_words,
)
from tutorial_lib.interpret import trace


@style.styled
def architecture(
    model, source, target, title="", source_words="", target_words="", counts=True, figure=None
):
    """An encoder-decoder with the shapes of one real forward pass, read from bottom to top.

    model: a `models.Transformer`, BART or T5; source (1, S) and target (1, T) ids; the words are
    written below them. The first layer of each stack is drawn, with its norms where the model has
    them; orange lines are shortcuts. counts: whether the numbers of parameters are written. A
    T5's tables of distances stand between the stacks, and what chapter 04's Transformer has not is
    outlined. Without counts it is drawn for a first look: a shape stands once for each sort of
    arrow, the letters are larger, a softmax is on top, and each attention asks for its mask.
    Returns the figure. Raises what the model raises.
    """
    records = trace(model, source, target)
    stacks = {stack: parts_of(model, records, stack) for stack in ("encoder", "decoder")}
    logits = shape_in_words(records["output"])
    own = getattr(model, "output_layer", None)  # T5's version 1.1 has one
    note = "the same table again" if own is None else "a table of its own"
    learned = 0 if own is None else parameters_of(own)
    stacks["decoder"].append(
        Part("output", "embedding", "logits", note, logits, n_parameters=learned)
    )
    memory = stacks["encoder"][-1].shape
    box_width, scale = (WIDTH, 1.0) if counts else (NARROW, 1.12)
    if not counts:
        stacks["decoder"].append(Part("probabilities", "output", "softmax", SOFTMAX, ""))
        shapes = _shapes_once(stacks)
        stacks = {
            stack: [replace(part, n_parameters=None, shape="") for part in parts]
            for stack, parts in stacks.items()
        }
    tops = {stack: heights(parts) for stack, parts in stacks.items()}
    height = max(top for _, top in tops.values())
    distances = getattr(model, "source_distances", None) is not None
    between = 3.3 if distances else 2.0 * scale
    lefts = {"encoder": BYPASS + 0.2, "decoder": BYPASS + 0.2 + box_width + between}
    width = lefts["decoder"] + box_width + BYPASS + 0.55
    figure, axes = canvas(figure, width, height + 0.35, title, below=1.4 if counts else 0.5)
    layers = {stack: len(getattr(model, f"{stack}_blocks")) for stack in stacks}
    for (stack, parts), words in zip(stacks.items(), (source_words, target_words), strict=True):
        side = -1 if stack == "encoder" else 1
        times = [f"× {layers[stack]}"]
        column(axes, parts, tops[stack][0], lefts[stack], side, times, box_width, scale)
        heading = {"encoder": "Encoder: reads the source", "decoder": "Decoder: writes the target"}
        middle = {"x": lefts[stack] + box_width / 2, "ha": "center"}
        below = {"va": "top", "color": style.MUTED, "fontsize": 9.5 * scale}
        axes.text(y=-0.2, s=words or " ", **below, **middle)
        top = tops[stack][1] + 0.12
        axes.text(y=top, s=heading[stack], fontsize=11, fontweight="bold", va="bottom", **middle)
    if distances:
        _distances(axes, model, stacks, tops, lefts)
        _outlined(axes, stacks, tops, lefts, height + 0.15)
    _memory(axes, stacks, tops, lefts, between, memory, layers["decoder"], box_width, scale)
    if not counts:
        for stack, parts in stacks.items():
            _open_masks(axes, parts, tops[stack][0], lefts[stack])
            for name, shape in shapes[stack].items():
                x, y = lefts[stack] + NARROW / 2, tops[stack][0][name][1]
                axes.text(x + 0.1, y + 0.04, shape, fontsize=10, va="bottom")
        _key(axes, lefts["encoder"], height - 0.1)
    else:
        shares(axes, parameters_by_kind(model), lefts["encoder"], -1.15, width - 0.7)
    return figure


@style.styled
def encoder_layer(layers, x, title="", counts=True, figure=None):
    """Encoder layers side by side, with the shapes of a real x: where the norm stands.

    layers maps a heading to a `blocks.Block`; x (B, T, D) goes through each. Orange is
    the way of the shortcuts: before each sub-layer in pre-norm it meets no norm at all. counts:
    whether the numbers of parameters are written.
    Returns the figure. Raises ShapeError without a layer.
    """
    if not layers:
        raise ShapeError("encoder_layer needs at least one layer to draw")
    columns = []
    for layer in layers.values():
        records = trace(layer, x)
        entrance = Part("x", "ids", "x, from below", "", shape_in_words(records["x"]))
        parts = parts_of(layer, records)
        if not counts:
            parts = [replace(part, n_parameters=None) for part in parts]
        columns.append([entrance, *parts])
    levels = [heights(parts) for parts in columns]
    across = WIDTH + BYPASS + 0.75
    height = max(top for _, top in levels)
    figure, axes = canvas(figure, across * len(columns) + 0.3, height + 0.4, title, below=0.15)
    for index, (heading, parts) in enumerate(zip(layers, columns, strict=True)):
        left = BYPASS + 0.3 + index * across
        places, top = levels[index]
        column(axes, parts, places, left, -1, ())
        x = left + WIDTH / 2
        arrow(axes, [(x, places[parts[-1].name][1]), (x, top + 0.05)])
        words = {"fontsize": 11, "fontweight": "bold", "ha": "center", "va": "bottom"}
        axes.text(left + WIDTH / 2, top + 0.12, heading, **words)
    return figure


NARROW = 3.0  # width of a box without a shape
SOFTMAX = "a probability for each token"
KEY = (
    ("orange", "a shortcut", style.ORANGE),
    ("blue", "the encoder's output, to the decoder", style.BLUE),
    ("mask?", "a mask belongs here: which one?", style.INK),
    ("B", "texts in the batch", style.INK),
    ("S, T", "tokens of source and target", style.INK),
    ("D", "width of a vector", style.INK),
    ("V", "tokens in the vocabulary", style.INK),
)


def _shapes_once(stacks):
    """The shape of each sort of arrow, by stack and by the name of the part that it leaves."""
    found = {}
    for stack, parts in stacks.items():
        ids, top = parts[0], next(part for part in reversed(parts) if part.stage)
        below = parts[parts.index(next(part for part in parts if part.stage)) - 1]
        found[stack] = {ids.name: ids.shape, below.name: top.shape}
        found[stack] |= {part.name: part.shape for part in parts if part.name == "output"}
    return found


def _open_masks(axes, parts, places, left):
    """A chip in each attention that asks for its mask."""
    for part in parts:
        if part.kind in ("attention", "cross"):
            low, high = places[part.name]
            look = {"fontsize": 9.5, "ha": "center", "va": "center", "zorder": 5}
            across, x = 0.62, left + NARROW - 0.7
            rounded(axes, x, (low + high) / 2 - 0.13, across, 0.26, linewidth=1, zorder=4)
            axes.text(x + across / 2, (low + high) / 2 - 0.01, "mask?", **look)


def _key(axes, left, top):
    """What the colours and letters stand for, in the corner above the encoder."""
    for at, (sign, meaning, colour) in enumerate(KEY):
        place = {"y": top - 0.27 * at, "va": "top", "fontsize": 10.5}
        axes.text(left, s=sign, color=colour, fontweight="bold", **place)
        axes.text(left + 0.75, s=meaning, **place)


TABLE = 1.2  # width of a table of distances


def _distances(axes, model, stacks, tops, lefts):
    """A table beside each self-attention: the numbers that it adds to its scores."""
    sides = {"encoder": (model.source_distances, 1), "decoder": (model.target_distances, -1)}
    for stack, (positions, side) in sides.items():
        part = next(part for part in stacks[stack] if part.kind == "attention")
        low, high = tops[stack][0][part.name]
        middle, edge = (low + high) / 2, lefts[stack] + (WIDTH if side > 0 else 0)
        left = edge + 0.36 if side > 0 else edge - 0.36 - TABLE
        n_heads, n_buckets = positions.weight.shape
        counted = parameters_of(positions)
        lines = f"{n_heads} heads × {n_buckets}", f"{counted} parameters"
        table = Part("distances", "embedding", "distances", lines[0], lines[1])
        small_box(axes, table, left, middle - 0.35, TABLE, 0.7)
        rounded(axes, left, middle - 0.35, TABLE, 0.7, **OUTLINE)
        near = left if side > 0 else left + TABLE
        arrow(axes, [(near, middle), (edge, middle)], style.PINK, 1.8, 4)


OUTLINE = {"fill": "none", "edge": style.INK, "linewidth": 2.6, "zorder": 5}


def _outlined(axes, stacks, tops, lefts, top):
    """Outline what chapter 04's Transformer has not: another norm, and scores with distances."""
    for stack, parts in stacks.items():
        for part in parts:
            if part.kind == "norm" or "distances" in part.note:
                low, high = tops[stack][0][part.name]
                rounded(axes, lefts[stack], low, WIDTH, high - low, **OUTLINE)
    rounded(axes, lefts["encoder"], top - 0.16, 0.36, 0.24, **OUTLINE)
    axes.text(lefts["encoder"] + 0.46, top - 0.04, "not so in chapter 04", fontsize=10, va="center")


def _memory(axes, stacks, tops, lefts, between, shape, n_layers, width, scale):
    """The arrow from the top of the encoder into the decoder's cross-attention."""
    x = lefts["encoder"] + width / 2
    last = stacks["encoder"][-1].name
    start = tops["encoder"][0][last][1]
    cross = next(part for part in stacks["decoder"] if part.kind == "cross")
    low, high = tops["decoder"][0][cross.name]
    middle, turn = (low + high) / 2, lefts["encoder"] + width + between * 0.17
    over = start + 0.22
    points = [(x, start), (x, over), (turn, over), (turn, middle), (lefts["decoder"], middle)]
    arrow(axes, points, style.BLUE, 2.4, 2.5)
    axes_words, sizes = shape.split(" = ")
    layers = f"into all {n_layers} layers;\neach makes its own\nkeys and values"
    words = f"encoder's output\n{axes_words}\n{sizes}\n{layers}"
    axes.text(turn + 0.09, middle + 0.1, words, fontsize=9 * scale, va="bottom", linespacing=1.35)

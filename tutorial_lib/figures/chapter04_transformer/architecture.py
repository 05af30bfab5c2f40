"""The Transformer drawn from a real model, with the shapes of one forward pass."""

from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter04_transformer.parts import Part, parts_of, shape_in_words
from tutorial_lib.interpret import trace

WIDTH, HEIGHT, RADIUS = 3.6, 0.43, 0.13  # of a box and of a plus, in inches
GAP = 0.22  # from part to part
BYPASS = 0.34  # how far outside of the boxes a shortcut runs

_LOOKS = {  # kind -> fill, edge
    "ids": (style.CARD, style.MUTED),
    "embedding": ("#f2dceb", style.PINK),
    "norm": ("#f6e7c3", style.AMBER),
    "attention": ("#cfe5f3", style.BLUE),
    "cross": ("#9cc9e4", style.BLUE),
    "feed forward": ("#cdeadf", style.GREEN),
    "output": (style.CARD, style.INK),
}


@style.styled
def architecture(model, source, target, title="", source_words="", target_words="", figure=None):
    """An encoder-decoder with the shapes of one real forward pass, read from bottom to top.

    model: a `models.Transformer`; source (1, S) and target (1, T) ids; the words are written
    below them. The first layer of each stack is drawn, with its norms where the model has them;
    orange lines are shortcuts. Returns the figure. Raises what the model raises.
    """
    records = trace(model, source, target)
    stacks = {stack: parts_of(model, records, stack) for stack in ("encoder", "decoder")}
    logits = shape_in_words(records["output"])
    stacks["decoder"].append(Part("output", "output", "logits", "· embeddingᵀ", logits))
    tops = {stack: _heights(parts) for stack, parts in stacks.items()}
    height = max(heights[1] for heights in tops.values())
    between = 2.0
    lefts = {"encoder": BYPASS + 0.2, "decoder": BYPASS + 0.2 + WIDTH + between}
    width = lefts["decoder"] + WIDTH + BYPASS + 0.55
    figure, axes = _canvas(figure, width, height + 0.35, title)
    counts = {stack: len(getattr(model, f"{stack}_blocks")) for stack in stacks}
    for (stack, parts), words in zip(stacks.items(), (source_words, target_words), strict=True):
        side = -1 if stack == "encoder" else 1
        _column(axes, parts, tops[stack][0], lefts[stack], side, f"× {counts[stack]}")
        heading = {"encoder": "Encoder: reads the source", "decoder": "Decoder: writes the target"}
        middle = {"x": lefts[stack] + WIDTH / 2, "ha": "center"}
        axes.text(y=-0.2, s=words or " ", va="top", color=style.MUTED, fontsize=9.5, **middle)
        top = tops[stack][1] + 0.12
        axes.text(y=top, s=heading[stack], fontsize=11, fontweight="bold", va="bottom", **middle)
    keys = records["decoder layer 0 cross keys"]
    _memory(axes, stacks, tops, lefts, between, shape_in_words(keys), counts["decoder"])
    return figure


@style.styled
def encoder_layer(layers, x, title="", figure=None):
    """Encoder layers side by side, with the shapes of a real x: where the norm stands.

    layers maps a heading to a `blocks.Block`; x (B, T, D) goes through each. Orange is
    the way of the shortcuts: before each sub-layer in pre-norm it meets no norm at all.
    Returns the figure. Raises ShapeError without a layer.
    """
    if not layers:
        raise ShapeError("encoder_layer needs at least one layer to draw")
    columns = []
    for layer in layers.values():
        records = trace(layer, x)
        entrance = Part("x", "ids", "x, from below", "", shape_in_words(records["x"]))
        columns.append([entrance, *parts_of(layer, records)])
    heights = [_heights(parts) for parts in columns]
    across = WIDTH + BYPASS + 0.75
    height = max(top for _, top in heights)
    figure, axes = _canvas(figure, across * len(columns) + 0.3, height + 0.4, title, below=0.15)
    for index, (heading, parts) in enumerate(zip(layers, columns, strict=True)):
        left = BYPASS + 0.3 + index * across
        places, top = heights[index]
        _column(axes, parts, places, left, -1, "")
        _arrow(axes, left + WIDTH / 2, places[parts[-1].name][1], top + 0.05)
        words = {"fontsize": 11, "fontweight": "bold", "ha": "center", "va": "bottom"}
        axes.text(left + WIDTH / 2, top + 0.12, heading, **words)
    return figure


def _canvas(figure, width, height, title, below=0.45):
    figure = style.blank(figure, width + 0.25, height + below + 0.65)
    axes = figure.subplots()
    axes.set(xlim=(0, width), ylim=(-below, height), title=title)
    axes.set_aspect("equal")
    axes.axis("off")
    return figure, axes


def _heights(parts):
    """The bottom and top of each part by name, and where the column ends."""
    places, y, stage = {}, 0.0, ""
    for part in parts:
        if part.stage != stage:  # room for the frame of the layer
            y += 0.22
            stage = part.stage
        size = 2 * RADIUS if part.kind == "plus" else HEIGHT
        places[part.name] = (y, y + size)
        y += size + GAP
    return places, y


def _column(axes, parts, places, left, side, times):
    """Draw the parts of one stack; shortcuts run on the left (side -1) or the right (1)."""
    x = left + WIDTH / 2
    for below, part in zip([None, *parts], parts, strict=False):
        bottom, top = places[part.name]
        if below:
            _arrow(axes, x, places[below.name][1], bottom)
        if part.kind == "plus":
            axes.add_patch(
                Circle(
                    (x, (bottom + top) / 2),
                    RADIUS,
                    facecolor=style.CARD,
                    edgecolor=style.ORANGE,
                    linewidth=1.8,
                    zorder=3,
                )
            )
            axes.text(
                x, (bottom + top) / 2, "+", ha="center", va="center_baseline", fontsize=13, zorder=4
            )
            shape = {"va": "center", "ha": "left" if side < 0 else "right", "fontsize": 9}
            axes.text(x - side * (RADIUS + 0.1), (bottom + top) / 2, part.shape, **shape)
            after = next(p for p in parts if places[p.name][0] > places[part.start][1])
            _shortcut(axes, x, left, side, places[after.name][0], (bottom + top) / 2)
        else:
            _box(axes, part, left, bottom)
    inside = [places[part.name] for part in parts if part.stage]
    if inside and times:
        _frame(axes, left, side, inside[0][0], inside[-1][1], times)


def _box(axes, part, left, bottom):
    fill, edge = _LOOKS[part.kind]
    axes.add_patch(
        FancyBboxPatch(
            (left, bottom),
            WIDTH,
            HEIGHT,
            boxstyle="round,pad=0,rounding_size=0.08",
            facecolor=fill,
            edgecolor=edge,
            linewidth=1.5,
            zorder=3,
        )
    )
    y = bottom + HEIGHT / 2
    middle = {"va": "center", "zorder": 4}
    if part.note:
        axes.text(left + 0.13, y + 0.09, part.title, fontsize=10, **middle)
        axes.text(left + 0.13, y - 0.1, part.note, fontsize=8.5, color=style.MUTED, **middle)
    else:
        axes.text(left + 0.13, y, part.title, fontsize=10, **middle)
    axes.text(left + WIDTH - 0.13, y, part.shape, fontsize=9.5, ha="right", **middle)


def _arrow(axes, x, bottom, top):
    look = {"arrowstyle": "-|>", "mutation_scale": 9, "shrinkA": 0, "shrinkB": 0}
    axes.add_patch(
        FancyArrowPatch((x, bottom), (x, top), color=style.MUTED, linewidth=1.2, zorder=2, **look)
    )


def _shortcut(axes, x, left, side, start, end):
    """The line round a sub-layer: out of the trunk below `start`, back into the plus at `end`."""
    start -= GAP * 0.6
    edge = (left if side < 0 else left + WIDTH) + side * BYPASS * 0.62
    look = {"color": style.ORANGE, "linewidth": 1.8, "zorder": 2.5}
    axes.plot([x, edge, edge], [start, start, end], solid_joinstyle="round", **look)
    arrow = {"arrowstyle": "-|>", "mutation_scale": 9, "shrinkA": 0, "shrinkB": 0}
    axes.add_patch(FancyArrowPatch((edge, end), (x + side * RADIUS, end), **arrow, **look))


def _frame(axes, left, side, bottom, top, times):
    low, high = bottom - 0.2, top + 0.13
    x0 = left - (BYPASS if side < 0 else 0.14)
    axes.add_patch(
        FancyBboxPatch(
            (x0, low),
            WIDTH + BYPASS + 0.14,
            high - low,
            boxstyle="round,pad=0,rounding_size=0.12",
            facecolor="none",
            edgecolor=style.MUTED,
            linewidth=1.3,
            linestyle=(0, (5, 3)),
            zorder=1,
        )
    )
    x = x0 + 0.02 if side < 0 else x0 + WIDTH + BYPASS + 0.12
    axes.text(x, high + 0.07, times, ha="left" if side < 0 else "right", fontsize=12, va="bottom")


def _memory(axes, stacks, tops, lefts, between, shape, n_layers):
    """The arrow from the top of the encoder into the decoder's cross-attention."""
    x = lefts["encoder"] + WIDTH / 2
    last = stacks["encoder"][-1].name
    start = tops["encoder"][0][last][1]
    cross = next(part for part in stacks["decoder"] if part.kind == "cross")
    low, high = tops["decoder"][0][cross.name]
    middle, turn = (low + high) / 2, lefts["encoder"] + WIDTH + between * 0.17
    over = start + 0.22
    look = {"color": style.BLUE, "linewidth": 2.4, "zorder": 2.5}
    axes.plot([x, x, turn, turn], [start, over, over, middle], solid_joinstyle="round", **look)
    arrow = {"arrowstyle": "-|>", "mutation_scale": 13, "shrinkA": 0, "shrinkB": 0}
    axes.add_patch(FancyArrowPatch((turn, middle), (lefts["decoder"], middle), **arrow, **look))
    where = f"into each layer (× {n_layers})"
    words = f"keys, values\n{shape}\n{where}"
    axes.text(turn + 0.09, middle + 0.1, words, fontsize=9, va="bottom", linespacing=1.35)

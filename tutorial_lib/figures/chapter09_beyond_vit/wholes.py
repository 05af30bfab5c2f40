"""The two machines of chapter 09, drawn from real models: maps that shrink, and a few that ask."""

from itertools import pairwise

import numpy as np
import torch
from matplotlib.patches import FancyArrowPatch, Rectangle

from tutorial_lib.figures import style
from tutorial_lib.models import count_parameters


@style.styled
def swin_stages(model, title=None, figure=None):
    """The map of every stage of a Swin, smaller and smaller, with its windows; below, two layers.

    The picture's own pixels are those of the model's image_size.
    """
    stages = _stages(model)
    figure = style.blank(figure, 9.2, 4.3)
    axes, below = figure.subplots(2, 1, height_ratios=(2.3, 1.5))
    pixels, channels = model.config.image_size, model.config.channels
    axes.add_patch(Rectangle((0, 0), 1, 1, facecolor=style.PALE_AMBER, zorder=1))
    said = f"{pixels} x {pixels} x {channels}\npixels, in patches of {model.config.patch_size}"
    axes.text(0.5, -0.06, said, ha="center", va="top", fontsize=9.5)
    left, places = 1.62, [(0, 1, 0.5)]  # where each map begins and ends, and its middle
    for stage in stages:
        height = 0.12 + 0.88 * stage["side"] / stages[0]["side"]
        room = max(height, 0.9)
        left += (room - height) / 2
        axes.add_patch(Rectangle((left, 0), height, height, facecolor=style.PALE_BLUE, zorder=1))
        lines = np.arange(stage["window"], stage["side"] + 1e-6, stage["window"]) / stage["side"]
        for line in [0.0, *lines]:
            for xs, ys in ((line, (0, 1)), ((0, 1), line)):
                xs, ys = (np.broadcast_to(np.array(v, dtype=float), 2) * height for v in (xs, ys))
                axes.plot(left + xs, ys, color=style.BLUE, linewidth=1.2, zorder=2)
        side, width, n_heads = stage["side"], stage["width"], stage["n_heads"]
        said = f"{side} x {side} x {width}\n{stage['n_layers']} layers, {n_heads} heads\n"
        said += f"{stage['parameters']:,} parameters"
        axes.text(left + height / 2, -0.06, said, ha="center", va="top", fontsize=9.5)
        places.append((left, left + height, height / 2))
        left += (room + height) / 2 + 0.55
    for n, ((_, right, _), (start, _, middle)) in enumerate(pairwise(places)):
        _arrow(axes, (right + 0.04, middle), (start - 0.04, middle))
        said = "patch\nmerging" if n else "patch\nembedding"
        axes.text((right + start) / 2, middle + 0.05, said, ha="center", va="bottom", fontsize=8.5)
    axes.set(xlim=(-0.15, left - 0.3), ylim=(-0.5, 1.02), aspect="equal")
    axes.axis("off")
    _two_layers(below)
    style.headline(
        figure, title or f"A Swin of {count_parameters(model):,} parameters, stage by stage"
    )
    return figure


def _arrow(axes, start, end, **how):
    how = {"arrowstyle": "-|>", "mutation_scale": 12, "color": style.INK} | how
    axes.add_patch(FancyArrowPatch(start, end, shrinkA=0, shrinkB=0, **how))


def _two_layers(axes):
    """The two layers that follow each other in every stage; above the parts runs the stream."""
    parts = ("window\nattention", "MLP", "shifted-window\nattention", "MLP")
    colours = (style.PALE_BLUE, style.PALE_GREY, style.PALE_SKY, style.PALE_GREY)
    left, wide = 0.35, {"norm": 0.72, "MLP": 0.72}
    axes.text(0, 0.5, "x", ha="right", va="center", fontsize=11, style="italic")
    begin = 0.1
    for part, colour in zip(parts, colours, strict=True):
        start = left
        for name, fill in (("norm", style.PALE_AMBER), (part, colour)):
            width = wide.get(name, 1.5)
            _arrow(axes, (begin, 0.5), (left, 0.5))
            axes.add_patch(Rectangle((left, 0.22), width, 0.56, facecolor=fill, zorder=2))
            axes.text(left + width / 2, 0.5, name, ha="center", va="center", fontsize=9.5, zorder=3)
            begin, left = left + width, left + width + 0.25
        _arrow(axes, (begin, 0.5), (left, 0.5))
        axes.text(left + 0.1, 0.5, "+", ha="center", va="center", fontsize=12, fontweight="bold")
        across = ([start - 0.14] * 2 + [left + 0.1], [0.5, 1.02, 1.02])
        axes.plot(*across, color=style.MUTED, linewidth=1.2, zorder=1)
        _arrow(axes, (left + 0.1, 1.02), (left + 0.1, 0.62), color=style.MUTED)
        begin, left = left + 0.2, left + 0.5
    _arrow(axes, (begin, 0.5), (left, 0.5))
    axes.set(xlim=(-0.2, left + 0.1), ylim=(0.1, 1.1))
    axes.set_title("two layers of each stage", loc="left", fontsize=10, fontweight="normal", pad=2)
    axes.axis("off")


def describe_swin_stages(model):
    """Say in words what `swin_stages` shows."""
    each = "; ".join(
        f"{stage['side']} x {stage['side']} positions, {stage['width']} wide, "
        f"{stage['n_layers']} layers with windows of {stage['window']}"
        for stage in _stages(model)
    )
    return (
        f"A picture becomes patches, and then maps, each half as high and wide as the one before, "
        f"with patch merging between them: {each}. Below, two layers: norm, window attention, "
        "norm, MLP; then the same with shifted windows. Each part is added to what it read."
    )


def _stages(model):
    config = model.config
    with torch.no_grad():
        side = config.image_size
        maps = model.features(torch.zeros(1, config.channels, side, side))
    return [
        {
            "side": found.size(2),
            "width": found.size(1),
            "window": config.windows[n],
            "n_layers": config.depths[n],
            "n_heads": config.n_heads[n],
            "parameters": count_parameters(model.stages[n]),
        }
        for n, found in enumerate(maps)
    ]


@style.styled
def perceiver_parts(model, n_inputs, n_queries, title=None, figure=None):
    """A Perceiver's three parts, from left to right: reading, thinking, answering.

    A dot is a vector.
    """
    config = model.config
    figure = style.blank(figure, 9.2, 2.9)
    axes = figure.subplots()
    columns = [
        (0.9, n_inputs, f"{n_inputs:,} inputs\n{config.d_input} wide", style.AMBER),
        (3.9, config.n_latents, f"{config.n_latents} latents\n{config.d_latent} wide", style.BLUE),
        (6.7, config.n_latents, f"{config.n_latents} latents\nagain", style.BLUE),
        (9.9, n_queries, f"{n_queries:,} queries\n{config.d_query} wide", style.GREEN),
    ]
    step = 1.9 / max(_square(many)[0] for _, many, _, _ in columns)
    edges = []  # left and right of each
    for x, many, said, colour in columns:
        side, down = _square(many)
        at = np.arange(many)
        dots = (at % side - (side - 1) / 2) * step, ((down - 1) / 2 - at // side) * step
        axes.scatter(x + dots[0], dots[1], s=(48 * step) ** 2 * 0.4, color=colour, linewidths=0)
        above = many == config.n_latents  # below them there is no room
        edge = (down * step / 2 + 0.08) * (1 if above else -1)
        axes.text(x, edge, said, ha="center", va="bottom" if above else "top", fontsize=9.5)
        edges.append((x - side * step / 2 - 0.12, x + side * step / 2 + 0.12))
    turns = f"{config.n_layers} layers, {config.n_rounds} times"
    (_, read), (first, think), (again, answer), (ask, _) = edges
    arrows = [
        (read, first, "read", f"{n_inputs * config.n_latents:,} scores a head", model.read),
        (think, again, turns, f"{config.n_latents**2:,} scores a head and layer", model.blocks),
        (ask, answer, "ask", f"{n_queries * config.n_latents:,} scores a head", model.ask),
    ]
    for start, end, what, scores, part in arrows:
        _arrow(axes, (start, 0), (end, 0), mutation_scale=14)
        middle = (start + end) / 2
        axes.text(middle, 0.12, what, ha="center", va="bottom", fontsize=10.5, fontweight="bold")
        said = f"{scores}\n{count_parameters(part):,} parameters"
        axes.text(middle, -0.14, said, ha="center", va="top", fontsize=8.8, color=style.MUTED)
    axes.set(xlim=(-0.2, 11.1), ylim=(-1.65, 1.05), aspect="equal")
    axes.axis("off")
    style.headline(figure, title or "Many are read, few think, any number is answered")
    return figure


def describe_perceiver_parts(model, n_inputs, n_queries):
    """Say in words what `perceiver_parts` shows."""
    c = model.config
    return (
        f"{n_inputs:,} inputs are read by {c.n_latents} latents, {c.d_latent} wide, which go "
        f"{c.n_rounds} times through {c.n_layers} layers and then answer {n_queries:,} queries. "
        f"Scores a head: {n_inputs * c.n_latents:,} for the reading, {c.n_latents**2:,} in each "
        f"layer, {n_queries * c.n_latents:,} for the answers."
    )


def _square(many):
    """How many dots go across and down, as near to a square as it gets."""
    across = int(np.ceil(np.sqrt(many)))
    return across, -(-many // across)

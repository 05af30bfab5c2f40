"""The two machines of chapter 09, drawn from real models: maps that shrink, and a few that ask."""

from itertools import pairwise

import numpy as np
import torch
from matplotlib.patches import FancyArrowPatch, Rectangle

from tutorial_lib.figures import style
from tutorial_lib.models import count_parameters


@style.styled
def swin_stages(model, title=None, figure=None):
    """The map of every stage of a Swin, as large as it is, with its windows.

    The picture's own pixels are those of the model's image_size.
    """
    stages = _stages(model)
    figure = style.blank(figure, 8.6, 3.5)
    axes = figure.subplots()
    left, places = 0.0, []  # where each map begins and ends, and its middle
    for stage in stages:
        height = 0.12 + 0.88 * stage["side"] / stages[0]["side"]
        axes.add_patch(Rectangle((left, 0), height, height, facecolor=style.PALE_BLUE, zorder=1))
        lines = np.arange(stage["window"], stage["side"] + 1e-6, stage["window"]) / stage["side"]
        for line in [0.0, *lines]:
            for xs, ys in ((line, (0, 1)), ((0, 1), line)):
                xs, ys = (np.broadcast_to(np.array(v, dtype=float), 2) * height for v in (xs, ys))
                axes.plot(left + xs, ys, color=style.BLUE, linewidth=1.2, zorder=2)
        side, width, n_heads = stage["side"], stage["width"], stage["n_heads"]
        said = f"{side} x {side} x {width}\n{stage['n_layers']} layers, {n_heads} heads\n"
        said += f"{stage['parameters']:,} numbers"
        axes.text(left + height / 2, -0.06, said, ha="center", va="top", fontsize=9.5)
        places.append((left, left + height, height / 2))
        left += max(height, 0.72) + 0.28
    for (_, right, middle), (start, _, _) in pairwise(places):
        axes.add_patch(
            FancyArrowPatch((right + 0.02, middle), (start - 0.02, middle), arrowstyle="-|>",
                            mutation_scale=13, color=style.INK)
        )  # fmt: skip
    axes.set(xlim=(-0.2, left - 0.05), ylim=(-0.42, 1.05), aspect="equal")
    axes.axis("off")
    style.headline(
        figure, title or f"A Swin of {count_parameters(model):,} numbers, stage by stage"
    )
    return figure


def describe_swin_stages(model):
    """Say in words what `swin_stages` shows."""
    each = "; ".join(
        f"{stage['side']} x {stage['side']} positions, {stage['width']} wide, "
        f"{stage['n_layers']} layers with windows of {stage['window']}"
        for stage in _stages(model)
    )
    return f"The maps of a Swin, each half as high and wide as the one before: {each}."


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

    Bars are as high as the logarithm of how many vectors there are.
    """
    config = model.config
    figure = style.blank(figure, 8.6, 2.7)
    axes = figure.subplots()
    columns = [
        (0.0, n_inputs, f"{n_inputs:,} inputs\n{config.d_input} wide", style.PALE_AMBER),
        (2.6, config.n_latents, f"{config.n_latents} latents\n{config.d_latent} wide",
         style.PALE_BLUE),
        (5.6, config.n_latents, f"{config.n_latents} latents\nagain", style.PALE_BLUE),
        (8.2, n_queries, f"{n_queries:,} queries\n{config.d_query} wide", style.PALE_GREEN),
    ]  # fmt: skip
    for x, many, said, colour in columns:
        height = _height(many)
        axes.add_patch(Rectangle((x, -height / 2), 0.55, height, facecolor=colour))
        axes.text(x + 0.27, -height / 2 - 0.12, said, ha="center", va="top", fontsize=9.5)
    turns = f"{config.n_layers} layers, {config.n_rounds} times"
    arrows = [
        (0.65, 2.5, "read", f"{n_inputs * config.n_latents:,} scores a head", model.read),
        (3.25, 5.5, turns, f"{config.n_latents**2:,} scores a head and layer", model.blocks),
        (8.1, 6.25, "ask", f"{n_queries * config.n_latents:,} scores a head", model.ask),
    ]
    for start, end, what, scores, part in arrows:
        axes.add_patch(
            FancyArrowPatch((start, 0), (end, 0), arrowstyle="-|>", mutation_scale=14,
                            color=style.INK)
        )  # fmt: skip
        middle = (start + end) / 2
        axes.text(middle, 0.12, what, ha="center", va="bottom", fontsize=10.5, fontweight="bold")
        said = f"{scores}\n{count_parameters(part):,} numbers"
        axes.text(middle, -0.14, said, ha="center", va="top", fontsize=8.8, color=style.MUTED)
    axes.set(xlim=(-0.6, 9.4), ylim=(-2.1, 1.45))
    axes.axis("off")
    style.headline(figure, title or "A Perceiver: many are read, few think, as many are answered")
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


def _height(many):
    return 0.42 * np.log10(many) + 0.2

"""A picture as a sequence: its patches apart or overlapping, and their cost."""

from typing import NamedTuple

import numpy as np
import torch
from matplotlib.ticker import FuncFormatter, NullLocator

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.style import (
    BLUE,
    MUTED,
    ORANGE,
    blank,
    headline,
    styled,
)
from tutorial_lib.models.patches import cut_patches, join_patches

_UNNAMED = (8, 14, 32)  # their numbers would touch those beside them
_GAP = 0.012  # between patches, as a share of the side


class PatchCost(NamedTuple):
    """What cutting a picture into patches gives: N tokens, numbers in each, weights a head."""

    tokens: int
    numbers: int
    weights: int


def patch_cost(side, patch_size, channels=3):
    """Return the PatchCost of a square picture of `side` pixels, without a [CLS].

    Every token looks at every token, so a head has N x N weights.
    Raises ShapeError when the patches do not fill the picture.

    >>> patch_cost(224, 16)
    PatchCost(tokens=196, numbers=768, weights=38416)
    """
    if patch_size < 1 or side % patch_size:
        raise ShapeError(f"patches of {patch_size} do not fill a side of {side} pixels")
    tokens = (side // patch_size) ** 2
    return PatchCost(tokens, channels * patch_size**2, tokens**2)


def patch_sizes(side):
    """Return the sizes of patches that fill a side, from 4 pixels to the whole picture.

    >>> patch_sizes(28)
    (4, 7, 14, 28)
    """
    return tuple(size for size in range(4, side + 1) if side % size == 0)


@styled
def patch_sequence(image, patch_size, order=None, title=None, figure=None):
    """Draw a picture cut into patches, beside what each size of patch costs.

    image (C, side, side) from 0 to 1, 1 or 3 channels; order (N,): which patch is drawn at
    each position, row by row, its own by default.
    Raises ShapeError when the patches do not fill the picture or the order has another length.
    """
    cost = _checked(image, patch_size, order)
    side = image.size(-1)
    figure = blank(figure, 9.5, 4.1)
    figure.set_layout_engine("none")
    headline(figure, title or _finding(patch_size, cost))
    picture, costs = figure.subplots(
        1,
        2,
        width_ratios=[1, 1.15],
        gridspec_kw={"left": 0.02, "right": 0.97, "bottom": 0.14, "top": 0.88, "wspace": 0.22},
    )
    picture.imshow(_apart(image, patch_size, order), interpolation="nearest")
    picture.set_axis_off()
    sizes = patch_sizes(side)
    all_costs = [patch_cost(side, size, len(image)) for size in sizes]
    for values, colour, name in (
        ([c.weights for c in all_costs], ORANGE, "weights of one head, N x N"),
        ([c.tokens for c in all_costs], BLUE, "tokens, N"),
    ):
        costs.plot(sizes, values, "o-", color=colour, markersize=4)
        now = values[sizes.index(patch_size)] if patch_size in sizes else None
        if now is not None:
            costs.plot([patch_size], [now], "o", color=colour, markersize=11)
        end = {"xytext": (9, 1), "textcoords": "offset points", "color": colour}
        costs.annotate(name, (sizes[0], values[0]), **end)
    costs.set_xscale("log")
    costs.set_yscale("log")
    near = [size for size in sizes if size != patch_size and 0.75 < size / patch_size < 1.34]
    costs.set_xticks([size for size in sizes if size not in {*_UNNAMED, *near} - {patch_size}])
    costs.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    costs.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    costs.xaxis.set_minor_locator(NullLocator())
    costs.set_xlabel("side of a patch in pixels")
    dashes = {"color": MUTED, "linestyle": (0, (4, 3)), "linewidth": 1, "zorder": 0}
    costs.plot([patch_size] * 2, [1, cost.weights], **dashes)
    return figure


def describe_patch_sequence(image, patch_size, order=None):
    """Say in words what `patch_sequence` shows."""
    cost = _checked(image, patch_size, order)
    a_side = image.size(-1) // patch_size
    moved = "" if order is None else ", in another order"
    return (
        f"A picture of {image.size(-1)} x {image.size(-1)} pixels cut into {a_side} x {a_side} "
        f"patches of {patch_size}{moved}: {_tokens(cost)}. A head compares all with all, "
        f"{cost.weights:,} weights."
    )


def _finding(patch_size, cost):
    return f"Patches of {patch_size}: {_tokens(cost)}"


def _tokens(cost):
    return f"{cost.tokens:,} {'token' if cost.tokens == 1 else 'tokens'}"


def _checked(image, patch_size, order):
    if image.dim() != 3 or image.size(1) != image.size(2) or len(image) not in (1, 3):
        raise ShapeError(
            f"the picture must be (1 or 3, side, side), got shape {tuple(image.shape)}"
        )
    cost = patch_cost(image.size(-1), patch_size, len(image))
    if order is not None and len(order) != cost.tokens:
        raise ShapeError(f"{cost.tokens} patches need an order as long, got {len(order)}")
    return cost


def _apart(image, patch_size, order):
    """The picture as an array for imshow, with nothing between the patches."""
    a_side = image.size(-1) // patch_size
    if order is not None:
        patches = cut_patches(image[None], patch_size)[:, torch.as_tensor(order)]
        image = join_patches(patches, len(image), a_side, a_side)[0]
    pixels = image.expand(3, -1, -1).permute(1, 2, 0).numpy()
    gap = max(1, round(_GAP * len(pixels))) if a_side <= 16 else 1
    size = a_side * patch_size + (a_side - 1) * gap
    canvas = np.zeros((size, size, 4), dtype=np.float32)  # transparent
    pixel = np.arange(image.size(-1))
    pixel = pixel + pixel // patch_size * gap
    canvas[np.ix_(pixel, pixel)] = np.dstack([pixels, np.ones_like(pixels[..., 0])])
    return canvas

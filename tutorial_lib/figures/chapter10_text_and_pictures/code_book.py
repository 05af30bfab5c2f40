"""A VQ-VAE as a machine: picture, vectors, the nearest code of each, and the picture painted."""

import numpy as np
import torch
import torch.nn.functional as F
from matplotlib.patches import Circle, FancyArrowPatch, Rectangle
from matplotlib.patheffects import withStroke

from tutorial_lib.figures import style
from tutorial_lib.figures.chapter10_text_and_pictures.codes import colour_of
from tutorial_lib.figures.chapter10_text_and_pictures.pictures import as_images, finish, page, place
from tutorial_lib.figures.diagrams import LOOKS, arrow, rounded

SIDE, TALL = 1.6, 1.0  # of a picture, and of a network's box, in inches
BOOK = 2.5  # side of the code book
TOP = 0.52  # of the pictures, from the top
WIDTH, HEIGHT = 12.3, 3.65
RED = style.ORANGE


@style.styled
def vq_machine(model, image, cell=(3, 3), title=None, figure=None):
    """Draw how a trained VQAutoencoder reads a picture (C, height, width) and paints it again.

    The code book is its real vectors around the encoder's vector z of one cell (row, column), each
    as far from it as it really is; z and its nearest code are marked. Returns the figure. Raises
    what the model raises.

    >>> from tutorial_lib.models.vq import VQConfig
    >>> sizes = {"image_size": 8, "halvings": 1, "d_hidden": 4, "n_codes": 5, "width": 3}
    >>> vq_machine(VQConfig(**sizes).build(), torch.rand(3, 8, 8)).get_suptitle()
    'Each vector is replaced by the nearest code; the gradient passes as if it had not been'
    """
    with torch.no_grad():
        vectors = model.cells(image[None])  # (1, side, side, D)
        codes = model.encode(image[None])
        painted = model.decode(codes)[0]
    before, after = as_images(torch.stack([image, painted]))
    said = "Each vector is replaced by the nearest code; the gradient passes as if it had not been"
    figure, axes = page(figure, WIDTH, HEIGHT, title or said)
    middle = TOP + SIDE / 2
    lefts = {"picture": 0.05, "encoder": 1.95, "cells": 3.3, "book": 5.2}
    lefts |= {"codes": 8.0, "decoder": 9.45, "painted": 10.65}
    for name, shown in (("picture", before), ("painted", after)):
        place(axes, shown, lefts[name], TOP, SIDE, SIDE)
    pixels, side = before.shape[0], codes.size(1)
    for name in ("encoder", "decoder"):
        rounded(axes, lefts[name], middle - TALL / 2, 0.95, TALL, *LOOKS["feed forward"])
        axes.text(lefts[name] + 0.475, middle, name, ha="center", va="center", zorder=5)
    small = 1.2
    _grid(axes, lefts["cells"], middle - small / 2, small, side, cell)
    _grid(axes, lefts["codes"], middle - small / 2, small, side, cell, codes[0].tolist())
    _book(axes, lefts["book"], middle - BOOK / 2, model.book.vectors, vectors[0][cell])
    below = {"ha": "center", "va": "top", "fontsize": 10}
    width = vectors.size(-1)
    for name, wide, words in (
        ("picture", SIDE, f"{pixels} × {pixels} pixels"),
        ("cells", small, f"{side} × {side} vectors z\nof {width} numbers"),
        ("book", BOOK, f"code book: {len(model.book.vectors)} vectors"),
        ("codes", small, f"{side} × {side} codes,\nwhole numbers"),
        ("painted", SIDE, "painted"),
    ):
        low = middle + {SIDE: SIDE, small: small, BOOK: BOOK}[wide] / 2 + 0.1
        axes.text(lefts[name] + wide / 2, low, words, **below)
    edges = (
        (lefts["picture"] + SIDE, lefts["encoder"]),
        (lefts["encoder"] + 0.95, lefts["cells"]),
        (lefts["cells"] + small, lefts["book"]),
        (lefts["book"] + BOOK, lefts["codes"]),
        (lefts["codes"] + small, lefts["decoder"]),
        (lefts["decoder"] + 0.95, lefts["painted"]),
    )
    for left, right in edges:
        arrow(axes, [(left + 0.06, middle), (right - 0.06, middle)], style.INK, 1.6)
    _way_back(axes, lefts, small, middle)
    finish(axes, WIDTH, HEIGHT)
    return figure


def describe_vq_machine(model, cell=(3, 3)):
    """Say in words what `vq_machine` shows."""
    config = model.config
    return (
        f"A VQ-VAE from left to right: a picture of {config.image_size} × {config.image_size} "
        f"pixels, the encoder, {config.side} × {config.side} vectors, the code book of "
        f"{config.n_codes} vectors, {config.side} × {config.side} codes, the decoder, the painted "
        f"picture. In the code book the vector of row {cell[0]}, column {cell[1]} is replaced by "
        "the nearest code; each code is drawn as far from that vector as it is. Below, the "
        "gradient runs from the painted picture back through the decoder, straight past the code "
        "book, into the encoder."
    )


def _grid(axes, left, top, size, n_cells, cell, codes=None):
    """A grid of cells, coloured by their codes, one cell framed."""
    step = size / n_cells
    for row, column in np.ndindex(n_cells, n_cells):
        fill = style.PALE_BLUE if codes is None else colour_of(codes[row][column])
        look = {"facecolor": fill, "edgecolor": style.CARD, "linewidth": 0.6, "zorder": 3}
        axes.add_patch(Rectangle((left + column * step, top + row * step), step, step, **look))
    corner = (left + cell[1] * step, top + cell[0] * step)
    look = {"facecolor": style.BLUE if codes is None else "none", "zorder": 4}
    edge = style.BLUE if codes is None else RED
    axes.add_patch(Rectangle(corner, step, step, edgecolor=edge, linewidth=2, **look))


def _book(axes, left, top, codes, vector):
    """The codes as dots around z, each as far from it as the code is; the nearest is marked.

    Into which direction a dot lies tells the plane in which the codes differ most.
    """
    codes, vector = codes.detach().double().cpu(), vector.detach().double().cpu()
    _, _, turned = torch.linalg.svd(codes - codes.mean(0), full_matrices=False)
    from_z = codes - vector
    far = from_z.norm(dim=1, keepdim=True)
    flat = F.normalize(from_z @ turned[:2].T, dim=1) * far
    dots, z = torch.cat([flat, torch.zeros(1, flat.size(1)).double()]), len(flat)
    nearest = int(far.argmin())
    low, high = dots.min(0).values, dots.max(0).values
    margin = 0.15
    scale = (BOOK - 2 * margin) / (high - low).max().clamp(min=1e-9)
    middle = (low + high) / 2

    def spot(number):
        x, y = (BOOK / 2 + scale * (dots[number] - middle)).tolist()
        return left + x, top + y

    rounded(axes, left, top, BOOK, BOOK, style.CARD, style.MUTED)
    for dot in range(len(codes)):
        axes.add_patch(Circle(spot(dot), 0.04, facecolor=style.MUTED, alpha=0.25, lw=0, zorder=4))
    chosen, own = spot(nearest), spot(z)
    axes.add_patch(Circle(chosen, 0.08, facecolor=RED, edgecolor="white", zorder=6))
    axes.add_patch(Circle(own, 0.08, facecolor=style.BLUE, edgecolor="white", zorder=7))
    arrow(axes, [own, chosen], style.INK, 1.6, zorder=6)
    halo = [withStroke(linewidth=4, foreground=style.CARD)]
    words = {"fontsize": 14, "fontweight": "bold", "zorder": 8, "va": "center"}
    words["path_effects"] = halo
    away = 0.2 if own[0] >= chosen[0] else -0.2
    axes.text(own[0] + away, own[1], "z", ha="center", color=style.BLUE, **words)
    axes.text(chosen[0] - away, chosen[1], "e", ha="center", color=RED, **words)


def _way_back(axes, lefts, small, middle):
    """The gradient's way, below: back through the decoder, past the book, into the encoder."""
    low = middle + BOOK / 2 + 0.55
    start, end = lefts["painted"] + SIDE / 2, lefts["encoder"] + 0.475
    steps = [
        (start, low),
        (lefts["codes"] + small / 2, low),
        (lefts["cells"] + small / 2, low),
        (end, low),
    ]
    look = {"arrowstyle": "-|>", "mutation_scale": 16, "linewidth": 2, "color": RED}
    for (x, y), (other, _), dashed in zip(steps, steps[1:], (False, True, False), strict=False):
        way = FancyArrowPatch(
            (x, y), (other, y), linestyle="--" if dashed else "-", shrinkA=0, shrinkB=0, **look
        )
        axes.add_patch(way)
    words = {"ha": "center", "va": "top", "color": RED, "fontsize": 10.5}
    axes.text(lefts["book"] + BOOK / 2, low + 0.1, "straight through: as if e were z", **words)
    axes.text((start + lefts["codes"]) / 2 + 0.3, low + 0.1, "the gradient", **words)

"""Digits drawn by hand, made to look like those of MNIST.

A drawing is a list of strokes, a stroke a list of points (x, y) from 0 to 1, y downwards.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

import torch

from tutorial_lib.errors import ShapeError

SIDE, BOX = 28, 20


def draw_strokes(
    strokes: Sequence[Sequence[tuple[float, float]]], pen: float = 0.08, size: int = 224
) -> torch.Tensor:
    """Return the ink (size, size) from 0 to 1 of strokes drawn with a round pen.

    pen: its width as a share of the side. A stroke of one point is a dot. A pixel is as dark as
    its middle lies inside the line, in pixels and half a pixel more: smooth edges.
    Raises ValueError for a pen outside (0, 0.5].

    >>> draw_strokes([[(0.5, 0.5)]], pen=0.5, size=8).sum().round()
    tensor(13.)
    """
    if not 0 < pen <= 0.5:
        raise ValueError(f"the pen is a share of the side above 0 and up to 0.5, got {pen}")
    middles = (torch.arange(size, dtype=torch.float64) + 0.5) / size
    distance = torch.full((size, size), torch.inf, dtype=torch.float64)
    reach = pen / 2 + 1 / size
    for stroke in strokes:
        for (left, top), (right, bottom) in pairwise([*stroke[:1], *stroke]):
            rows, columns = _around(top, bottom, reach, size), _around(left, right, reach, size)
            x, y = middles[columns] - left, (middles[rows] - top)[:, None]
            near = distance[rows, columns]
            torch.minimum(near, _from_line(x, y, right - left, bottom - top), out=near)
    return ((pen / 2 - distance) * size + 0.5).clamp(0, 1).float()


def _around(start, end, reach, size):
    """Return the slice of the pixels that are within reach of what lies from start to end."""
    first, last = min(start, end) - reach, max(start, end) + reach
    return slice(max(0, math.floor(first * size)), max(0, math.ceil(last * size)))


def _from_line(x, y, across, down):
    """Return how far the points (x, y) are from a line from (0, 0) to (across, down)."""
    # The nearest place on the line: 0 at its start, 1 at its end.
    nearest = (x * across + y * down) / max(across**2 + down**2, 1e-12)
    nearest = nearest.clamp(0, 1)
    return torch.hypot(x - nearest * across, y - nearest * down)


def like_mnist(ink: torch.Tensor) -> torch.Tensor:
    """Return a picture (1, 28, 28) of ink (height, width), placed as MNIST's digits are.

    The smallest box around the ink is scaled so that its longer side is 20 pixels, and its centre
    of mass moves to the middle of 28 x 28 (LeCun et al. 1998). Values from 0 to 1.
    Raises ShapeError for another shape, ValueError when nothing is drawn.

    >>> like_mnist(draw_strokes([[(0.1, 0.1), (0.1, 0.3)]])).shape
    torch.Size([1, 28, 28])
    """
    if ink.dim() != 2:
        raise ShapeError(f"ink must be (height, width), got shape {tuple(ink.shape)}")
    rows, columns = (ink > 0.1).nonzero(as_tuple=True)
    if not len(rows):
        raise ValueError("nothing is drawn: there is no ink above 0.1")
    box = ink[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    scale = BOX / max(box.shape)
    size = [max(1, round(side * scale)) for side in box.shape]
    down, across = (_mixed(*sides, box.dtype) for sides in zip(box.shape, size, strict=True))
    small = down @ box @ across.T
    top, left = (_start(small.sum(dim=1 - axis)) for axis in (0, 1))
    picture = torch.zeros(1, SIDE, SIDE)
    picture[0, top : top + size[0], left : left + size[1]] = small.clamp(0, 1)
    return picture


def _mixed(n, fewer, dtype):
    """Return the shares (fewer, n) of n pixels in each of fewer: they fall evenly with distance.

    What PyTorch calls bilinear and antialiased; its own forgets the weights of a single column.
    """
    scale = n / fewer
    middles = torch.arange(n, dtype=dtype) + 0.5
    centres = (torch.arange(fewer, dtype=dtype)[:, None] + 0.5) * scale
    shares = (1 - (middles - centres).abs() / max(scale, 1)).clamp(min=0)  # (fewer, n)
    return shares / shares.sum(dim=1, keepdim=True)


def _start(profile):
    """Return where profile (n,) begins when its centre of mass is in the middle."""
    centre = (profile @ torch.arange(len(profile), dtype=profile.dtype)) / profile.sum() + 0.5
    # Rounded first: a drawing that is the same on both sides has its centre between two pixels.
    start = round(round(SIDE / 2 - centre.item(), 3))
    return min(max(start, 0), SIDE - len(profile))

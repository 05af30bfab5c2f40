"""Digits drawn by hand, made to look like those of MNIST.

A drawing is a list of strokes, a stroke a list of points (x, y) from 0 to 1, y downwards.
"""

from collections.abc import Sequence

import torch
from einops import rearrange
from PIL import Image, ImageDraw
from torch.nn.functional import interpolate

from tutorial_lib.errors import ShapeError

SIDE, BOX = 28, 20


def draw_strokes(
    strokes: Sequence[Sequence[tuple[float, float]]], pen: float = 0.08, size: int = 112
) -> torch.Tensor:
    """Return the ink (size, size) from 0 to 1 of strokes drawn with a round pen.

    pen: its width as a share of the side. A stroke of one point is a dot.
    Raises ValueError for a pen outside (0, 0.5].

    >>> draw_strokes([[(0.5, 0.5)]], pen=0.5, size=8).sum().round()
    tensor(13.)
    """
    if not 0 < pen <= 0.5:
        raise ValueError(f"the pen is a share of the side above 0 and up to 0.5, got {pen}")
    scale = 4 * size  # drawn larger and reduced, for smooth edges
    canvas = Image.new("L", (scale, scale))
    brush = ImageDraw.Draw(canvas)
    radius = pen * scale / 2
    for stroke in strokes:
        points = [(x * scale, y * scale) for x, y in stroke]
        if len(points) > 1:
            brush.line(points, fill=255, width=round(2 * radius))
        for x, y in points:  # round ends and corners
            # Pillow draws the right and lower edges too.
            brush.ellipse((x - radius, y - radius, x + radius - 1, y + radius - 1), fill=255)
    small = canvas.resize((size, size), Image.Resampling.BOX)
    ink = torch.frombuffer(bytearray(small.tobytes()), dtype=torch.uint8)
    return rearrange(ink.float() / 255, "(height width) -> height width", width=size)


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
    small = interpolate(box[None, None], size=size, mode="bilinear", antialias=True)[0, 0]
    top, left = (_start(small.sum(dim=1 - axis)) for axis in (0, 1))
    picture = torch.zeros(1, SIDE, SIDE)
    picture[0, top : top + size[0], left : left + size[1]] = small.clamp(0, 1)
    return picture


def _start(profile):
    """Return where profile (n,) begins when its centre of mass is in the middle."""
    centre = (profile @ torch.arange(len(profile), dtype=profile.dtype)) / profile.sum() + 0.5
    start = round(SIDE / 2 - centre.item())
    return min(max(start, 0), SIDE - len(profile))

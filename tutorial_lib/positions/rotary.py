"""Rotary positions: queries and keys are turned by angles that grow with their position."""

import torch
from torch.types import Device

from tutorial_lib.errors import ShapeError


def turning_angles(
    n_positions: int,
    width: int,
    start: int = 0,
    base: float = 10_000,
    device: Device = None,
) -> torch.Tensor:
    """Return position · base^(-2i / width) for i from 0 to width/2 - 1: (T, width/2), radians.

    Sinusoidal and rotary positions both use these angles. The first pair turns by one radian a
    position, the last pairs hardly turn at all.

    >>> turning_angles(2, 4, start=1).float()
    tensor([[1.0000, 0.0100],
            [2.0000, 0.0200]])
    """
    # In float64, because float32 loses digits of the angle far into a text. Apple's GPUs have no
    # float64.
    exact = torch.float32 if torch.device(device or "cpu").type == "mps" else torch.float64
    position = torch.arange(start, start + n_positions, dtype=exact, device=device)
    pair = torch.arange(width // 2, dtype=exact, device=device)
    return position[:, None] / base ** (2 * pair / width)  # (T, width/2)


def rotate(x: torch.Tensor, start: int = 0, base: float = 10_000) -> torch.Tensor:
    """Return x (..., T, K) with each pair of numbers turned by its position's angle.

    The positions are start ... start + T - 1. The product of a turned query and a turned key
    depends only on the distance between them (Su et al. 2021, eq. 34): turning both by the same
    angle changes nothing. As in the paper, numbers 2i and 2i + 1 make a pair; other programs pair
    the first half with the second, and their models learn just as well.
    Raises ShapeError when K is odd.

    >>> rotate(torch.tensor([[1.0, 0.0], [1.0, 0.0]]))  # by 0 and by 1 radian
    tensor([[1.0000, 0.0000],
            [0.5403, 0.8415]])
    """
    if x.size(-1) % 2:
        raise ShapeError(f"rotary positions turn pairs, so K must be even, got {x.size(-1)}")
    angle = turning_angles(x.size(-2), x.size(-1), start, base, x.device)  # (T, K/2)
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    first, second = x[..., 0::2], x[..., 1::2]  # (..., T, K/2)
    turned = torch.stack([first * cos - second * sin, first * sin + second * cos], dim=-1)
    return turned.flatten(-2)  # (..., T, K)

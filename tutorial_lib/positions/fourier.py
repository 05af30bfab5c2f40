"""Positions as waves of many lengths, in any number of dimensions (Jaegle et al. 2021)."""

import math

import torch

from tutorial_lib.errors import ShapeError


def fourier_features(positions, n_bands, finest):
    """Return positions (..., d), -1 to 1, and their sines and cosines: (..., d + 2 d n_bands).

    The frequencies go in equal steps from 1 to finest / 2: the last one turns once in two of
    `finest` points along an axis (Jaegle et al. 2021, section 3.2). Raises ShapeError unless there
    is a band and positions have at least one axis.

    >>> fourier_features(torch.tensor([[0.0], [0.25]]), n_bands=1, finest=2)
    tensor([[0.0000, 0.0000, 1.0000],
            [0.2500, 0.7071, 0.7071]])
    """
    if n_bands < 1 or not positions.dim():
        raise ShapeError(
            f"fourier_features needs positions (..., d) and at least one band, got "
            f"{tuple(positions.shape)} and {n_bands}"
        )
    frequencies = torch.linspace(1.0, finest / 2, n_bands, device=positions.device)
    angles = math.pi * positions[..., None] * frequencies.to(positions.dtype)  # (..., d, bands)
    waves = torch.cat([angles.sin(), angles.cos()], dim=-1).flatten(-2)  # (..., 2 d bands)
    return torch.cat([positions, waves], dim=-1)


def grid_positions(n_rows, n_columns, device=None):
    """Return the middles of the cells of a grid, row by row, from -1 to 1: (rows · columns, 2).

    A grid of other sizes covers the same square, so that it can be asked for more cells than were
    read.

    >>> grid_positions(1, 2)
    tensor([[ 0.0000, -0.5000],
            [ 0.0000,  0.5000]])
    """
    down, right = ((torch.arange(n, device=device) + 0.5) * 2 / n - 1 for n in (n_rows, n_columns))
    return torch.cartesian_prod(down, right)

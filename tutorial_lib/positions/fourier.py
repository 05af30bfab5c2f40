"""Positions as waves of many lengths, in any number of dimensions (Jaegle et al. 2021)."""

import math

import torch

from tutorial_lib.errors import ShapeError


def fourier_features(positions, n_bands, finest):
    """Return positions (..., d), -1 to 1, and their sines and cosines: (..., d + 2 d n_bands).

    The frequencies go in equal steps from 1 to finest / 2: the last one turns once in two of
    `finest` points along an axis (Jaegle et al. 2021, section 3.2). Raises ShapeError unless there
    is a band and positions have at least one axis, ValueError for a finest below 2.

    >>> fourier_features(torch.tensor([[0.0], [0.25]]), n_bands=1, finest=2)
    tensor([[0.0000, 0.0000, 1.0000],
            [0.2500, 0.7071, 0.7071]])
    """
    if n_bands < 1 or not positions.dim():
        raise ShapeError(
            f"fourier_features needs positions (..., d) and at least one band, got "
            f"{tuple(positions.shape)} and {n_bands}"
        )
    if not finest >= 2:
        raise ValueError(f"finest must be at least 2, so that no wave is longer; got {finest}")
    frequencies = torch.linspace(1.0, finest / 2, n_bands, device=positions.device)
    angles = math.pi * positions[..., None] * frequencies.to(positions.dtype)  # (..., d, bands)
    waves = torch.cat([angles.sin(), angles.cos()], dim=-1).flatten(-2)  # (..., 2 d bands)
    return torch.cat([positions, waves], dim=-1)


def pixel_waves(n_rows, n_columns, n_bands, finest=None):
    """Return the `fourier_features` of the pixels of a picture, row by row: (pixels, C).

    finest None: as fine as the shorter side allows. Raises ValueError above that, the Nyquist
    limit: there a wave turns more than once in two pixels, and looks like a longer one.

    >>> pixel_waves(2, 4, n_bands=3).shape
    torch.Size([8, 14])
    """
    most = min(n_rows, n_columns)
    finest = most if finest is None else finest
    if finest > most:
        raise ValueError(
            f"{n_rows} x {n_columns} pixels hold waves of a finest of at most {most} (the Nyquist "
            f"limit), got {finest}"
        )
    return fourier_features(grid_positions(n_rows, n_columns), n_bands, finest)


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

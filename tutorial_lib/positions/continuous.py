"""What each step on a map adds to the scores, from a small network (Liu et al. 2022)."""

import math

import torch
from torch import nn

from tutorial_lib.errors import ShapeError
from tutorial_lib.positions.distances import offsets

FARTHEST = 8  # the step across a trained window, before the logarithm (section 3.3)
STRONGEST = 16  # what is added to a score lies between 0 and this


def log_spaced(steps, n_trained):
    """Return steps, -1 to 1 across a window of side n_trained, on a logarithmic scale.

    sign(d) log2(1 + |d|) / log2(8), with d = 8 step / (n_trained - 1): windows twice as large go
    only a third farther (Liu et al. 2022, eq. 4, and their code for the factors).

    >>> log_spaced(torch.tensor([0.0, 3.0, 7.0, 15.0]), n_trained=8)
    tensor([0.0000, 0.7156, 1.0566, 1.3938])
    """
    scaled = FARTHEST * steps / max(n_trained - 1, 1)
    return scaled.sign() * (1 + scaled.abs()).log2() / math.log2(FARTHEST)


class ContinuousGrid(nn.Module):
    """What each step between two cells of a square adds to the scores, by a small network.

    n_trained: the side of the squares that the network learned from, None: these. Unlike
    RelativeGrid it has an answer for steps that it never met. Returns the bias (H, N, N) for the
    N = side² cells, row by row. Raises ShapeError when n_trained is below 2.

    >>> ContinuousGrid(n_heads=2, side=3)().shape
    torch.Size([2, 9, 9])
    """

    def __init__(self, n_heads, side, n_trained=None, width=512):
        super().__init__()
        if n_trained is not None and n_trained < 2:
            raise ShapeError(f"steps are measured by a window of 2 or more, got {n_trained}")
        self.hidden = nn.Linear(2, width)
        self.output = nn.Linear(width, n_heads, bias=False)
        reach = torch.arange(1.0 - side, side)  # from query to key: the released files go back
        there = -log_spaced(reach, side if n_trained is None else n_trained)
        steps = torch.stack(torch.meshgrid(there, there, indexing="ij"), dim=-1)
        step = offsets(side) + side - 1  # (side, side), from 0
        index = (2 * side - 1) * step[:, None, :, None] + step[None, :, None, :]
        self.register_buffer("steps", steps.flatten(0, 1), persistent=False)  # ((2 side - 1)², 2)
        self.register_buffer("index", index.flatten(2).flatten(0, 1), persistent=False)  # (N, N)

    def forward(self):
        """Return the bias (H, N, N)."""
        found = self.output(self.hidden(self.steps).relu())  # ((2 side - 1)², H)
        return STRONGEST * found.T[:, self.index].sigmoid()

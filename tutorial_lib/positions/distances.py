"""How far is it? Numbers added to the attention scores, by the distance from query to key.

An offset is the key's position minus the query's: -1 is the token before. Everything here gives a
bias (H, T, S) for `attention`; with more keys than queries the queries are the last ones, as in
generation with a cache.
"""

import math

import torch
from torch import nn
from torch.types import Device

from tutorial_lib.errors import ShapeError


def offsets(n_queries: int, n_keys: int | None = None, device: Device = None) -> torch.Tensor:
    """Return key position minus query position for each pair, (T, S).

    >>> offsets(2, 3)
    tensor([[-1,  0,  1],
            [-2, -1,  0]])
    """
    n_keys = n_queries if n_keys is None else n_keys
    keys = torch.arange(n_keys, device=device)
    queries = torch.arange(n_keys - n_queries, n_keys, device=device)
    return keys[None] - queries[:, None]  # (T, S)


class RelativePositions(nn.Module):
    """A learned number for each offset and head, added to the scores.

    Offsets beyond max_distance share the last number, so texts may have any length. (Shaw et al.
    2018 clip offsets like this but add vectors to the keys; T5 made a number of it.) All numbers
    start at 0, so before training they change nothing.

    >>> RelativePositions(n_heads=2, max_distance=4)(3, 5).shape
    torch.Size([2, 3, 5])
    """

    def __init__(self, n_heads: int, max_distance: int):
        super().__init__()
        if max_distance < 1:
            raise ShapeError(f"max_distance must be at least 1, got {max_distance}")
        self.max_distance = max_distance
        self.weight = nn.Parameter(torch.zeros(n_heads, 2 * max_distance + 1))

    def forward(self, n_queries, n_keys=None):
        """Return the bias (H, T, S)."""
        reach = self.max_distance
        offset = offsets(n_queries, n_keys, self.weight.device)
        return self.weight[:, offset.clamp(-reach, reach) + reach]


class RelativeGrid(nn.Module):
    """A learned number for each step between two cells of a grid (rows down, columns right).

    n_extra tokens may come before the cells, as [CLS] does; they have no position in the grid,
    so their numbers are 0.

    >>> RelativeGrid(n_heads=2, n_rows=2, n_columns=3, n_extra=1)().shape
    torch.Size([2, 7, 7])
    """

    def __init__(self, n_heads: int, n_rows: int, n_columns: int, n_extra: int = 0):
        super().__init__()
        self.n_extra = n_extra
        self.weight = nn.Parameter(torch.zeros(n_heads, 2 * n_rows - 1, 2 * n_columns - 1))
        down = offsets(n_rows) + n_rows - 1  # (rows, rows), from 0
        right = offsets(n_columns) + n_columns - 1  # (columns, columns)
        steps = (2 * n_columns - 1) * down[:, None, :, None] + right[None, :, None, :]
        self.register_buffer("steps", steps.flatten(2).flatten(0, 1), persistent=False)  # (N, N)

    def forward(self):
        """Return the bias (H, T, T) for the extra tokens and all cells, row by row."""
        bias = self.weight.flatten(1)[:, self.steps]  # (H, N, N)
        return nn.functional.pad(bias, (self.n_extra, 0, self.n_extra, 0))


def t5_bucket(
    offset: torch.Tensor, n_buckets: int = 32, max_distance: int = 128, causal: bool = False
) -> torch.Tensor:
    """Return the bucket of each offset: exact when near, wider and wider when far.

    Half of the buckets hold one offset each; the others get wider and wider up to max_distance,
    and everything farther away shares the last one. Unless causal, half of all buckets are kept
    for keys after the query (Raffel et al. 2019, section 2.1). offset holds whole numbers, in any
    shape. Raises ShapeError when there are too few buckets or the distance is too short.

    >>> t5_bucket(torch.tensor([0, -1, -7, -8, -20, -500, 1]))
    tensor([ 0,  1,  7,  8, 10, 15, 17])
    """
    sides = 1 if causal else 2
    exact = n_buckets // sides // 2
    if exact < 1 or n_buckets % (2 * sides) or max_distance <= exact:
        raise ShapeError(
            f"{n_buckets} buckets up to a distance of {max_distance} do not work: the buckets must "
            f"be a multiple of {2 * sides}, the distance more than their {2 * sides}th part"
        )
    distance = (-offset).clamp(min=0) if causal else offset.abs()
    first = 0 if causal else (offset > 0) * 2 * exact  # of the buckets on this side
    growth = torch.log(distance.clamp(min=1) / exact) / math.log(max_distance / exact)
    far = (exact + (growth * exact).long()).clamp(max=2 * exact - 1)
    return first + torch.where(distance < exact, distance, far)


class T5Positions(nn.Module):
    """A learned number for each bucket of offsets and each head (T5, shared by its layers).

    >>> T5Positions(n_heads=2)(3).shape
    torch.Size([2, 3, 3])
    """

    def __init__(
        self, n_heads: int, n_buckets: int = 32, max_distance: int = 128, causal: bool = False
    ):
        super().__init__()
        self.options = {"n_buckets": n_buckets, "max_distance": max_distance, "causal": causal}
        t5_bucket(torch.tensor(0), **self.options)  # refuses what does not work
        self.weight = nn.Parameter(torch.zeros(n_heads, n_buckets))

    def forward(self, n_queries, n_keys=None):
        """Return the bias (H, T, S)."""
        offset = offsets(n_queries, n_keys, self.weight.device)
        return self.weight[:, t5_bucket(offset, **self.options)]


def alibi_slopes(n_heads: int) -> torch.Tensor:
    """Return how much each head minds distance, (H,) (Press et al. 2021).

    When H is a power of two, these are 2^(-8/H), 2^(-16/H) ... 2^-8. Otherwise they are the slopes
    for the next lower power, then every other slope for the next higher one, as in the authors'
    code.

    >>> alibi_slopes(8)[:3]
    tensor([0.5000, 0.2500, 0.1250])
    """
    if n_heads < 1:
        raise ShapeError(f"n_heads must be at least 1, got {n_heads}")
    below = 2 ** (n_heads.bit_length() - 1)
    slopes = [2 ** (-8 * (n + 1) / below) for n in range(below)]
    between = [2 ** (-4 * (n + 1) / below) for n in range(0, 2 * below, 2)]
    return torch.tensor((slopes + between)[:n_heads])


def alibi(
    n_heads: int,
    n_queries: int,
    n_keys: int | None = None,
    device: Device = None,
) -> torch.Tensor:
    """Return the bias (H, T, S) of ALiBi: minus slope times distance; nothing is learned.

    In the paper attention is causal. Here keys after the query, which a causal mask would hide,
    count by their distance too.

    >>> alibi(2, 1, 4)[0]
    tensor([[-0.1875, -0.1250, -0.0625, -0.0000]])
    """
    distance = offsets(n_queries, n_keys, device).abs()  # (T, S)
    return -alibi_slopes(n_heads).to(distance.device)[:, None, None] * distance

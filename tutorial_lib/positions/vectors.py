"""Where am I? Vectors that tell a model each token's position, added to the token vectors.

`distances` (relative, T5, ALiBi) and `rotary` change the attention instead, by the distance
between query and key.
"""

import torch
from torch import nn
from torch.types import Device

from tutorial_lib.errors import ContextError, ShapeError
from tutorial_lib.positions.rotary import turning_angles


def sinusoidal(n_positions: int, d_model: int, device: Device = None) -> torch.Tensor:
    """Return the sinusoidal position vectors (n_positions, D) (Vaswani et al. 2017, section 3.5).

    PE(pos, 2i) = sin(pos / 10000^(2i / D)), followed by the cosine, for i from 0 to D/2 - 1.
    Raises ShapeError when D is odd: sine and cosine come in pairs.

    >>> sinusoidal(2, 4)[0]
    tensor([0., 1., 0., 1.])
    """
    if d_model % 2 or d_model < 2:
        raise ShapeError(f"sinusoids come in pairs, so d_model must be even, got {d_model}")
    angle = turning_angles(n_positions, d_model)  # (T, D/2), on the CPU: not all GPUs have float64
    table = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)  # (T, D)
    return table.float().to(device)


def sinusoidal_grid(
    n_rows: int, n_columns: int, d_model: int, device: Device = None
) -> torch.Tensor:
    """Return a vector for each cell of a grid, row by row: (n_rows · n_columns, D).

    The first half holds the sinusoids of the row, the second those of the column.
    Raises ShapeError when D is no multiple of 4.

    >>> sinusoidal_grid(2, 3, 4)[5]  # row 1, column 2
    tensor([ 0.8415,  0.5403,  0.9093, -0.4161])
    """
    if d_model % 4 or d_model < 4:
        raise ShapeError(f"two sets of sinusoids need d_model to be a multiple of 4, got {d_model}")
    rows = sinusoidal(n_rows, d_model // 2, device)
    columns = sinusoidal(n_columns, d_model // 2, device)
    return _grid(rows, columns)


class PositionVectors(nn.Module):
    """Vectors (T, D) that are added to those of the tokens; the subclasses make them."""


class LearnedPositions(PositionVectors):
    """One learned vector for each position up to the context (BERT, GPT).

    >>> LearnedPositions(context=8, d_model=4)(3).shape
    torch.Size([3, 4])
    """

    def __init__(self, context: int, d_model: int):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(context, d_model))
        nn.init.normal_(self.weight, std=0.02)

    def forward(self, length: int | None = None, start: int = 0) -> torch.Tensor:
        """Return the vectors (T, D) of positions start ... start + length - 1, or all.

        Raises ContextError when they pass the end of the context.
        """
        return _cut(self.weight, length, start)


class SinusoidalPositions(PositionVectors):
    """The table of `sinusoidal` up to the context, computed once; nothing is learned.

    >>> torch.equal(SinusoidalPositions(context=8, d_model=4)(2, start=3), sinusoidal(8, 4)[3:5])
    True
    """

    def __init__(self, context: int, d_model: int):
        super().__init__()
        self.register_buffer("table", sinusoidal(context, d_model), persistent=False)

    def forward(self, length: int | None = None, start: int = 0) -> torch.Tensor:
        """Return the vectors (T, D) of positions start ... start + length - 1, or all.

        Raises ContextError when they pass the end of the context.
        """
        return _cut(self.table, length, start)


class LearnedGrid(PositionVectors):
    """A learned half-vector for each row and each column (Dosovitskiy et al. 2020, D.4: 2-D).

    A cell's vector is its row's half followed by its column's half. n_extra tokens may come
    before the cells, as [CLS] does; they have no position in the grid, so their vectors are 0.
    Raises ShapeError when D is odd.

    >>> LearnedGrid(n_rows=2, n_columns=3, d_model=4, n_extra=1)().shape
    torch.Size([7, 4])
    """

    def __init__(self, n_rows: int, n_columns: int, d_model: int, n_extra: int = 0):
        super().__init__()
        if d_model % 2:
            raise ShapeError(f"row and column take half the width each, got d_model {d_model}")
        self.n_extra = n_extra
        self.rows = nn.Parameter(torch.empty(n_rows, d_model // 2))
        self.columns = nn.Parameter(torch.empty(n_columns, d_model // 2))
        nn.init.normal_(self.rows, std=0.02)
        nn.init.normal_(self.columns, std=0.02)

    def forward(self):
        """Return the vectors (T, D) of the extra tokens and all cells, row by row."""
        return nn.functional.pad(_grid(self.rows, self.columns), (0, 0, self.n_extra, 0))


class SinusoidalGrid(PositionVectors):
    """The table of `sinusoidal_grid`, computed once; extra tokens as in LearnedGrid.

    >>> SinusoidalGrid(n_rows=2, n_columns=3, d_model=4, n_extra=1)().shape
    torch.Size([7, 4])
    """

    def __init__(self, n_rows: int, n_columns: int, d_model: int, n_extra: int = 0):
        super().__init__()
        table = nn.functional.pad(sinusoidal_grid(n_rows, n_columns, d_model), (0, 0, n_extra, 0))
        self.register_buffer("table", table, persistent=False)

    def forward(self):
        """Return the vectors (T, D) of the extra tokens and all cells, row by row."""
        return self.table


def _grid(rows, columns):
    n_rows, n_columns = len(rows), len(columns)
    rows = rows[:, None].expand(-1, n_columns, -1)  # (rows, columns, D/2)
    columns = columns[None].expand(n_rows, -1, -1)  # (rows, columns, D/2)
    return torch.cat([rows, columns], dim=-1).flatten(0, 1)  # (rows · columns, D)


def check_length(length: int, context: int):
    """Raise ContextError when a sequence is longer than the context.

    >>> check_length(6, context=6)
    """
    if length > context:
        raise ContextError(
            f"the sequence is {length} tokens long, the context of this model holds {context}"
        )


def _cut(table, length, start):
    context = table.size(0)
    length = context - start if length is None else length
    check_length(start + length, context)
    return table[start : start + length]

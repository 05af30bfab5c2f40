"""Chapter 07: positions by row and by column."""

import torch

from tutorial_lib.exercises.engine.tasks import Write, case


def grid_positions(n_rows, n_columns, d_model):
    """Return a position vector for each cell of a grid, row by row: (n_rows · n_columns, D).

    The first D/2 numbers are the sinusoids of the row, the others those of the column; each half
    is made like the positions of the Transformer, as if D/2 were the whole width.
    """
    half = d_model // 2
    frequencies = 10000.0 ** (-torch.arange(0, half, 2) / half)  # (D/4,)

    def sinusoids(n):
        angles = torch.arange(n)[:, None] * frequencies  # (n, D/4)
        return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)  # (n, D/2)

    rows = sinusoids(n_rows).repeat_interleave(n_columns, dim=0)
    columns = sinusoids(n_columns).repeat(n_rows, 1)
    return torch.cat([rows, columns], dim=1)


def grid_positions_loop(n_rows, n_columns, d_model):
    """Second style."""
    table = torch.zeros(n_rows, n_columns, d_model)
    half = d_model // 2
    for i in range(0, half, 2):
        angle = torch.arange(max(n_rows, n_columns)) / 10000 ** (i / half)
        table[:, :, i] = angle[:n_rows, None].sin()
        table[:, :, i + 1] = angle[:n_rows, None].cos()
        table[:, :, half + i] = angle[:n_columns].sin()
        table[:, :, half + i + 1] = angle[:n_columns].cos()
    return table.reshape(-1, d_model)


def waves(n, width, base=10000.0, start=0, apart=False, swapped=False, scale=None):
    """The sinusoids of n places, with the slips that can be made in them."""
    exponents = torch.arange(0, width, 2).double() / (scale or width)
    angles = torch.arange(start, start + n)[:, None] / base**exponents
    pair = [angles.cos().float(), angles.sin().float()][:: 1 if swapped else -1]
    return torch.cat(pair, dim=1) if apart else torch.stack(pair, dim=-1).flatten(1)


def crossed(rows, columns):
    """The rows' vectors and the columns' vectors of all cells, each (R · C, width)."""
    return rows.repeat_interleave(len(columns), dim=0), columns.repeat(len(rows), 1)


def both(n_rows, n_columns, d_model, **slips):
    """The whole table, with slips."""
    half = d_model // 2
    tables = crossed(waves(n_rows, half, **slips), waves(n_columns, half, **slips))
    return torch.cat(tables, dim=1)


def grid_positions_exchanged(n_rows, n_columns, d_model):
    """This puts the column's half first: the row's comes first."""
    table = both(n_rows, n_columns, d_model)
    return table.roll(d_model // 2, dims=1)


def grid_positions_by_columns(n_rows, n_columns, d_model):
    """This goes down the columns of the grid: go row by row, as the patches do."""
    table = both(n_rows, n_columns, d_model).view(n_rows, n_columns, d_model)
    return table.transpose(0, 1).reshape(-1, d_model)


def grid_positions_turned(n_rows, n_columns, d_model):
    """This exchanges rows and columns: their numbers, and so the order of the cells."""
    return both(n_columns, n_rows, d_model)


def grid_positions_running(n_rows, n_columns, d_model):
    """This numbers the cells one after the other, as in a text: row and column have sinusoids of
    their own.
    """
    return waves(n_rows * n_columns, d_model)


def grid_positions_running_halves(n_rows, n_columns, d_model):
    """This gives both halves the number of the cell: one half gets its row, one its column."""
    return waves(n_rows * n_columns, d_model // 2).repeat(1, 2)


def grid_positions_summed(n_rows, n_columns, d_model):
    """This adds the row's vector and the column's, both D wide, so that row 1, column 2 is the
    same as row 2, column 1: put two halves side by side.
    """
    rows, columns = crossed(waves(n_rows, d_model), waves(n_columns, d_model))
    return rows + columns


def grid_positions_wide(n_rows, n_columns, d_model):
    """This is 2 D wide: row and column get D/2 each."""
    return torch.cat(crossed(waves(n_rows, d_model), waves(n_columns, d_model)), dim=1)


def grid_positions_slow(n_rows, n_columns, d_model):
    """This divides the exponent by D: each half is made as if D/2 were the whole width."""
    return both(n_rows, n_columns, d_model, scale=d_model)


def grid_positions_fast(n_rows, n_columns, d_model):
    """This counts pairs twice: the exponent of numbers 2i and 2i + 1 is 2i / (D/2), not 4i."""
    return both(n_rows, n_columns, d_model, scale=d_model // 4)


def grid_positions_upside_down(n_rows, n_columns, d_model):
    """This multiplies by the power of 10000: divide by it, the waves get slower."""
    return both(n_rows, n_columns, d_model, scale=-d_model // 2)


def grid_positions_repeated(n_rows, n_columns, d_model):
    """This repeats the whole table for the rows too: each row stays for n_columns cells."""
    half = d_model // 2
    rows = waves(n_rows, half).repeat(n_columns, 1)
    return torch.cat([rows, waves(n_columns, half).repeat(n_rows, 1)], dim=1)


def grid_positions_interleaved(n_rows, n_columns, d_model):
    """This repeats each vector for the columns too: the whole table of columns comes again in each
    row.
    """
    half = d_model // 2
    columns = waves(n_columns, half).repeat_interleave(n_rows, dim=0)
    return torch.cat([waves(n_rows, half).repeat_interleave(n_columns, dim=0), columns], dim=1)


def grid_positions_pieces(n_rows, n_columns, d_model):
    """This cuts one table of width D: its second half has only the slow waves, so make both halves
    with D/2.
    """
    half = d_model // 2
    rows, columns = crossed(waves(n_rows, d_model)[:, :half], waves(n_columns, d_model)[:, half:])
    return torch.cat([rows, columns], dim=1)


def grid_positions_apart(n_rows, n_columns, d_model):
    """This puts all sines before all cosines: each cosine stands beside its sine."""
    return both(n_rows, n_columns, d_model, apart=True)


def grid_positions_cosine_first(n_rows, n_columns, d_model):
    """This puts the cosine first: the sine comes first."""
    return both(n_rows, n_columns, d_model, swapped=True)


def grid_positions_woven(n_rows, n_columns, d_model):
    """This weaves row and column together, number by number: put two halves side by side."""
    table = both(n_rows, n_columns, d_model)
    return table.view(-1, 2, d_model // 2).transpose(1, 2).reshape(-1, d_model)


def grid_positions_from_one(n_rows, n_columns, d_model):
    """This counts from 1: the first row and the first column are 0."""
    return both(n_rows, n_columns, d_model, start=1)


def grid_positions_thousand(n_rows, n_columns, d_model):
    """This has the base 1000: it is 10000."""
    return both(n_rows, n_columns, d_model, base=1000.0)


def grid_positions_same_rows(n_rows, n_columns, d_model):
    """This gives both halves the row: the second one is the column's."""
    rows, _ = crossed(waves(n_rows, d_model // 2), waves(n_columns, d_model // 2))
    return rows.repeat(1, 2)


def grid_positions_same_columns(n_rows, n_columns, d_model):
    """This gives both halves the column: the first one is the row's."""
    _, columns = crossed(waves(n_rows, d_model // 2), waves(n_columns, d_model // 2))
    return columns.repeat(1, 2)


def grid_positions_as_grid(n_rows, n_columns, d_model):
    """This keeps rows and columns as two axes: a sequence has one."""
    return both(n_rows, n_columns, d_model).view(n_rows, n_columns, d_model)


def grid_positions_sines(n_rows, n_columns, d_model):
    """This gives the row sines and the column cosines: each half has both."""
    rows, columns = crossed(
        waves(n_rows, d_model, apart=True), waves(n_columns, d_model, apart=True)
    )
    half = d_model // 2
    return torch.cat([rows[:, :half], columns[:, half:]], dim=1)


def grid_positions_cases():
    """Grids that are not square, and one that is."""
    return [
        case("2 rows, 3 columns, D = 8", 2, 3, 8),
        case("4 rows, 2 columns, D = 12", 4, 2, 12),
        case("3 rows, 3 columns, D = 4", 3, 3, 4),
    ]


GRID_POSITIONS = Write(
    id="7.4",
    title="Positions in two directions",
    level="medium",
    text="""
Write `grid_positions(n_rows, n_columns, d_model)`: a vector for each cell of a grid, row by row,
(n_rows · n_columns, D). Its first D/2 numbers depend on the **row** only, the others on the
**column** only. Each half is made like the positions of the Transformer, for a width of D/2: number
2i is sin(pos / 10000^(2i / (D/2))), number 2i + 1 the cosine; rows and columns count from 0. D is a
multiple of 4.
""",
    hints=(
        "Make a table (n, D/2) of sinusoids once for n rows, once for n columns.",
        "Cell (r, c) is row r of the first table beside row c of the second one.",
        "`rows.repeat_interleave(n_columns, dim=0)` repeats each row, `columns.repeat(n_rows, 1)` "
        "the whole table.",
    ),
    solution=grid_positions,
    second_style=grid_positions_loop,
    mistakes=(
        grid_positions_exchanged,
        grid_positions_by_columns,
        grid_positions_turned,
        grid_positions_running,
        grid_positions_running_halves,
        grid_positions_summed,
        grid_positions_wide,
        grid_positions_slow,
        grid_positions_fast,
        grid_positions_upside_down,
        grid_positions_repeated,
        grid_positions_interleaved,
        grid_positions_pieces,
        grid_positions_apart,
        grid_positions_cosine_first,
        grid_positions_woven,
        grid_positions_from_one,
        grid_positions_thousand,
        grid_positions_same_rows,
        grid_positions_same_columns,
        grid_positions_as_grid,
        grid_positions_sines,
    ),
    cases=grid_positions_cases,
    tolerance=5e-4,  # waves that get faster are known in spite of their rounded angles
    see="7.3 Where am I in the picture",
)

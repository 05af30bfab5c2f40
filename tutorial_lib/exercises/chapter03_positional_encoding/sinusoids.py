"""Chapter 03: the table of sines and cosines."""

import torch

from tutorial_lib.exercises.engine.tasks import Write, case


def sinusoidal_positions(n, d):
    """Return the sinusoidal vectors (n, d) of the positions 0 to n - 1; d is even.

    Column 2i is sin(pos / 10000^(2i/d)), column 2i + 1 the cosine of the same angle.
    """
    positions = torch.arange(n)[:, None]  # (n, 1)
    pairs = torch.arange(d // 2)  # (d/2,)
    angles = positions / 10_000 ** (2 * pairs / d)  # (n, d/2)
    table = torch.empty(n, d)
    table[:, 0::2] = angles.sin()
    table[:, 1::2] = angles.cos()
    return table


def sinusoidal_positions_loops(n, d):
    """Second style."""
    table = torch.zeros(n, d)
    for position in range(n):
        for column in range(d):
            angle = torch.tensor(position / 10_000 ** ((column - column % 2) / d))
            table[position, column] = angle.cos() if column % 2 else angle.sin()
    return table


def sinusoidal_by(exponents, n, first=0):
    """The table with exponents (d/2,) of one's own, for the mistakes below."""
    angles = torch.arange(first, first + n)[:, None] / 10_000**exponents
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)  # (n, d)


def sinusoidal_positions_half(n, d):
    """This has i/d as the exponent: it is 2i/d, so that i up to d/2 - 1 spans nearly 0 to 1."""
    return sinusoidal_by(torch.arange(d // 2) / d, n)


def sinusoidal_positions_to_end(n, d):
    """This divides i by d/2 - 1, so that the last exponent is exactly 1; the paper's is 2i/d."""
    return sinusoidal_by(torch.arange(d // 2) / (d / 2 - 1), n)


def sinusoidal_positions_late(n, d):
    """This counts the frequencies from 1: the first pair has i = 0, an angle of pos itself."""
    return sinusoidal_by(2 * (torch.arange(d // 2) + 1) / d, n)


def sinusoidal_positions_twice(n, d):
    """This doubles the exponent: `arange(0, d, 2)` is 2i already, so 2i/d is that divided by d."""
    return sinusoidal_by(2 * torch.arange(0, d, 2) / d, n)


def sinusoidal_positions_fast(n, d):
    """This multiplies by 10000^(2i/d), it should divide: the waves get longer, not shorter."""
    return sinusoidal_by(-2 * torch.arange(d // 2) / d, n)


def sinusoidal_positions_from_one(n, d):
    """This counts positions from 1: row 0 is position 0, that is 0, 1, 0, 1 ..."""
    return sinusoidal_by(2 * torch.arange(d // 2) / d, n, first=1)


def sinusoidal_positions_by_column(n, d):
    """This gives each column its own angle, with j/d for column j: a sine shares its cosine's."""
    angles = torch.arange(n)[:, None] / 10_000 ** (torch.arange(d) / d)
    return torch.where(torch.arange(d) % 2 == 0, angles.sin(), angles.cos())


def sinusoidal_positions_column_for_pair(n, d):
    """This takes the column's number for i: i counts pairs, so columns 2i and 2i + 1 share it."""
    angles = torch.arange(n)[:, None] / 10_000 ** (2 * torch.arange(d) / d)
    return torch.where(torch.arange(d) % 2 == 0, angles.sin(), angles.cos())


def sinusoidal_positions_blocks(n, d):
    """This is the same table with its columns in another order: all sines, then all cosines.
    A model learns the same from it. Write the paper's order, sine and cosine side by side: the next
    sections turn such neighbours.
    """
    table = sinusoidal_positions(n, d)
    return torch.cat([table[:, 0::2], table[:, 1::2]], dim=-1)


def sinusoidal_positions_cosine_first(n, d):
    """This puts the cosine first: the sine has the even columns 0, 2, 4 ..."""
    return sinusoidal_positions(n, d).unflatten(-1, (-1, 2)).flip(-1).flatten(1)


def sinusoidal_positions_sines(n, d):
    """This has sines only: the odd columns are cosines, which tell rising from falling."""
    return sinusoidal_positions(n, d)[:, 0::2].repeat_interleave(2, dim=-1)


def sinusoidal_positions_cycles(n, d):
    """This takes 10000^(2i/d) for the wavelength: the angle has no 2 pi in it."""
    angles = 2 * torch.pi * torch.arange(n)[:, None] / 10_000 ** (2 * torch.arange(d // 2) / d)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def sinusoidal_positions_base(n, d):
    """This has 1,000 as the base: the paper's is 10,000, with four zeros."""
    return sinusoidal_by(0.75 * 2 * torch.arange(d // 2) / d, n)  # 1000 = 10000^0.75


def sinusoidal_positions_transposed(n, d):
    """This gives one row a frequency: a position is a row."""
    return sinusoidal_positions(n, d).T


def sinusoidal_positions_cases():
    """From four columns on, each rule for the exponent gives waves of its own."""
    return [
        case("three positions, four columns", 3, 4),
        case("seven positions, six columns", 7, 6),
        case("20 positions, ten columns", 20, 10),
        case("one position, eight columns", 1, 8),
    ]


SINUSOIDAL_POSITIONS = Write(
    id="3.2",
    title="The sinusoids",
    level="medium",
    text="""
Write `sinusoidal_positions(n, d)`: the vectors of positions 0 to n - 1, shape (n, d), d even and at
least 4. Pair i (from 0 to d/2 - 1) turns by the angle pos / 10000^(2i/d): its sine stands in column
2i, its cosine in column 2i + 1. The table tells an attention layer where each token stands.
""",
    hints=(
        "The angles first: positions as (n, 1), pairs as (d/2,), together (n, d/2).",
        "`table[:, 0::2]` are the columns 0, 2, 4 ..., `table[:, 1::2]` those after them.",
        "Row 0 is 0, 1, 0, 1 ... Row 1 begins with sin 1 = 0.84 and cos 1 = 0.54.",
    ),
    solution=sinusoidal_positions,
    second_style=sinusoidal_positions_loops,
    mistakes=(
        sinusoidal_positions_half,
        sinusoidal_positions_to_end,
        sinusoidal_positions_late,
        sinusoidal_positions_twice,
        sinusoidal_positions_fast,
        sinusoidal_positions_from_one,
        sinusoidal_positions_by_column,
        sinusoidal_positions_column_for_pair,
        sinusoidal_positions_blocks,
        sinusoidal_positions_cosine_first,
        sinusoidal_positions_sines,
        sinusoidal_positions_cycles,
        sinusoidal_positions_base,
        sinusoidal_positions_transposed,
    ),
    cases=sinusoidal_positions_cases,
    see="3.3 Sinusoids",
)

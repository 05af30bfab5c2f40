"""Chapter 03: the table of sines and cosines."""

import math

import torch

from tutorial_lib.exercises.engine.properties import alike, composed, properties
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


def sinusoidal_positions_cases():
    """From four columns on, each rule for the exponent gives waves of its own."""
    return [
        case("three positions, four columns", 3, 4),
        case("seven positions, six columns", 7, 6),
        case("20 positions, ten columns", 20, 10),
        case("one position, eight columns", 1, 8),
    ]


def waves(answer):
    """Five positions with eight columns, a row each."""
    got = answer(5, 8)
    return got.T if got.shape == (8, 5) else got


def waves_by(exponent, first, unit, order):
    """The table by exponents of the eight columns, a first position, a unit, and an order."""
    angles = unit * torch.arange(first, first + 5)[:, None] / 10_000 ** exponent(torch.arange(8))
    return order(angles.sin(), angles.cos())


def side_by_side(sin, cos):
    """Each sine with its cosine after it: columns 2i and 2i + 1."""
    return torch.stack([sin[:, 0::2], cos[:, 1::2]], dim=-1).flatten(1)


def a_row_each(answer):
    """The table must have shape (n, d), a row for each position."""
    got = answer(5, 8)
    return "It is on its side: a position is a row." if got.shape == (8, 5) else got.shape == (5, 8)


def angles_of_row_1(answer):
    """Row 1 does not turn pair i by the angle 1 / 10000^(2i/d)."""
    row = waves(answer)[1]
    return alike(torch.atan2(row[0::2], row[1::2]), 10_000 ** (-torch.arange(4) / 4))


SINUSOIDAL_RULES = composed(
    waves,
    waves_by,
    {
        "Pair i turns by pos / 10000^(2i/d).": lambda j: (j - j % 2) / 8,
        "The exponent is i/d: it must be 2i/d, nearly 0 to 1.": lambda j: j // 2 / 8,
        "It divides i by d/2 - 1: the exponent is 2i/d, below 1.": lambda j: j // 2 / 3,
        "It counts pairs from 1: the first has i = 0, an angle of pos.": (
            lambda j: (j // 2 + 1) / 4
        ),
        "It doubles twice: `arange(0, d, 2)` is 2i already.": lambda j: j // 2 / 2,
        "It multiplies by 10000^(2i/d) where it should divide.": lambda j: -(j // 2) / 4,
        "Each column has its own angle, by j/d: a sine shares its cosine's.": lambda j: j / 8,
        "It takes the column's number for i: i counts pairs.": lambda j: j / 4,
        "The base is 1,000: it is 10,000.": lambda j: 0.75 * (j // 2) / 4,
        "It divides by d twice: the exponent is 2i/d.": lambda j: (j - j % 2) / 64,
        "All pairs turn alike: pair i turns by pos / 10000^(2i/d).": lambda j: 0 * j,
    },
    {"Positions count from 0.": 0, "It counts from 1: row 0 is 0, 1, 0, 1 ...": 1},
    {
        "The angle is in radians.": 1,
        "There is no 2 pi in the angle.": 2 * math.pi,
        "The angle is turned from degrees into radians: it is in radians already.": (math.pi / 180),
    },
    {
        "The sine of pair i stands in column 2i, its cosine in column 2i + 1.": side_by_side,
        (
            "All sines, then all cosines: a model learns the same from it, but here a sine "
            "and its cosine are side by side."
        ): (lambda sin, cos: torch.cat([sin[:, 0::2], cos[:, 1::2]], dim=1)),
        "The cosine comes first: the sine has the even columns.": (
            lambda sin, cos: side_by_side(cos, sin)
        ),
        "These are sines only: the odd columns are cosines.": (
            lambda sin, cos: side_by_side(sin, sin)
        ),
        "These are cosines only: the even columns are sines.": (
            lambda sin, cos: side_by_side(cos, cos)
        ),
    },
    otherwise=(angles_of_row_1,),
)


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
    mistakes=(),
    cases=sinusoidal_positions_cases,
    properties=(*properties(a_row_each), *SINUSOIDAL_RULES),
    see="3.3 Sinusoids",
)

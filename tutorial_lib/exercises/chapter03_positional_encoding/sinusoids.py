"""Chapter 03: the table of sines and cosines."""

import math

import torch

from tutorial_lib.exercises.chapter03_positional_encoding.measures import (
    EXPONENTS,
    PAIRS,
    turns_as_it_should,
)
from tutorial_lib.exercises.engine.properties import composed, properties
from tutorial_lib.exercises.engine.tasks import Write, case


def sinusoidal_positions(n, d):
    """Return the vectors (n, d) of the positions 0 to n - 1, read off d/2 hands; d is even.

    Hand i has its sine in column 2i, its cosine in column 2i + 1.
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


def a_row_each(answer):
    """The table must have shape (n, d), a row for each position."""
    got = answer(5, 8)
    return "It is on its side: a position is a row." if got.shape == (8, 5) else got.shape == (5, 8)


def waves(answer):
    """Five positions with eight columns, a row each."""
    got = answer(5, 8)
    return got.T if got.shape == (8, 5) else got


def waves_by(exponents, first, unit, order):
    """Make this table by other exponents (d/2,) or (d,), first position, unit and order."""
    exponents = exponents.repeat_interleave(8 // len(exponents))
    angles = unit * torch.arange(first, first + 5)[:, None] / 10_000**exponents
    columns = torch.stack([angles.sin(), angles.cos()], dim=1).flatten(1)  # 8 sines, 8 cosines
    return columns[:, order]


def angles_of_row_1(answer):
    """Row 1 must turn pair i by the angle 1 / 10000^(2i/d)."""
    row = waves(answer)[1]
    return turns_as_it_should(row[1::2], row[0::2])


RULES = composed(
    waves,
    waves_by,
    EXPONENTS
    | {
        "It divides i by d/2 - 1: the exponent should be 2i/d, below 1.": PAIRS / 3,
        "Each column has its own angle: a sine should share its cosine's.": torch.arange(8) / 8,
        "It takes the column's number for i: i should count pairs.": torch.arange(8) / 4,
        "The base is 1,000: it should be 10,000.": 0.75 * PAIRS / 4,
    },
    {"Positions count from 0.": 0, "It counts from 1: row 0 should be 0, 1, 0, 1 ...": 1},
    {
        "The angle is in radians.": 1,
        "It multiplies by 2 pi: there should be none in the angle.": 2 * math.pi,
        "It turns degrees into radians: the angle is in radians already.": math.pi / 180,
    },
    {
        "The sine of pair i is in column 2i, its cosine in column 2i + 1.": [
            0,
            9,
            2,
            11,
            4,
            13,
            6,
            15,
        ],
        "All sines, then all cosines: a model learns the same from it, but the next sections turn "
        "neighbours.": [0, 2, 4, 6, 9, 11, 13, 15],
        "The cosine comes first: the sine should have the even columns.": [
            8,
            1,
            10,
            3,
            12,
            5,
            14,
            7,
        ],
        "These are sines only: the odd columns should be cosines.": [0, 1, 2, 3, 4, 5, 6, 7],
        "These are cosines only: the even columns should be sines.": [8, 9, 10, 11, 12, 13, 14, 15],
    },
    otherwise=(angles_of_row_1,),
)


SINUSOIDAL_POSITIONS = Write(
    id="3.2",
    title="The sinusoids",
    level="medium",
    text="""
Build the clock. Write `sinusoidal_positions(n, d)`: the vectors of positions 0 to n - 1, shape
(n, d), d even and at least 4, read off d/2 hands. At position 0 all angles are 0. **Hand 0** turns
by 1 radian at each position, and each further hand turns 10000^(2/d) times more slowly than the one
before it. The sine of hand i goes to column 2i, its cosine to column 2i + 1. The rest of the
chapter works with your table, and 3J trains a reader with it.
""",
    hints=(
        "Hand 1 turns by 1 / 10000^(2/d), hand 2 by that divided by 10000^(2/d) again. And hand i?",
        "The angles first: positions as (n, 1), hands as (d/2,), together (n, d/2).",
        "`table[:, 0::2]` are the columns 0, 2, 4 ..., `table[:, 1::2]` those after them.",
        "Row 0 is 0, 1, 0, 1 ... Row 1 begins with sin 1 = 0.84 and cos 1 = 0.54.",
    ),
    solution=sinusoidal_positions,
    second_style=sinusoidal_positions_loops,
    mistakes=(),
    cases=sinusoidal_positions_cases,
    properties=(*properties(a_row_each), *RULES),
    see="3C Sinusoids",
)

"""Chapter 03: one step further is a rotation."""

import math

import torch

from tutorial_lib.exercises.chapter03_positional_encoding.measures import (
    EXPONENTS,
    turns_as_it_should,
)
from tutorial_lib.exercises.engine.properties import composed
from tutorial_lib.exercises.engine.tasks import Write, case


def shift_matrix(offset, d):
    """Return the matrix M (d, d) with M @ PE(pos) = PE(pos + offset) at every position pos.

    PE(pos) (d,) holds sin and cos of pos / 10000^(2i/d) in the neighbours 2i and 2i + 1.
    """
    matrix = torch.zeros(d, d)
    for i in range(d // 2):
        angle = offset / 10_000 ** (2 * i / d)
        cos, sin = math.cos(angle), math.sin(angle)
        pair = slice(2 * i, 2 * i + 2)
        matrix[pair, pair] = torch.tensor([[cos, sin], [-sin, cos]])
    return matrix


def shift_matrix_exponential(offset, d):
    """Second style."""
    frequencies = 10_000 ** (-torch.arange(0, d, 2) / d)  # radians a step
    step = torch.zeros(d, d)
    even = torch.arange(0, d, 2)
    step[even, even + 1] = frequencies  # the derivative of a sine is its cosine
    step[even + 1, even] = -frequencies
    return torch.matrix_exp(offset * step)


def shift_matrix_cases():
    """Back must differ from on; several widths, and a far step, tell the frequencies apart."""
    return [
        case("no step, 4 columns", 0, 4),
        case("one step on, 6 columns", 1, 6),
        case("three steps on, 8 columns", 3, 8),
        case("five steps back, 6 columns", -5, 6),
        case("40 steps on, 4 columns", 40, 4),
    ]


def pairs_stay_where_they_are(answer):
    """Each pair must turn by itself: 2 x 2 blocks along the diagonal, and zeros elsewhere."""
    return not answer(3, 8)[torch.block_diag(*torch.ones(4, 2, 2)) == 0].any()


def angles_of_the_pairs(answer):
    """Pair i must turn by the angle offset / 10000^(2i/d)."""
    got = answer(1, 8)
    return turns_as_it_should(got[0::2, 0::2].diagonal(), got[0::2, 1::2].diagonal())


def shift_by(offset, exponents, block, order):
    """Make the matrix for eight columns by another offset, exponents, block and order."""
    angles = (offset / 10_000**exponents).tolist()
    blocks = (torch.tensor(block(math.cos(angle), math.sin(angle))) for angle in angles)
    return torch.block_diag(*blocks)[order][:, order]


def shift_matrix_times(offset, d):
    """This multiplies the blocks by the offset: it is a factor of the angle."""
    return offset * shift_matrix(1, d)


def shift_matrix_three(offset, d):
    """This goes three steps whatever the offset says."""
    return shift_matrix(3, d)


RULES = composed(
    lambda answer: answer(3, 8),
    shift_by,
    {
        "The angle of the first pair is the offset.": 3,
        "It is always one step: the angle grows with the offset.": 1,
        "It goes one step too far.": 4,
        "It goes one step too little.": 2,
        "It goes twice as far.": 6,
    },
    EXPONENTS,
    {
        "A block has the rows (cos, sin) and (-sin, cos).": lambda c, s: [[c, s], [-s, c]],
        "It turns the wrong way: M @ PE(pos) is PE(pos - offset). The transpose serves for "
        "rows, PE(pos) @ M; here a position is a column.": lambda c, s: [[c, -s], [s, c]],
        "Both sines are positive: the new cosine needs a minus.": lambda c, s: [[c, s], [s, c]],
        "Sine and cosine are exchanged: offset 0 gives the identity.": lambda c, s: [
            [s, c],
            [c, -s],
        ],
        "Cosines are where sines belong: offset 0 gives the identity.": (
            lambda c, s: [[s, c], [-c, s]]
        ),
        "It has cosines only: a sine shifted mixes sine and cosine.": lambda c, s: [
            [c, 0.0],
            [0.0, c],
        ],
    },
    {
        "Sine and cosine of a pair are neighbours.": [0, 1, 2, 3, 4, 5, 6, 7],
        "It is for all sines first, then all cosines: here a pair is side by side.": [
            0,
            2,
            4,
            6,
            1,
            3,
            5,
            7,
        ],
    },
    otherwise=(pairs_stay_where_they_are, angles_of_the_pairs),
)


SHIFT_MATRIX = Write(
    id="3.7",
    title="A shift is a rotation",
    level="medium",
    text="""
Write `shift_matrix(offset, d)`: the matrix M (d, d) with **M @ PE(pos) = PE(pos + offset)** for all
positions. The vector is on the right, as a column. Sine and cosine of a pair are neighbours, as
in exercise 3.2. M depends on the offset, not on pos: so one linear layer can look "three words
back" from any position.
""",
    hints=(
        "sin(a + b) = sin a cos b + cos a sin b, and cos(a + b) = cos a cos b - sin a sin b.",
        "One pair is a 2 x 2 block: its first row gives the new sine, its second the new cosine.",
        "Pair i turns by offset / 10000^(2i/d); its block is in rows and columns 2i, 2i + 1.",
    ),
    solution=shift_matrix,
    second_style=shift_matrix_exponential,
    mistakes=(shift_matrix_times, shift_matrix_three),
    cases=shift_matrix_cases,
    properties=RULES,
    see="3E Offsets",
)

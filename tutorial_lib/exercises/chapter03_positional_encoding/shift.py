"""Chapter 03: one step further is a rotation."""

import math

import torch

from tutorial_lib.exercises.engine.properties import composed, properties
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


def shift_by(offset, exponent, block, order):
    """The matrix for 3 steps and 8 columns, by choices of one's own."""
    matrix = torch.zeros(8, 8)
    for i in range(4):
        angle = offset / 10_000 ** exponent(i)
        pair = slice(2 * i, 2 * i + 2)
        matrix[pair, pair] = torch.tensor(block(math.cos(angle), math.sin(angle)))
    return matrix[order][:, order]


def pairs_stay_where_they_are(answer):
    """Each pair must turn by itself: 2 x 2 blocks along the diagonal, and zeros elsewhere."""
    blocks = torch.ones(4, 2, 2).bool()
    halves = torch.eye(4).repeat(2, 2).bool()
    got = answer(3, 8) != 0
    return None if not (got & ~halves).any() else not (got & ~torch.block_diag(*blocks)).any()


SHIFT_RULES = composed(
    lambda answer: answer(3, 8),
    shift_by,
    {
        "The angle of the first pair is the offset.": 3,
        "It is always one step: the angle grows with the offset.": 1,
        "It goes one step too far.": 4,
        "It goes one step too little.": 2,
        "It goes twice as far.": 6,
    },
    {
        "Pair i turns by offset / 10000^(2i/d).": lambda i: i / 4,
        "All pairs turn by the offset: pair i by offset / 10000^(2i/d).": lambda i: 0,
        "The exponent is i/d: it is 2i/d.": lambda i: i / 8,
        "It counts pairs from 1: the first has i = 0, and turns by the offset.": (
            lambda i: (i + 1) / 4
        ),
        "It multiplies by 10000^(2i/d): the later a pair, the less it turns.": lambda i: -i / 4,
    },
    {
        "A block has the rows (cos, sin) and (-sin, cos).": lambda cos, sin: [
            [cos, sin],
            [-sin, cos],
        ],
        (
            "It turns the wrong way: M @ PE(pos) is PE(pos - offset). The transpose serves for "
            "rows, PE(pos) @ M; here a position is a column."
        ): (lambda cos, sin: [[cos, -sin], [sin, cos]]),
        "Both sines are positive: cos(a + b) = cos a cos b - sin a sin b.": (
            lambda cos, sin: [[cos, sin], [sin, cos]]
        ),
        "Sine and cosine are exchanged: an offset of 0 must give the identity.": (
            lambda cos, sin: [[sin, cos], [cos, -sin]]
        ),
        "Cosines stand where sines belong: an offset of 0 must give the identity.": (
            lambda cos, sin: [[sin, cos], [-cos, sin]]
        ),
        "It has cosines only: a sine shifted is a mix of sine and cosine.": (
            lambda cos, sin: [[cos, 0.0], [0.0, cos]]
        ),
    },
    {
        "Sine and cosine of a pair are neighbours.": list(range(8)),
        "It is for all sines first, then all cosines: here a pair is side by side.": (
            [
                *range(0, 8, 2),
                *range(1, 8, 2),
            ]
        ),
    },
)


SHIFT_MATRIX = Write(
    id="3.7",
    title="A shift is a rotation",
    level="medium",
    text="""
Write `shift_matrix(offset, d)`: the matrix M (d, d) with **M @ PE(pos) = PE(pos + offset)** for all
positions. The vector stands on the right, as a column. Sine and cosine of a pair are neighbours, as
in exercise 3.2. M depends on the offset, not on pos: so one linear layer can look "three words
back" wherever it stands.
""",
    hints=(
        "sin(a + b) = sin a cos b + cos a sin b, and cos(a + b) = cos a cos b - sin a sin b.",
        "One pair is a 2 x 2 block: its first row gives the new sine, its second the new cosine.",
        "Pair i turns by offset / 10000^(2i/d); its block stands in rows and columns 2i, 2i + 1.",
    ),
    solution=shift_matrix,
    second_style=shift_matrix_exponential,
    mistakes=(),
    cases=shift_matrix_cases,
    properties=(*SHIFT_RULES, *properties(pairs_stay_where_they_are)),
    see="3.5 Offsets",
)

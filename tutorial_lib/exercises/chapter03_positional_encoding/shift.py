"""Chapter 03: one step further is a rotation."""

import math

import torch

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


def shift_matrix_by(angles, block):
    """One 2 x 2 block for each angle, written as block(cos, sin), along the diagonal."""
    pairs = zip(angles.cos().tolist(), angles.sin().tolist(), strict=True)
    return torch.block_diag(*(torch.tensor(block(cos, sin)) for cos, sin in pairs))


def shift_angles(offset, d):
    """The angle of each pair, (d/2,)."""
    return offset / 10_000 ** (torch.arange(0, d, 2) / d)


def shift_block(cos, sin):
    """The block that turns (sin a, cos a) on by an angle."""
    return [[cos, sin], [-sin, cos]]


def shift_matrix_back(offset, d):
    """This turns the wrong way: M @ PE(pos) is PE(pos - offset). It is the transpose of the right
    matrix, which serves for rows, PE(pos) @ M; here a position stands on the right, as a column.
    """
    return shift_matrix(offset, d).T


def shift_matrix_blocks(offset, d):
    """This is right for all sines first, then all cosines: here each pair stands side by side."""
    angles = shift_angles(offset, d)
    cos, sin = angles.cos().diag(), angles.sin().diag()
    return torch.cat([torch.cat([cos, sin], 1), torch.cat([-sin, cos], 1)])


def shift_matrix_blocks_back(offset, d):
    """This has all sines first, then all cosines, and turns the wrong way as well."""
    return shift_matrix_blocks(offset, d).T


def shift_matrix_one_angle(offset, d):
    """This turns all pairs by the offset itself: pair i turns by offset / 10000^(2i/d)."""
    return shift_matrix_by(torch.full((d // 2,), float(offset)), shift_block)


def shift_matrix_half_exponent(offset, d):
    """This has i/d as the exponent of the frequencies: it is 2i/d."""
    return shift_matrix_by(offset / 10_000 ** (torch.arange(d // 2) / d), shift_block)


def shift_matrix_late(offset, d):
    """This counts the frequencies from 1: the first pair has i = 0 and turns by the offset."""
    return shift_matrix_by(offset / 10_000 ** (torch.arange(2, d + 2, 2) / d), shift_block)


def shift_matrix_fast(offset, d):
    """This multiplies by 10000^(2i/d): the later the pair, the less it turns, so divide."""
    return shift_matrix_by(offset * 10_000 ** (torch.arange(0, d, 2) / d), shift_block)


def shift_matrix_one_step(offset, d):
    """This is always one step: the angle grows with the offset."""
    return shift_matrix(1, d)


def shift_matrix_no_minus(offset, d):
    """This has both sines positive: cos(a + b) = cos a cos b - sin a sin b needs a minus."""
    return shift_matrix_by(shift_angles(offset, d), lambda cos, sin: [[cos, sin], [sin, cos]])


def shift_matrix_swapped(offset, d):
    """This has sine and cosine exchanged: an offset of 0 must give the identity."""
    return shift_matrix_by(shift_angles(offset, d), lambda cos, sin: [[sin, cos], [cos, -sin]])


def shift_matrix_swapped_back(offset, d):
    """This has cosines where the sines belong: with an offset of 0 the diagonal must be 1."""
    return shift_matrix_by(shift_angles(offset, d), lambda cos, sin: [[sin, cos], [-cos, sin]])


def shift_matrix_diagonal(offset, d):
    """This has cosines on the diagonal only: a sine shifted is a mix of sine and cosine."""
    return shift_matrix_by(shift_angles(offset, d), lambda cos, sin: [[cos, 0.0], [0.0, cos]])


def shift_matrix_rolled(offset, d):
    """This moves the columns along: a shift in position turns each pair where it stands."""
    return torch.eye(d).roll(offset, dims=0)


def shift_matrix_cases():
    """Back must differ from on; several widths, and a far step, tell the frequencies apart."""
    return [
        case("no step, 4 columns", 0, 4),
        case("one step on, 6 columns", 1, 6),
        case("three steps on, 8 columns", 3, 8),
        case("five steps back, 6 columns", -5, 6),
        case("40 steps on, 4 columns", 40, 4),
    ]


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
    mistakes=(
        shift_matrix_back,
        shift_matrix_blocks,
        shift_matrix_blocks_back,
        shift_matrix_one_angle,
        shift_matrix_half_exponent,
        shift_matrix_late,
        shift_matrix_fast,
        shift_matrix_one_step,
        shift_matrix_no_minus,
        shift_matrix_swapped,
        shift_matrix_swapped_back,
        shift_matrix_diagonal,
        shift_matrix_rolled,
    ),
    cases=shift_matrix_cases,
    see="3.5 Offsets",
)

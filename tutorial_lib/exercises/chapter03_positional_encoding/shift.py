"""Chapter 03: by how many positions a matrix shifts, read from its hands."""

import math

import torch

from tutorial_lib.exercises.engine.properties import properties
from tutorial_lib.exercises.engine.tasks import Write, case
from tutorial_lib.positions import sinusoidal

FARTHEST = 1000  # positions, either way


def offset_of(matrix):
    """Return the offset, -1000 to 1000, of a matrix (d, d) with M @ PE(pos) = PE(pos + offset).

    PE are sinusoids of width d. The numbers of the matrix are rounded to two decimals.
    """
    table = sinusoidal(2 * FARTHEST + 1, len(matrix))  # (2001, d): positions 0 to 2000
    moved = matrix @ table[FARTHEST]  # (d,): the middle position, shifted
    return int((table @ moved).argmax()) - FARTHEST  # all rows are equally long


def offset_of_by_angles(matrix):
    """Second style."""
    d = len(matrix)
    speeds = [10_000 ** (-2 * i / d) for i in range(d // 2)]
    angles = [math.atan2(matrix[2 * i, 2 * i + 1], matrix[2 * i, 2 * i]) for i in range(d // 2)]

    def misfit(offset):
        return sum(
            1 - math.cos(offset * speed - angle)
            for speed, angle in zip(speeds, angles, strict=True)
        )

    return min(range(-FARTHEST, FARTHEST + 1), key=misfit)


def offset_of_fastest(matrix):
    """This reads the fastest hand only, and it is back where it was every 6.28 positions."""
    return round(math.atan2(matrix[0, 1], matrix[0, 0]))


def offset_of_fastest_whole(matrix):
    """This asks the fastest hand alone which offset fits: 710 positions, for one, are 113 full
    turns of it, as good as exactly. The slower hands tell them apart.
    """
    angle = math.atan2(matrix[0, 1], matrix[0, 0])
    near = sorted(range(-FARTHEST, FARTHEST + 1), key=abs)
    return next(offset for offset in near if math.cos(offset - angle) > 0.99)


def offset_of_slowest(matrix):
    """This reads the slowest hand only: its angle is rounded, and many positions fit."""
    d = len(matrix)
    angle = math.atan2(matrix[d - 2, d - 1], matrix[d - 2, d - 2])
    return round(angle * 10_000 ** ((d - 2) / d))


def offset_of_turned(matrix):
    """This has the sign turned round: M @ PE(pos), and not PE(pos) @ M, is PE(pos + offset)."""
    return offset_of(matrix.T)


def offset_of_forward(matrix):
    """This looks at offsets from 0 on only: a matrix may shift back."""
    table = sinusoidal(FARTHEST + 1, len(matrix))
    return int((table @ (matrix @ table[0])).argmax())


def offset_of_late(matrix):
    """This is one too large: position 0 is the first row of the table."""
    return offset_of(matrix) + 1


def offset_of_position(matrix):
    """This is where the position comes to, not how far it went: take away where it was."""
    return offset_of(matrix) + FARTHEST


def shift(offset, d):
    """The matrix that shifts by an offset, (d, d), to two decimals: 2 x 2 blocks that turn."""
    angles = [offset / 10_000 ** (2 * i / d) for i in range(d // 2)]
    blocks = [[[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]] for a in angles]
    return torch.block_diag(*map(torch.tensor, blocks)).round(decimals=2)


def offset_of_cases():
    """Offsets that the fastest hand, or the slowest, takes for others."""
    return [
        case(f"{offset:+} at width {d}" if offset else f"no shift at width {d}", shift(offset, d))
        for offset, d in ((3, 8), (0, 8), (-2, 16), (47, 8), (713, 16), (-250, 16), (1000, 32))
    ]


def a_whole_number(answer):
    """The offset must be one whole number."""
    found = torch.as_tensor(answer(shift(2, 16))).float()
    return found.numel() == 1 and bool(found == found.round())


def fast_hand_is_read(answer):
    """The last few positions are off: the fast hands tell neighbours apart."""
    found = int(answer(shift(3, 16)))
    return found == 3 or f"A shift by 3 is read as {found}: the fast hands tell neighbours apart."


def slow_hands_are_read(answer):
    """Far offsets are taken for near ones: the slow hands tell them apart."""
    found = int(answer(shift(713, 16)))
    return found == 713 or f"A shift by 713 is read as {found}: the slow hands tell near from far."


def back_is_back(answer):
    """A shift back must give a negative offset."""
    found = int(answer(shift(-2, 16)))
    return found == -2 or f"A shift by -2 is read as {found}."


OFFSET_OF = Write(
    id="3.5",
    title="By how much does it shift?",
    level="medium",
    text="""
You are handed a matrix M (d, d) with **M @ PE(pos) = PE(pos + offset)** at every position. Sine and
cosine of a pair are neighbours, as in 3.2. The width d is even and at least 8, and the numbers of M
are rounded to two decimals. Write `offset_of(matrix)`: which whole number from -1000 to 1000 is the
offset? The fastest hand is back where it was every 6.28 positions, the slowest
hardly moves at all.
""",
    hints=(
        "You know PE(0): it is 0, 1, 0, 1 ... What is M @ PE(0)?",
        "Which row of a table of sinusoids is most like what M makes of one of them?",
        "Shift position 1000 and compare with positions 0 to 2000: then back is no special case.",
    ),
    solution=offset_of,
    second_style=offset_of_by_angles,
    mistakes=(
        offset_of_fastest,
        offset_of_fastest_whole,
        offset_of_slowest,
        offset_of_turned,
        offset_of_forward,
        offset_of_late,
        offset_of_position,
    ),
    cases=offset_of_cases,
    properties=properties(a_whole_number, fast_hand_is_read, slow_hands_are_read, back_is_back),
    see="3E Offsets",
)

"""Chapter 03: counting in columns that switch on and off."""

import torch

from tutorial_lib.exercises.engine.tasks import Write, case


def binary_positions(n, bits):
    """Return the binary digits (n, bits) of the positions 0 to n - 1.

    Column i holds the digit that counts 2^i; digits that do not fit into the columns are dropped.
    """
    positions = torch.arange(n)[:, None]  # (n, 1)
    powers = 2 ** torch.arange(bits)  # (bits,)
    return (positions // powers % 2).float()  # (n, bits)


def binary_positions_strings(n, bits):
    """Second style."""
    rows = [f"{position:0{bits}b}"[::-1][:bits] for position in range(n)]
    return [[int(digit) for digit in row] for row in rows]


def binary_positions_turned(n, bits):
    """This puts the most significant digit first: column 0 is the one that switches fastest."""
    return binary_positions(n, bits).flip(-1)


def binary_positions_from_one(n, bits):
    """This counts from 1: the first position is 0, a row of zeros."""
    return binary_positions(n + 1, bits)[1:]


def binary_positions_unlimited(n, bits):
    """This divides by 2^i and stops there: a digit is the remainder of that, modulo 2."""
    return torch.arange(n)[:, None] // 2 ** torch.arange(bits)


def binary_positions_remainder(n, bits):
    """This takes the position modulo 2^(i+1): a remainder holds all lower digits, not one digit."""
    return torch.arange(n)[:, None] % 2 ** (torch.arange(bits) + 1)


def binary_positions_fraction(n, bits):
    """This divides with `/`: the digits come out as fractions. Whole division is `//`."""
    return torch.arange(n)[:, None] / 2 ** torch.arange(bits) % 2


def binary_positions_from_two(n, bits):
    """This starts with the digit that counts 2: column 0 counts 2^0 = 1, it switches each time."""
    return binary_positions(n, bits + 1)[:, 1:]


def binary_positions_multiples(n, bits):
    """This divides by multiples of 2, in place of powers: column i has period 2^(i+1)."""
    return torch.arange(n)[:, None] // (2 * torch.arange(bits)).clamp(min=1) % 2


def binary_positions_transposed(n, bits):
    """This gives one row a digit: a position is a row, a digit a column."""
    return binary_positions(n, bits).T


def binary_positions_signs(n, bits):
    """This writes -1 in place of 0: the digits are 0 and 1."""
    return 2 * binary_positions(n, bits) - 1


def binary_positions_inverted(n, bits):
    """This has 0 and 1 the wrong way round: position 0 is all zeros."""
    return 1 - binary_positions(n, bits)


def binary_positions_decimal(n, bits):
    """This writes decimal digits: divide by powers of 2, and take the rest modulo 2."""
    return torch.arange(n)[:, None] // 10 ** torch.arange(bits) % 10


def binary_positions_gray(n, bits):
    """This changes one digit a step, which is a Gray code: 3 is 1 + 2, so its row starts 1, 1."""
    positions = torch.arange(n)
    return ((positions ^ (positions >> 1))[:, None] >> torch.arange(bits)) % 2


def binary_positions_cases():
    """More positions than digits and the other way round; at last some that do not fit."""
    return [
        case("six positions, three digits", 6, 3),
        case("13 positions, five digits", 13, 5),
        case("21 positions, two digits", 21, 2),
        case("one position, four digits", 1, 4),
    ]


BINARY_POSITIONS = Write(
    id="3.1",
    title="Positions as binary digits",
    level="easy",
    text="""
Write `binary_positions(n, bits)`: one row for each position from 0 to n - 1, one column for each
binary digit, as numbers 0 and 1. The **least significant digit comes first**: column 0 counts ones,
column 1 twos, column 2 fours. Position 6 with three digits is 0, 1, 1. Digits beyond `bits` are
dropped, so that the rows repeat after 2^bits positions. Each column is a wave with corners; the
next section makes them round.
""",
    hints=(
        "How often does 2^i go into the position, in whole numbers? Is that odd or even?",
        "`positions // 2**i % 2` is the digit of column i.",
        "With `positions` of shape (n, 1) and the powers of shape (bits,) you need no loop.",
    ),
    solution=binary_positions,
    second_style=binary_positions_strings,
    mistakes=(
        binary_positions_turned,
        binary_positions_from_one,
        binary_positions_unlimited,
        binary_positions_remainder,
        binary_positions_fraction,
        binary_positions_from_two,
        binary_positions_multiples,
        binary_positions_transposed,
        binary_positions_signs,
        binary_positions_inverted,
        binary_positions_decimal,
        binary_positions_gray,
    ),
    cases=binary_positions_cases,
    see="3.2 Ideas that fail",
)

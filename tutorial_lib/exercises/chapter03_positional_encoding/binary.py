"""Chapter 03: counting in columns that switch on and off."""

import torch

from tutorial_lib.exercises.engine.properties import composed, properties
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


def a_row_each(answer):
    """Yours does not have a row for each of the n positions, a column for each digit."""
    got = answer(11, 4)
    return "It is on its side: a position is a row." if got.shape == (4, 11) else len(got) == 11


def digits(answer):
    """Eleven positions with four digits, a row each."""
    got = answer(11, 4)
    return got.T if got.shape == (4, 11) else got


def digits_by(count, positions, order, last):
    """Make this table by another way to count, other positions, order, and last step."""
    return last(count(positions[:, None], torch.arange(4))[:, order].float())


def rows_repeat(answer):
    """Yours repeats the last row from position 2^bits on: drop the digits that do not fit, so that
    the rows start again from 0.
    """
    got = answer(9, 2)
    got = got.T if got.shape == (2, 9) else got
    stays = got == got[3]
    return not stays[4:].all() or bool(stays[:3].all())


def zeros_and_ones(answer):
    """Yours has other numbers than 0 and 1."""
    return set(digits(answer).flatten().tolist()) == {0, 1}


RULES = composed(
    digits,
    digits_by,
    {
        "Column i holds the digit that counts 2^i, 0 or 1.": lambda p, i: p // 2**i % 2,
        "It divides by 2^i and stops: the digit is the rest, modulo 2.": lambda p, i: p // 2**i,
        "A remainder modulo 2^(i+1) holds all lower digits too.": lambda p, i: p % 2 ** (i + 1),
        "It divides with `/`: whole division is `//`.": lambda p, i: p / 2**i % 2,
        "It starts at twos: column 0 counts ones, 2^0.": lambda p, i: p // 2 ** (i + 1) % 2,
        "It divides by multiples of 2: take powers.": lambda p, i: p // (2 * i + (i == 0)) % 2,
        "These are decimal digits: powers of 2, and modulo 2.": lambda p, i: p // 10**i % 10,
        "These are digits to base 3: powers of 2, and modulo 2.": lambda p, i: p // 3**i % 3,
    },
    {
        "Positions count from 0.": torch.arange(11),
        "It counts from 1: the first row is all zeros.": torch.arange(1, 12),
        "It counts down: the first row is all zeros.": torch.arange(11).flip(0),
    },
    {
        "The least significant digit comes first.": [0, 1, 2, 3],
        "The most significant digit comes first: column 0 switches at each step.": [3, 2, 1, 0],
    },
    {
        "Digits are 0 and 1.": lambda table: table,
        "It writes -1 in place of 0.": lambda table: 2 * table - 1,
        "It has 0 and 1 the wrong way round: position 0 is all zeros.": lambda table: 1 - table,
    },
    otherwise=(zeros_and_ones,),
)


BINARY_POSITIONS = Write(
    id="3.1",
    title="Positions as binary digits",
    level="easy",
    text="""
Write `binary_positions(n, bits)`: a row for each position from 0 to n - 1, a column for each binary
digit, as numbers 0 and 1. The **least significant digit comes first**: position 6 with three digits
is 0, 1, 1. Digits beyond `bits` are dropped, so that the rows repeat after 2^bits positions. The
next picture rounds your digits off.
""",
    hints=(
        "How often does 2^i go into the position, in whole numbers? Is that odd or even?",
        "`positions // 2**i % 2` is the digit of column i.",
        "With `positions` of shape (n, 1) and the powers of shape (bits,) you need no loop.",
    ),
    solution=binary_positions,
    second_style=binary_positions_strings,
    mistakes=(binary_positions_gray,),
    cases=binary_positions_cases,
    properties=(*properties(a_row_each), *RULES, *properties(rows_repeat)),
    see="3B Ideas that fail",
)

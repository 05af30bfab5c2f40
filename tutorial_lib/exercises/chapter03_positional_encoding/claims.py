"""Chapter 03: a question about waves, answered by a number."""

import math

import torch

from tutorial_lib.exercises.engine.tasks import Claim


def steps_until_half_move():
    """The first number of steps after which half of 512 columns have turned by at least pi."""
    frequencies = 1 / 10_000 ** (torch.arange(0, 512, 2, dtype=torch.float64) / 512)  # one a pair
    angles = torch.arange(1_000)[:, None] * frequencies  # (steps, 256)
    n_columns = 2 * (angles >= math.pi).sum(dim=1)
    return int((n_columns >= 256).nonzero()[0])


def steps_until_half_move_by_the_slowest():
    """Second style: the slowest of the first 128 pairs is the last one to get there."""
    return math.ceil(math.pi * 10_000 ** (2 * 127 / 512))


def steps_of(pair=127, d=512, angle=math.pi, factor=2):
    """Count with numbers of one's own, for the mistakes below."""
    return math.ceil(angle * 10_000 ** (factor * pair / d))


def steps_counted_from_one():
    """This waits for pair 128: i counts from 0, so that the 128th pair has i = 127."""
    return steps_of(pair=128)


def steps_for_all_columns():
    """This waits for the last pair: half of the columns are asked for."""
    return steps_of(pair=255)


def steps_as_columns():
    """This takes i for the number of a column: pair i has the columns 2i and 2i + 1."""
    return steps_of(pair=255, factor=1) + 1


def steps_rounded_down():
    """After these steps the slowest of the 128 pairs still lacks a little: round up."""
    return steps_until_half_move() - 1


def steps_whole_wave():
    """This asks for a whole wave, an angle of 2 pi: half a wave is pi."""
    return steps_of(angle=2 * math.pi)


def steps_quarter_wave():
    """This asks for a quarter of a wave, pi/2: half a wave is pi."""
    return steps_of(angle=math.pi / 2)


def steps_one_radian():
    """This asks for an angle of 1, a radian: half a wave is pi."""
    return steps_of(angle=1)


def steps_half_exponent():
    """This has i/d as the exponent: it is 2i/d."""
    return steps_of(factor=1)


def steps_of_128():
    """This is the number for d = 128: here d is 512."""
    return steps_of(pair=31, d=128)


def steps_in_proportion():
    """This goes on from a fifth in 20 steps as if each step moved as many: the waves get longer and
    longer, each by the same *factor*."""
    return 50


HALF_OF_THE_COLUMNS = Claim(
    id="3.3",
    title="Half of the columns",
    level="medium",
    text="""
After 20 steps a fifth of the columns move. The base Transformer has vectors of d = 512. Call a
column moving if it has completed at least **half a wave**: its angle is larger than at position 0
by pi or more. After how many **steps** do half of the 512 columns move? Give the first such number.
""",
    hints=(
        "After n steps pair i has turned by n / 10000^(2i/d), i from 0 to d/2 - 1.",
        "A pair is two columns. Which is the slowest of the pairs that must have moved?",
        "For that pair: n / 10000^(2i/d) must be at least pi. Solve for n, and round up.",
    ),
    solution=steps_until_half_move,
    second_style=steps_until_half_move_by_the_slowest,
    mistakes=(
        steps_counted_from_one,
        steps_for_all_columns,
        steps_as_columns,
        steps_rounded_down,
        steps_whole_wave,
        steps_quarter_wave,
        steps_one_radian,
        steps_half_exponent,
        steps_of_128,
        steps_in_proportion,
    ),
    unit="steps",
    verdict="A fifth after 20 steps, half after about 300: each pair is slower than the one before "
    "by the same factor, so that long texts need the last ones.",
    see="3C Sinusoids",
)

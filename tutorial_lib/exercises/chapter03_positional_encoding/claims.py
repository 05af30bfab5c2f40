"""Chapter 03: three questions about waves and hands, each answered by a number."""

import math

import torch

from tutorial_lib.exercises.engine.tasks import Claim

# Half of the columns --------------------------------------------------------------------------


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


# The longest wave -----------------------------------------------------------------------------


def longest_wave():
    """The longest wavelength over 2 pi, at d = 512."""
    last = 512 // 2 - 1
    return 10_000 ** (2 * last / 512)


def longest_wave_by_step():
    """Second style."""
    return 10_000 / 10_000 ** (2 / 512)  # one ratio short of the base


def longest_wave_base():
    """This lets i run to d/2: pairs count from 0, so the last one is i = d/2 - 1."""
    return 10_000


def longest_wave_early():
    """This stops one pair early: the last one is i = d/2 - 1 = 255."""
    return 10_000 ** (508 / 512)


def longest_wave_half_exponent():
    """This has i/d as the exponent: it is 2i/d."""
    return 10_000 ** (255 / 512)


def longest_wave_half_exponent_itself():
    """This has i/d as the exponent where it is 2i/d, and it is asked for divided by 2 pi."""
    return 2 * math.pi * longest_wave_half_exponent()


def longest_wave_column():
    """This takes the number of the last column, 511, for 2i: its pair is i = 255, so 2i = 510."""
    return 10_000 ** (511 / 512)


def longest_wave_itself():
    """This is the wavelength itself: it is asked for divided by 2 pi."""
    return 2 * math.pi * longest_wave()


def longest_wave_divided():
    """This divides by 2 pi once more: 10000^(2i/d) is the wavelength over 2 pi already."""
    return longest_wave() / (2 * math.pi)


def longest_wave_base_itself():
    """This is 2 pi times the base: i ends at d/2 - 1, and the number is asked for without 2 pi."""
    return 2 * math.pi * 10_000


def longest_wave_of_128():
    """This is the number for d = 128: here d is 512."""
    return 10_000 ** (126 / 128)


def longest_wave_all_pairs():
    """This divides by d - 2, so that the exponent reaches 1; the paper's is 2i/d."""
    return 10_000 ** (508 / 510)


LONGEST_WAVE = Claim(
    id="3.4",
    title="The longest wave",
    level="easy",
    text="""
You will often read that the wavelengths go from 2 pi to 10,000 times 2 pi. The first is right.
Now the last: d columns hold d/2 pairs, and i counts them from 0. **By what number** is 2 pi
multiplied in the longest wavelength at d = 512? Round to the nearest whole number.
""",
    hints=(
        "A wave is complete when its angle pos / 10000^(2i/d) reaches 2 pi. At which pos?",
        "512 columns are 256 pairs. Which i has the last one, if the first one has 0?",
    ),
    solution=longest_wave,
    second_style=longest_wave_by_step,
    mistakes=(
        longest_wave_base,
        longest_wave_early,
        longest_wave_half_exponent,
        longest_wave_half_exponent_itself,
        longest_wave_column,
        longest_wave_itself,
        longest_wave_divided,
        longest_wave_base_itself,
        longest_wave_of_128,
        longest_wave_all_pairs,
    ),
    tolerance=0.5,
    unit="times 2 pi",
    verdict="10,000 times 2 pi is rounded up: the last pair is i = d/2 - 1, and its wave is a "
    "little shorter than that.",
    see="3C Sinusoids",
)


# A larger base --------------------------------------------------------------------------------


def larger_base():
    """The base at which the last of 16 pairs turns by a quarter of its angle."""
    slowest = 10_000 ** (-30 / 32) / 4
    return slowest ** (-32 / 30)


def larger_base_by_factor():
    """Second style."""
    return 10_000 * 4 ** (16 / 15)


def larger_base_times_four():
    """This makes the base four times larger: the last pair has it to the power 30/32 only."""
    return 4 * 10_000


def larger_base_upside_down():
    """This takes 4 to the power 30/32: the base has that power, so 4 needs the inverse, 32/30."""
    return 10_000 * 4 ** (30 / 32)


def larger_base_of_the_column():
    """This takes the last column, 31, for 2i: its pair is i = 15, so 2i = 30."""
    return 10_000 * 4 ** (32 / 31)


def larger_base_early():
    """This slows the last pair but one: pairs are i = 0 to 15."""
    return 10_000 * 4 ** (32 / 28)


def larger_base_half_exponent():
    """This has i/K as the exponent: it is 2i/K."""
    return 10_000 * 4 ** (32 / 15)


def larger_base_faster():
    """This makes the slowest hand four times *faster*: a smaller base turns faster."""
    return 10_000 * 4 ** (-32 / 30)


LARGER_BASE = Claim(
    id="3.13",
    title="Which base?",
    level="medium",
    text="""
In a head K = 32 wide, pair i (0 to 15) turns by 1 / base^(2i/K) at each position, and the base is
10,000. Raise it so that the **slowest** pair turns at exactly a quarter of its speed. **By which
base** do you replace 10,000, to the nearest hundred?
""",
    hints=(
        "The slowest pair is i = 15: it turns by 1 / base^(30/32).",
        "A quarter of the speed: new^(30/32) is 4 times 10000^(30/32). Solve for new.",
    ),
    solution=larger_base,
    second_style=larger_base_by_factor,
    mistakes=(
        larger_base_times_four,
        larger_base_upside_down,
        larger_base_of_the_column,
        larger_base_early,
        larger_base_half_exponent,
        larger_base_faster,
    ),
    tolerance=60,
    unit="the new base",
    verdict="10,000 times 4^(32/30), not times 4. The fastest pair, i = 0, has the base to the "
    "power 0: it turns by 1 as before, whatever the base.",
    see="3C Sinusoids",
)

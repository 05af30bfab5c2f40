"""Chapter 03: three questions about waves and hands, each answered by a number."""

import math

import torch

from tutorial_lib.exercises.engine.tasks import Claim

# Columns that move ----------------------------------------------------------------------------


def columns_that_move():
    """Columns, of 512, whose angle has grown by at least pi after 20 steps."""
    angles = 20 / 10_000 ** (torch.arange(0, 512, 2) / 512)  # (256,), one a pair
    return 2 * int((angles >= math.pi).sum())


def columns_that_move_by_logarithm():
    """Second style."""
    last = 512 / 2 * math.log(20 / math.pi, 10_000)  # the i at which 20 steps make exactly pi
    return 2 * (math.floor(last) + 1)  # i counts from 0


def columns_by(d=512, steps=20, angle=math.pi, factor=2):
    """Count with numbers of one's own, for the mistakes below."""
    grown = (steps / 10_000 ** (factor * i / d) for i in range(d // 2))
    return 2 * sum(angle <= each for each in grown)


def columns_as_pairs():
    """This counts pairs: each has two columns, a sine and a cosine."""
    return columns_by() / 2


def columns_of_128():
    """This is the number for d = 128: here d is 512."""
    return columns_by(d=128)


def columns_whole_wave():
    """This asks for a whole wave, an angle of 2 pi: half a wave is pi."""
    return columns_by(angle=2 * math.pi)


def columns_quarter_wave():
    """This asks for a quarter of a wave, pi/2: half a wave is pi."""
    return columns_by(angle=math.pi / 2)


def columns_one_radian():
    """This asks for an angle of 1, a radian: half a wave is pi."""
    return columns_by(angle=1)


def columns_whole_wave_pairs():
    """This counts pairs, and asks for a whole wave: a pair has two columns, half a wave is pi."""
    return columns_whole_wave() / 2


def columns_19_steps():
    """This is one pair short: i counts from 0, and the angles are those after 20 steps, not 19."""
    return columns_by(steps=19)


def columns_half_exponent():
    """This has i/d as the exponent: it is 2i/d."""
    return columns_by(factor=1)


def columns_at_rest():
    """This counts the columns that do not complete half a wave: the others are asked for."""
    return 512 - columns_by()


def columns_all():
    """This is all columns: most waves are too long to get half round in 20 steps."""
    return 512


COLUMNS_THAT_MOVE = Claim(
    id="3.3",
    title="Columns that move at d = 512",
    level="easy",
    text="""
The base Transformer has wider vectors: d = 512. Call a column moving if it completes at least
**half a wave** in 20 steps: its angle at position 20 is larger than at position 0 by pi or more.
**How many** of the 512 columns move?
""",
    hints=(
        "After 20 steps pair i has turned by 20 / 10000^(2i/d), i from 0 to d/2 - 1.",
        "Count the pairs where that is at least pi. How many columns has a pair?",
    ),
    solution=columns_that_move,
    second_style=columns_that_move_by_logarithm,
    mistakes=(
        columns_as_pairs,
        columns_of_128,
        columns_whole_wave,
        columns_quarter_wave,
        columns_one_radian,
        columns_whole_wave_pairs,
        columns_19_steps,
        columns_half_exponent,
        columns_at_rest,
        columns_all,
    ),
    unit="columns",
    verdict="A fifth of the columns, as at d = 64 and 128: the share stays, the number does not. "
    "You may read that 20 tokens use only 20 to 25 columns: that fits a width near 128.",
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

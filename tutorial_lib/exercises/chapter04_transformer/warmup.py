"""Chapter 04: the learning rate, step by step."""

import math

from tutorial_lib.exercises.chapter04_transformer.measures import told
from tutorial_lib.exercises.engine.properties import properties
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def warmup_rate(step, d_model, warmup):
    """Return the learning rate at step 1, 2, ...: linearly up for `warmup` steps, then down."""
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def warmup_rate_branches(step, d_model, warmup):
    """Second style."""
    peak = 1 / (d_model * warmup) ** 0.5
    return peak * step / warmup if step < warmup else peak * (warmup / step) ** 0.5


def warmup_rate_base(step, d_model, warmup):
    """It takes 512 for the width, as the paper's base model has it: it is given, `d_model`."""
    return 512**-0.5 * min(step**-0.5, step * warmup**-1.5)


def warmup_rate_cases():
    """Before, at and after the peak, for two widths and warm-ups; and the paper's own numbers."""
    return [
        case("the first step", 1, 16, 9),
        case("step 4 of 9", 4, 16, 9),
        case("the peak", 9, 16, 9),
        case("long after", 400, 16, 9),
        case("another width", 50, 64, 100),
        case("another width, after the peak", 144, 64, 100),
        case("the paper's peak", 4_000, 512, 4_000),
    ]


WARMUP = 10**6  # so long that a peak in a wrong place is far away from it


def rate(answer, step, d_model=36):
    """The rate as a number."""
    return float(answer(step, d_model, WARMUP))


def width_counts(answer):
    """Four times the width, half the rate."""
    others = {
        1: "The width has no effect: divide by sqrt(D).",
        2: "It multiplies by sqrt(D): a wider model gets a smaller rate, so divide.",
        1 / 4: "It divides by D: divide by its root.",
    }
    return told(rate(answer, 7, 4 * 36) / rate(answer, 7), 1 / 2, others)


def steps_count_from_one(answer):
    """The first rates lie on a line that is 0 at step 0."""
    first, second, third = (rate(answer, step) for step in (2, 4, 6))
    if second <= first or not math.isclose(third - second, second - first, rel_tol=1e-3):
        return None
    others = {
        1: "It adds 1 to the step: steps count from 1 here, the first is step 1.",
        -1: "It takes 1 from the step: steps count from 1, and step 1 is no step 0.",
    }
    return told(2 * first / (second - first) - 2, 0, others)


def is_the_smaller(answer):
    """It takes the larger of the two: take the smaller, which rises at first and then falls."""
    first = rate(answer, 30) / rate(answer, 10)
    late = rate(answer, 4 * 10**10) / rate(answer, 10**10)
    return not (math.isclose(first, 3**-0.5, rel_tol=1e-3) and math.isclose(late, 4, rel_tol=1e-3))


def rises_in_a_line(answer):
    """At first a step three times as late has three times the rate."""
    if not is_the_smaller(answer):
        return None
    others = {
        3**0.5: "It rises like sqrt(step): the warm-up is a straight line.",
        3**-0.5: "There is no warm-up: the smaller of the two rises at first.",
    }
    line = steps_count_from_one(answer) is not None
    return line or told(rate(answer, 30) / rate(answer, 10), 3, others)


def peak(answer):
    """About the step with the highest rate; None when it lies at either end."""
    steps = [round(10 ** (power / 20)) for power in range(180)]
    best = max(steps, key=lambda step: rate(answer, step))
    return best if steps[0] < best < steps[-1] else None


def peaks_at_the_end_of_the_warmup(answer):
    """The rate is highest at step `warmup`."""
    best = peak(answer)
    if best is None:
        return None
    if abs(best / 4_000 - 1) < 0.2:
        return "It warms up for 4,000 steps, as the paper did: the number is given, `warmup`."
    return abs(best / WARMUP - 1) < 0.2 or (
        f"The rate is highest near step {best:,} with a warm-up of {WARMUP:,} steps: the line, "
        "step · warmup^-1.5, must meet the curve at step `warmup`."
    )


def peaks_at_the_right_height(answer):
    """The highest rate of a model of width 1 is that of the curve."""
    if peaks_at_the_end_of_the_warmup(answer) is not True:
        return None
    text = "Its peak is 1/sqrt(D) whatever the warm-up: at its peak it is 1/sqrt(D warmup)."
    return told(rate(answer, WARMUP, 1) * WARMUP**0.5, 1, {WARMUP**0.5: text})


def falls_like_a_root(answer):
    """Long after the warm-up a step four times as late has half the rate."""
    if not is_the_smaller(answer):
        return None
    others = {
        1: "It stays at its peak after the warm-up: it falls like 1/sqrt(step).",
        4: "It rises for ever: after `warmup` steps it must fall.",
        1 / 4: "It falls like 1/step: it falls like 1/sqrt(step).",
    }
    return told(rate(answer, 4 * 10**10) / rate(answer, 10**10), 1 / 2, others)


WARMUP_RATE = Write(
    id="4.9",
    title="Warm-up",
    level="easy",
    text="""
Write `warmup_rate(step, d_model, warmup)`, the paper's learning rate. It rises linearly from 0 for
`warmup` steps, and after that it falls as 1/sqrt(step). The two pieces meet at the peak, at step
`warmup`, where the rate is 1/sqrt(d_model · warmup). Steps count from 1. It returns a number.
""",
    hints=(
        "Before the peak: which fraction of the warm-up is done?",
        "After it: by what do you multiply the peak, so that it falls as 1/sqrt(step) and is still "
        "the peak at step `warmup`? `x**-0.5` is 1 over the root of x.",
    ),
    solution=warmup_rate,
    second_style=warmup_rate_branches,
    mistakes=(warmup_rate_base,),
    cases=warmup_rate_cases,
    properties=(
        Property("Four times the width must give half the rate: 1/sqrt(D).", width_counts),
        Property(
            "Steps count from 1: the rate of step 1 is the first on the line.", steps_count_from_one
        ),
        *properties(is_the_smaller),
        Property("In the warm-up the rate does not rise linearly from 0.", rises_in_a_line),
        Property("The rate is not highest at step `warmup`.", peaks_at_the_end_of_the_warmup),
        Property("At its peak the rate is 1/sqrt(D warmup).", peaks_at_the_right_height),
        Property("After the warm-up the rate does not fall like 1/sqrt(step).", falls_like_a_root),
    ),
    tolerance=1e-7,
    see="4H Train it to the end",
)

"""Chapter 04: the learning rate, step by step."""

from tutorial_lib.exercises.engine.tasks import Write, case


def warmup_rate(step, d_model, warmup):
    """Return the learning rate at step 1, 2, ...: up in a line for `warmup` steps, then down."""
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def warmup_rate_branches(step, d_model, warmup):
    """Second style."""
    peak = 1 / (d_model * warmup) ** 0.5
    return peak * step / warmup if step < warmup else peak * (warmup / step) ** 0.5


def warmup_rate_max(step, d_model, warmup):
    """This takes the larger of the two: it starts at its highest and later rises without end."""
    return d_model**-0.5 * max(step**-0.5, step * warmup**-1.5)


def warmup_rate_times_root(step, d_model, warmup):
    """This multiplies by sqrt(D): a wider model gets a smaller rate, so divide."""
    return d_model**0.5 * min(step**-0.5, step * warmup**-1.5)


def warmup_rate_by_width(step, d_model, warmup):
    """This divides by D: divide by its root."""
    return min(step**-0.5, step * warmup**-1.5) / d_model


def warmup_rate_no_width(step, d_model, warmup):
    """This leaves out the width: divide by sqrt(D)."""
    return min(step**-0.5, step * warmup**-1.5)


def warmup_rate_root_of_warmup(step, d_model, warmup):
    """This has warmup^-0.5 for warmup^-1.5: the line is far too steep to meet the curve there."""
    return d_model**-0.5 * min(step**-0.5, step * warmup**-0.5)


def warmup_rate_inverse_warmup(step, d_model, warmup):
    """This has warmup^-1 for warmup^-1.5: line and curve do not meet at step `warmup`."""
    return d_model**-0.5 * min(step**-0.5, step / warmup)


def warmup_rate_from_zero(step, d_model, warmup):
    """This adds 1 to the step: steps count from 1 here, the first is step 1."""
    return warmup_rate(step + 1, d_model, warmup)


def warmup_rate_one_less(step, d_model, warmup):
    """This takes 1 from the step: steps count from 1, and step 1 must not divide by zero."""
    return warmup_rate(step - 1, d_model, warmup)


def warmup_rate_of_base(step, d_model, warmup):
    """This warms up for 4,000 steps, as the paper did: the number of steps is given, `warmup`."""
    return warmup_rate(step, d_model, 4_000)


def warmup_rate_no_warmup(step, d_model, warmup):
    """This only falls: the first `warmup` steps have no warm-up."""
    return (d_model * step) ** -0.5


def warmup_rate_no_fall(step, d_model, warmup):
    """This stays at its peak after the warm-up: it falls like 1/sqrt(step)."""
    return d_model**-0.5 * min(warmup**-0.5, step * warmup**-1.5)


def warmup_rate_only_line(step, d_model, warmup):
    """This rises for ever: after `warmup` steps it falls."""
    return d_model**-0.5 * step * warmup**-1.5


def warmup_rate_inverse(step, d_model, warmup):
    """This falls like 1/step: it falls like 1/sqrt(step)."""
    return (d_model * warmup) ** -0.5 * min(step / warmup, warmup / step)


def warmup_rate_root_line(step, d_model, warmup):
    """This rises like sqrt(step): the warm-up is a straight line."""
    return (d_model * warmup) ** -0.5 * min((step / warmup) ** 0.5, (warmup / step) ** 0.5)


def warmup_rate_relative(step, d_model, warmup):
    """This has its peak at 1/sqrt(D) whatever the warm-up: at its peak it is 1/sqrt(D warmup)."""
    return d_model**-0.5 * min((warmup / step) ** 0.5, step / warmup)


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


WARMUP_RATE = Write(
    id="4.9",
    title="Warm-up",
    level="easy",
    text="""
Write `warmup_rate(step, d_model, warmup)`, the paper's learning rate: 1/sqrt(D) times the smaller
of step^-0.5 and step · warmup^-1.5. Steps count from 1. It returns a number.
""",
    hints=(
        "At step `warmup` the two agree: what is the rate there?",
        "`x**-0.5` is 1 over the root of x.",
    ),
    solution=warmup_rate,
    second_style=warmup_rate_branches,
    mistakes=(
        warmup_rate_max,
        warmup_rate_times_root,
        warmup_rate_by_width,
        warmup_rate_no_width,
        warmup_rate_root_of_warmup,
        warmup_rate_inverse_warmup,
        warmup_rate_from_zero,
        warmup_rate_one_less,
        warmup_rate_of_base,
        warmup_rate_no_warmup,
        warmup_rate_no_fall,
        warmup_rate_only_line,
        warmup_rate_inverse,
        warmup_rate_root_line,
        warmup_rate_relative,
    ),
    cases=warmup_rate_cases,
    tolerance=1e-7,
    see="4.5 From probabilities to a loss",
)

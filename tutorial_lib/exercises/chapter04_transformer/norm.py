"""Chapter 04: LayerNorm."""

import math

import torch

from tutorial_lib.exercises.chapter04_transformer.measures import close, others_that_matter
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def layer_norm(x, gain, shift, eps):
    """Return LayerNorm of x (B, T, D): each vector normalised, times gain (D,), plus shift (D,)."""
    mean = x.mean(dim=-1, keepdim=True)  # (B, T, 1)
    variance = ((x - mean) ** 2).mean(dim=-1, keepdim=True)  # (B, T, 1)
    return (x - mean) / torch.sqrt(variance + eps) * gain + shift


def layer_norm_library(x, gain, shift, eps):
    """Second style."""
    return torch.nn.functional.layer_norm(x, gain.shape, gain, shift, eps)


def layer_norm_cases():
    """All axes differ in size, means are far from 0, and a large eps shows where it stands."""
    gain, shift = torch.tensor([0.5, -1.0, 2.0, 1.5]), torch.tensor([1.0, 0.0, -2.0, 0.3])
    level = torch.tensor([[[7.0] * 4, [1.0, 2.0, 3.0, 4.0]]])
    return [
        case("two texts of three words", 2 * torch.randn(2, 3, 4) + 3, gain, shift, 1e-5),
        case("a large eps", torch.randn(3, 2, 4) - 1, gain, shift, 0.5),
        case("one text, one vector of equal numbers", level, gain, shift, 1e-5),
    ]


EPS = 0.5


def example():
    """Two texts of three words of width 5."""
    return 2 * torch.randn(2, 3, 5, generator=torch.Generator().manual_seed(2))


def normed(answer, x=None, gain=1.0, shift=0.0, eps=0.0):
    """What the answer makes of the example, or of x, with a gain and a shift of equal numbers."""
    gain, shift = (torch.as_tensor(value).expand(5).clone() for value in (gain, shift))
    return answer(example() if x is None else x, gain, shift, eps)


def each_vector_stands_alone(answer):
    """No vector's result depends on another vector."""
    others = others_that_matter(lambda x: normed(answer, x, eps=1e-3), example())
    if not others:
        return True
    return (
        f"A vector's result depends on {others}: each vector is normalised by itself, over its "
        "own D numbers."
    )


def mean_is_lost(answer):
    """Another mean makes no difference."""
    return close(normed(answer, example() + 3), normed(answer))


def divisors(answer, eps=0.0):
    """By what each vector was divided, (B, T), seen on vectors whose mean is 0.

    Raises ValueError where vectors do not stand alone.
    """
    if each_vector_stands_alone(answer) is not True:
        raise ValueError("the vectors are mixed")
    x = example()
    x = x - x.mean(dim=-1, keepdim=True)
    result = normed(answer, x, eps=eps)
    without = normed(answer, x, gain=0.0, eps=eps)  # not 0 where the factor is 1 + gain
    if without.isfinite().all() and not close(result, without):
        result = result - without
    return x.norm(dim=-1) / result.norm(dim=-1)


def divided_by_deviation(answer):
    """Each vector was divided by the root of the mean of its squared distances."""
    spread = example().std(dim=-1, correction=0)
    others = {
        "The variance divides by D - 1, as torch does by itself: LayerNorm divides by D "
        "(`correction=0`).": spread * math.sqrt(5 / 4),
        "It divides by the variance: divide by its root.": spread**2,
        "It divides by the length of the centred vector, a factor of sqrt(D) too much: the "
        "variance is a mean.": spread * math.sqrt(5),
    }
    found = divisors(answer)
    return next((text for text, other in others.items() if close(found, other)), None) or close(
        found, spread
    )


def eps_stands_under_the_root(answer):
    """A large eps adds to the square of what is divided by."""
    without, found = divisors(answer), divisors(answer, EPS)
    if close(without, found):
        return "The eps has no effect: a vector of equal numbers would be divided by zero."
    more = found - without
    root = not close(without, example().var(dim=-1, correction=0))
    return not (root and close(more, more[0, 0].expand_as(more)))


def gain_comes_last(answer):
    """The gain multiplies what the answer is without it."""
    gain = torch.tensor([0.5, -1.0, 2.0, 1.5, 3.0])
    plain, scaled = normed(answer), normed(answer, gain=gain)
    if close(plain, scaled):
        return "The gain has no effect: it multiplies what was normalised."
    if close(scaled, plain * (1 + gain) / 2):
        return "It multiplies by 1 + gain: the gain is the factor itself, it starts as 1."
    return close(scaled, plain * gain)


def shift_comes_last(answer):
    """The shift is added to what the answer is without it."""
    gain = torch.tensor([0.5, -1.0, 2.0, 1.5, 3.0])
    shift = torch.tensor([1.0, 2.0, -2.0, 0.3, 0.7])
    added = normed(answer, gain=gain, shift=shift) - normed(answer, gain=gain)
    if close(added, torch.zeros(5)):
        return "The shift has no effect: it is added at the end."
    if close(added, (gain * shift).expand_as(added)):
        return "It multiplies the shift by the gain as well: first the gain, then add the shift."
    return close(added, shift.expand_as(added))


LAYER_NORM = Write(
    id="4.2",
    title="LayerNorm",
    level="easy",
    text="""
Write `layer_norm(x, gain, shift, eps)` for x (B, T, D), with the learned `gain` and `shift`, (D,)
each. The code below comes from a network for images, and it runs here, too. Three things are wrong
with it.
""",
    hints=(
        "A vector's result must not depend on the other words, or on the other texts: which axis "
        "has its own D numbers?",
        "`keepdim=True` keeps that axis: (B, T, 1) can be subtracted from (B, T, D).",
        "The variance is the mean of the squared distances from the mean. Mean means: divide by D, "
        "which torch's `std` does with `correction=0` only. And eps is added to the variance, "
        "under the root.",
    ),
    solution=layer_norm,
    second_style=layer_norm_library,
    mistakes=(),
    cases=layer_norm_cases,
    properties=(
        Property(
            "A vector's result depends on other vectors: each is normalised by itself.",
            each_vector_stands_alone,
        ),
        Property(
            "It leaves the mean in the vector (as RMSNorm does): adding 3 to all D numbers must "
            "change nothing.",
            mean_is_lost,
        ),
        Property(
            "The centred vector is not divided by its standard deviation, the root of the "
            "variance.",
            divided_by_deviation,
        ),
        Property(
            "The eps is outside the root: it belongs to the variance, under the root.",
            eps_stands_under_the_root,
        ),
        Property(
            "The gain must multiply what was normalised, after the mean and the deviation.",
            gain_comes_last,
        ),
        Property("The shift must be added last of all, after the gain.", shift_comes_last),
    ),
    see="4C The encoder layer",
)

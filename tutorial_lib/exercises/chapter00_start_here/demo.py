"""Chapter 00: one exercise to see how exercises work."""

import torch

from tutorial_lib.exercises.engine.properties import properties, which
from tutorial_lib.exercises.engine.tasks import Write, case


def double(x):
    """Return a tensor of x's shape, each number twice as large."""
    return 2 * x


def double_by_adding(x):
    """Second style."""
    return x + x


def double_squared(x):
    """This squares each number: 2 becomes 4 as it should, but 3 becomes 9."""
    return x**2


def double_cases():
    """The first case alone would let the square and the sum pass."""
    return [
        case("one number, 2", torch.tensor([2.0])),
        case("three numbers", torch.tensor([1.0, -3.0, 0.25])),
    ]


def same_shape(answer):
    """The result must have the shape of x."""
    got = answer(torch.tensor([3.0, -5.0, 0.5]))
    if got.shape == (6,):
        return "It repeats the tensor in place of doubling it."
    return got.shape == (3,)


def twice_each(answer):
    """Each number must come out twice as large."""
    x = torch.tensor([3.0, -5.0, 0.5])
    got = answer(x)
    if got.shape != x.shape:
        return None
    return which(got, 2 * x, {"It adds 2 to each number: multiply by 2.": x + 2})


DOUBLE = Write(
    id="0.0",
    title="Double a tensor",
    level="easy",
    text="""
Write `double(x)`: a tensor of the same shape with each number twice as large.
It is here so that you see how an exercise answers. Try a wrong version first.
""",
    hints=(
        "Arithmetic on a tensor works on every number at once.",
        "`2 * x` is all it takes.",
    ),
    solution=double,
    second_style=double_by_adding,
    mistakes=(double_squared,),
    cases=double_cases,
    properties=properties(same_shape, twice_each),
)

"""Chapter 00, entry test: the shape of a matrix product, and a gradient."""

import math

import torch

from tutorial_lib.exercises.engine.properties import alike, factor, properties
from tutorial_lib.exercises.engine.tasks import Write, case, message


def project(x, weight):
    """Multiply each row of x (T, D) by weight (K, D): result (T, K)."""
    return x @ weight.T


def project_loops(x, weight):
    """Second style."""
    return [[sum(a * b for a, b in zip(row, unit, strict=True)) for unit in weight] for row in x]


def project_cases():
    """A square weight hides a missing transpose from the shapes, a wide one shows it."""
    x = torch.tensor([[1.0, 0.0, 2.0], [0.0, -1.0, 1.0]])
    wide = torch.arange(12.0).view(4, 3)
    return [case("a square weight", x, wide[:3]), case("a weight of shape (4, 3)", x, wide)]


WIDE = torch.arange(12.0).view(4, 3)
WORDS = torch.tensor([[1.0, 0.0, 2.0], [0.0, -1.0, 1.0]])


def shape_of_the_product(answer):
    """The result must have shape (T, K): a row for each row of x, a column for each of weight."""
    got = answer(WORDS, WIDE)
    if got.shape == (4, 2):
        return "It gives (K, T), the result turned on its side: start with x."
    return got.shape == (2, 4)


def weight_is_turned(answer):
    """It multiplies by `weight` as it stands: that fits only if K equals D."""
    try:
        answer(WORDS, WIDE)
    except ValueError:
        return not alike(answer(WORDS, WIDE[:3]), WORDS @ WIDE[:3])
    return True


def rows_times_rows(answer):
    """Each number of the result is a row of x times a row of weight, added up over D."""
    got = answer(WORDS, WIDE)
    if alike(got, WORDS @ WIDE.reshape(3, 4)) or alike(got, (WIDE @ WORDS.T).reshape(2, 4)):
        return (
            "It reshapes where two axes must be swapped: rows and columns get mixed up. Use `.T`."
        )
    if got.shape not in ((2, 4), (4, 2)):
        return None
    return alike(got, WORDS @ WIDE.T) or alike(got, WIDE @ WORDS.T)


PROJECT = Write(
    id="0.1",
    title="The shape of a matrix product",
    level="easy",
    text="""
A linear layer stores its weight as (K, D), one row for each output. Write `project(x, weight)` for
`x` of shape (T, D): the result has shape (T, K). The line below has that shape, and wrong numbers.
""",
    hints=(
        "Let `weight` hold 1, 2, 3, ... and print it before and after the `reshape`: what was a "
        "row?",
        "`weight.T` has shape (D, K).",
    ),
    solution=project,
    second_style=project_loops,
    mistakes=(),
    cases=project_cases,
    properties=properties(shape_of_the_product, weight_is_turned, rows_times_rows),
    see="Refresher: matrix shapes",
)


def gradient(f, x):
    """Return the gradient of the number f(x) with respect to x: a tensor of x's shape."""
    x = x.detach().clone().requires_grad_()
    return torch.autograd.grad(f(x), x)[0]


def gradient_backward(f, x):
    """Second style."""
    leaf = x.detach().clone().requires_grad_()
    f(leaf).backward()
    return leaf.grad


def gradient_tied(f, x):
    """For an `x` that requires gradients already it returns None and fills `x.grad`: a `clone()` is
    still tied to x. `x.detach().clone()` is not.
    """
    leaf = x.clone()
    if not x.requires_grad:
        leaf.requires_grad_()
    f(leaf).backward()
    return None if x.requires_grad else leaf.grad


def cube_sum(x):
    """The sum of the cubes: its gradient is 3 x^2."""
    return (x**3).sum()


def twice(answer, f, x, required=False):
    """Ask twice for the same x, then look at x: what adds up or stays on it gives itself away.

    required: x requires gradients already, and has ones in its .grad.
    """
    x = x.clone()
    if required:
        x.requires_grad_()
        x.grad = torch.ones_like(x)
    first = answer(f, x)
    if isinstance(first, torch.Tensor):
        first = first.clone()  # a second call may write into it
    return first, answer(f, x), x.requires_grad, x.grad


def gradient_cases():
    """One entry for the value, two for the shape, and an x that is in use already."""
    return [
        case("x^3 at 2, asked twice", cube_sum, torch.tensor([2.0])),
        case("a sum of cubes, asked twice", cube_sum, torch.tensor([1.0, -2.0])),
        case("an x that requires gradients already", cube_sum, torch.tensor([1.0, -2.0]), True),
    ]


X = torch.tensor([1.0, -2.0, 0.5])


def one_entry_each(answer):
    """The gradient must be a tensor with one entry for each entry of x."""
    got = answer(cube_sum, X)[0]
    if got is None:
        return "It returns None: `backward()` fills `.grad`, and only where it was asked for."
    if isinstance(got, list):
        return "It returns a tuple: `torch.autograd.grad` gives one gradient an input, take [0]."
    if alike(got, cube_sum(X)):
        return "It returns f(x) itself, not its gradient."
    return got.shape == X.shape


def slopes(answer):
    """Each entry must be a slope of f: how fast f(x) grows with that entry of x."""
    got, right = answer(cube_sum, X)[0], 3 * X**2
    if got.shape != X.shape:
        return None
    found = factor(got, right)
    if found is None or math.isclose(found, 1, abs_tol=1e-2):
        return found is not None
    if math.isclose(found, -1, abs_tol=1e-2):
        return "It points downhill: the sign is that of a descent step, not of the gradient."
    return f"It is {found:.3g} times the gradient."


def the_same_again(answer):
    """It adds up over calls: `backward` adds to x.grad, so the second call differs."""
    first, second, *_ = answer(cube_sum, X)
    return alike(second, first)


def x_is_left_alone(answer):
    """It leaves a mark on x itself: work on a copy, `x.detach().clone()`."""
    *_, required, grad = answer(cube_sum, X)
    marks = [
        mark
        for mark, left in (
            ("`x.requires_grad` is True", required),
            ("`x.grad` is filled", grad is not None),
        )
        if left
    ]
    if marks:
        return (
            f"It leaves a mark on x itself: afterwards {' and '.join(marks)}. Work on a copy, "
            "`x.detach().clone()`."
        )
    return True


def x_in_use_is_left_alone(answer):
    """It changes the `.grad` or `requires_grad` of an x that requires gradients already."""
    if x_is_left_alone(answer) is not True:
        return None
    first, _, required, grad = answer(cube_sum, X, True)
    if first is None:
        return message(gradient_tied)
    return required and alike(grad, torch.ones_like(X))


GRADIENT = Write(
    id="0.4",
    title="A gradient",
    level="medium",
    text="""
SmolLM2 says *far*, and the truth was *tired*. Below you push it there, step by step: the
gradient of its surprise says which way. A whole model learns by such steps.

Write `gradient(f, x)`: the gradient of the number `f(x)` with respect to `x`, by autograd.
The code below is right for a fresh `x`, called once. You will call it again and again, so it must
be right the second time, and leave `x` as it was, its `.grad` and its `requires_grad`, too.
""",
    hints=(
        "A tensor takes part in autograd after `requires_grad_()`; work on a copy of `x`.",
        "`backward()` adds to `.grad`; `torch.autograd.grad(y, x)` returns a fresh gradient.",
    ),
    solution=gradient,
    second_style=gradient_backward,
    mistakes=(gradient_tied,),
    cases=gradient_cases,
    properties=properties(
        one_entry_each, slopes, the_same_again, x_is_left_alone, x_in_use_is_left_alone
    ),
    results=("first gradient", "second gradient", "x.requires_grad", "x.grad"),
    run=twice,
    see="Refresher: autograd",
)

"""Chapter 00, entry test: the shape of a matrix product, and a gradient."""

import torch

from tutorial_lib.exercises.engine.tasks import Write, case


def project(x, weight):
    """Multiply each row of x (T, D) by weight (K, D): result (T, K)."""
    return x @ weight.T


def project_loops(x, weight):
    """Second style."""
    return [[sum(a * b for a, b in zip(row, unit, strict=True)) for unit in weight] for row in x]


def project_untransposed(x, weight):
    """This multiplies by `weight` as it stands: the inner widths agree only if K equals D."""
    return x @ weight


def project_turned(x, weight):
    """This gives (K, T): the right numbers, turned on their side."""
    return weight @ x.T


def project_flattened(x, weight):
    """This reshapes `weight` to (D, K): the shape fits, but rows and columns get mixed up."""
    return x @ weight.reshape(weight.size(1), weight.size(0))


def project_cases():
    """A square weight hides a missing transpose from the shapes, a wide one shows it."""
    x = torch.tensor([[1.0, 0.0, 2.0], [0.0, -1.0, 1.0]])
    wide = torch.arange(12.0).view(4, 3)
    return [case("a square weight", x, wide[:3]), case("a weight of shape (4, 3)", x, wide)]


PROJECT = Write(
    id="0.1",
    title="The shape of a matrix product",
    level="easy",
    text="""
A linear layer stores its weight as (K, D), one row for each output. Write `project(x, weight)` for
`x` of shape (T, D): the result has shape (T, K).
""",
    hints=(
        "In `a @ b` the last width of `a` must equal the first width of `b`.",
        "`weight.T` has shape (D, K).",
    ),
    solution=project,
    second_style=project_loops,
    mistakes=(project_untransposed, project_turned, project_flattened),
    cases=project_cases,
    see="Refresher: matrix shapes",
)


def gradient(f, x):
    """Return the gradient of the number f(x) with respect to x: a tensor of x's shape."""
    x = x.detach().clone().requires_grad_()
    return torch.autograd.grad(f(x), x)[0]


def gradient_backward(f, x):
    """Second style."""
    leaf = x.clone().requires_grad_()
    f(leaf).backward()
    return leaf.grad


def gradient_accumulated(f, x):
    """This adds up over calls: `backward` adds to x.grad, so the second call is twice too large."""
    x.requires_grad_()
    f(x).backward()
    return x.grad


def gradient_value(f, x):
    """This returns f(x) itself, not its gradient."""
    return f(x)


def gradient_summed(f, x):
    """This adds the gradient up to one number: it must have one entry for each entry of x."""
    return gradient(f, x).sum()


def gradient_downhill(f, x):
    """This points downhill: the sign is that of a descent step, not of the gradient."""
    return -gradient(f, x)


def gradient_tuple(f, x):
    """This returns a tuple: `torch.autograd.grad` gives one gradient for each input, take [0]."""
    return (gradient(f, x),)


def gradient_none(f, x):
    """This returns None: `.grad` is filled by `backward()`, and only where it was asked for."""
    return None


def cube_sum(x):
    """The sum of the cubes: its gradient is 3 x^2."""
    return (x**3).sum()


def twice(answer, f, x):
    """Ask twice for the same x: a gradient that accumulates gives itself away."""
    first = answer(f, x)
    if isinstance(first, torch.Tensor):
        first = first.clone()  # a second call may write into it
    return first, answer(f, x)


def gradient_cases():
    """One entry for the value, two for the shape."""
    return [
        case("x^3 at 2, asked twice", cube_sum, torch.tensor([2.0])),
        case("a sum of cubes, asked twice", cube_sum, torch.tensor([1.0, -2.0])),
    ]


GRADIENT = Write(
    id="0.4",
    title="A gradient",
    level="medium",
    text="""
Write `gradient(f, x)`: the gradient of the number `f(x)` with respect to `x`, by autograd. Two
calls with the same `x` must give the same answer.
""",
    hints=(
        "A tensor takes part in autograd after `requires_grad_()`; work on a copy of `x`.",
        "`backward()` adds to `.grad`; `torch.autograd.grad(y, x)` returns a fresh gradient.",
    ),
    solution=gradient,
    second_style=gradient_backward,
    mistakes=(
        gradient_accumulated,
        gradient_value,
        gradient_summed,
        gradient_downhill,
        gradient_tuple,
        gradient_none,
    ),
    cases=gradient_cases,
    run=twice,
    see="Refresher: autograd",
)

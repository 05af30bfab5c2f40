"""Chapter 00: one exercise to see how they work, and the entry test."""

import torch
from torch.nn import functional as F

from tutorial_lib.exercises.tasks import Prediction, Write, case

TITLE = "Start here"


# 0.0 ----------------------------------------------------------------------------------------


def double(x):
    """Return a tensor of x's shape, each number twice as large."""
    return 2 * x


def double_by_adding(x):
    """Second style."""
    return x + x


def double_squared(x):
    """This squares each number: 2 becomes 4 as it should, but 3 becomes 9."""
    return x**2


def double_plus_two(x):
    """This adds 2 to each number instead of multiplying by 2."""
    return x + 2


def double_repeated(x):
    """This repeats the tensor: twice as many numbers, each as large as before."""
    return torch.cat([x, x])


def double_cases():
    """The first case alone would let the square and the sum pass."""
    return [
        case("one number, 2", torch.tensor([2.0])),
        case("three numbers", torch.tensor([1.0, -3.0, 0.5])),
    ]


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
    mistakes=(double_squared, double_plus_two, double_repeated),
    cases=double_cases,
)


# 0.1 ----------------------------------------------------------------------------------------


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


# 0.2 ----------------------------------------------------------------------------------------


def softmax(scores):
    """Turn scores (..., S) into weights of the same shape; each last-axis row sums to 1."""
    scores = scores - scores.max(dim=-1, keepdim=True).values  # exp of large scores overflows
    weights = scores.exp()
    return weights / weights.sum(dim=-1, keepdim=True)


def softmax_library(scores):
    """Second style."""
    return F.softmax(scores, dim=-1)


def softmax_first_axis(scores):
    """This sums over the first axis: the columns sum to 1 here, not the rows."""
    return F.softmax(scores, dim=0)


def softmax_all(scores):
    """This divides by the sum of the whole tensor: all weights together sum to 1."""
    return F.softmax(scores.flatten(), dim=0).view(scores.shape)


def softmax_without_exp(scores):
    """This divides the scores themselves by their sum: the exponential is missing."""
    return scores / scores.sum(dim=-1, keepdim=True)


def softmax_overflowing(scores):
    """This overflows on large scores: subtract the largest score of a row before the exp."""
    return scores.exp() / scores.exp().sum(dim=-1, keepdim=True)


def softmax_shifted_by_one_number(scores):
    """This shifts all rows by one number: a row far below it becomes 0/0. Use each row's own."""
    weights = (scores - scores.max()).exp()
    return weights / weights.sum(dim=-1, keepdim=True)


def softmax_cases():
    """Unequal rows tell the axes apart; 1,000 overflows a bare exp, and a shared shift."""
    return [
        case("two rows", torch.tensor([[1.0, 2.0, 3.0], [0.5, 0.5, 4.0]])),
        case("a score of 1,000", torch.tensor([[1000.0, 999.0]])),
        case("two rows far apart", torch.tensor([[1000.0, 999.0], [0.0, 1.0]])),
    ]


SOFTMAX = Write(
    id="0.2",
    title="Softmax",
    level="easy",
    text="""
Write `softmax(scores)` without `torch.softmax`: positive weights, each row along the last axis
summing to 1, also when a score is 1,000.
""",
    hints=(
        "Exponentials make the scores positive; dividing by their sum makes the row sum to 1.",
        "`sum(dim=-1, keepdim=True)` keeps the axis, so that the division lines up.",
        "Subtracting the row's largest score changes no weight, and no exp can overflow. "
        "`scores.max(dim=-1, keepdim=True)` is a pair: take its `.values`.",
    ),
    solution=softmax,
    second_style=softmax_library,
    mistakes=(
        softmax_first_axis,
        softmax_all,
        softmax_without_exp,
        softmax_overflowing,
        softmax_shifted_by_one_number,
    ),
    cases=softmax_cases,
    see="Refresher: softmax",
)


# 0.3 ----------------------------------------------------------------------------------------


def cross_entropy(logits, labels):
    """Mean over N of -log softmax(logits)[label]; logits (N, V), labels (N,); in nats."""
    log_probabilities = logits.log_softmax(dim=-1)
    return -log_probabilities[torch.arange(len(labels)), labels].mean()


def cross_entropy_library(logits, labels):
    """Second style."""
    return F.cross_entropy(logits, labels)


def cross_entropy_sum(logits, labels):
    """This is the sum over the examples, not their mean."""
    return F.cross_entropy(logits, labels, reduction="sum")


def cross_entropy_twice(logits, labels):
    """This applies the softmax twice: the log-softmax expects raw scores."""
    return F.cross_entropy(logits.softmax(dim=-1), labels)


def cross_entropy_negative(logits, labels):
    """This lacks the minus sign: a loss that falls below 0."""
    return -F.cross_entropy(logits, labels)


def cross_entropy_every_class(logits, labels):
    """This averages over all classes: only the label's own log-probability counts."""
    return -logits.log_softmax(dim=-1).mean()


def cross_entropy_crossed(logits, labels):
    """This takes every label's column from every row: pair each row with its own label."""
    return -logits.log_softmax(dim=-1)[:, labels].mean()


def cross_entropy_rows(logits, labels):
    """This uses the labels as row numbers: they say which column counts in each row."""
    return -logits.log_softmax(dim=-1)[labels].mean()


def cross_entropy_raw(logits, labels):
    """This takes the raw scores of the labels: they become log-probabilities by a log-softmax."""
    return -logits[torch.arange(len(labels)), labels].mean()


def cross_entropy_cases():
    """Three unequal examples: one sure and right, one sure and wrong, one undecided."""
    logits = torch.tensor([[4.0, 0.0, 0.0], [0.0, 3.0, 0.0], [1.0, 1.0, 1.0]])
    return [
        case("one example", logits[:1], torch.tensor([0])),
        case("three examples", logits, torch.tensor([0, 2, 2])),
    ]


CROSS_ENTROPY = Write(
    id="0.3",
    title="Cross-entropy",
    level="medium",
    text="""
Write `cross_entropy(logits, labels)`: the mean of -log p(label) over the examples, where p is the
softmax of a row of `logits` (N, V) and `labels` (N,) holds the right classes.
""",
    hints=(
        "`logits.log_softmax(dim=-1)` holds the log-probability of every class.",
        "`table[torch.arange(N), labels]` takes one number from each row.",
    ),
    solution=cross_entropy,
    second_style=cross_entropy_library,
    mistakes=(
        cross_entropy_sum,
        cross_entropy_twice,
        cross_entropy_negative,
        cross_entropy_every_class,
        cross_entropy_crossed,
        cross_entropy_rows,
        cross_entropy_raw,
    ),
    cases=cross_entropy_cases,
    see="Refresher: cross-entropy",
)


# 0.4 ----------------------------------------------------------------------------------------


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


EXERCISES = (DOUBLE, PROJECT, SOFTMAX, CROSS_ENTROPY, GRADIENT)
RECALL = ()
PREDICTIONS = (
    Prediction(id="0.p", question="How many numbers stand for one token inside MiniLM?"),
    Prediction(id="0.q", question="How alike are the two `the` after the last layer, as a cosine?"),
)

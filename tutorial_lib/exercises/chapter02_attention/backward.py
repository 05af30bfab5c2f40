"""Chapter 02: the way back through a head's softmax."""

import math

import torch

from tutorial_lib.exercises.engine.properties import alike, by_autograd, composed, factor
from tutorial_lib.exercises.engine.tasks import Write, case


def scores_gradient(weights, grad_weights, width):
    """Return the loss gradient of the scores q · k, (T, S), from that of the weights, (T, S).

    The way forward was weights = softmax(scores / sqrt(width)), row by row.
    """
    mean = (weights * grad_weights).sum(dim=-1, keepdim=True)  # (T, 1), the keys compete
    return weights * (grad_weights - mean) / math.sqrt(width)


def scores_gradient_jacobian(weights, grad_weights, width):
    """Second style."""
    jacobian = torch.diag_embed(weights) - weights[:, :, None] * weights[:, None, :]  # (T, S, S)
    return torch.einsum("tij,tj->ti", jacobian, grad_weights) * width**-0.5


def scores_gradient_cases():
    """One row, then rows that differ, a square map that hides the axis, and a sure head."""
    weights = torch.tensor([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8], [0.25, 0.7, 0.05]])
    gradient = torch.tensor([[1.0, -2.0, 0.5], [0.0, 3.0, 1.0], [2.0, 1.0, -1.0]])
    sure = torch.tensor([[0.0, 1.0, 0.0]])  # saturated: no gradient passes
    return [
        case("one query", weights[:1], gradient[:1], 4),
        case("two queries, three keys", weights[:2], gradient[:2], 16),
        case("three queries", weights, gradient, 4),
        case("a saturated softmax", sure, gradient[:1], 4),
    ]


W, G = torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(6))
W = W.softmax(-1)


def nothing_changes_if_all_grow(answer):
    """Each row must sum to 0: when all scores grow alike, no weight changes."""
    return alike(answer(W, G, 5).sum(-1), torch.zeros(3))


def not_larger_or_smaller(answer):
    """The size must be right, too."""
    found = factor(answer(W, G, 5), W * (G - (W * G).sum(-1, True)) / 5**0.5)
    return None if found is None else f"It is {found:.3g} times the gradient."


RULES = composed(
    lambda answer: answer(W, G, 5),
    lambda bracket, front, divisor, sign: sign * front * bracket / divisor,
    {
        "The bracket holds g less its mean under the weights.": G - (W * G).sum(-1, True),
        "The second term is missing: a larger score takes weight from the other keys.": G,
        "This is a sigmoid's derivative: each weight depends on all scores.": (1 - W) * G,
        "It sums over the queries: a softmax runs over one query's keys.": G - (W * G).sum(0),
        "It sums over the whole map: each row is a softmax of its own.": G - (W * G).sum(),
        "It subtracts the plain sum of g: each counts with its weight.": G - G.sum(-1, True),
        "It subtracts the plain mean of g: take that under the weights.": G - G.mean(-1, True),
        "It averages w g: the weights sum to 1 already, so add up.": G - (W * G).mean(-1, True),
        "Weight and gradient are exchanged: the weight is in front of the bracket, the "
        "gradient in it.": G * (W - (W * G).sum(-1, True)) / W,
    },
    {
        "The weight is in front of the bracket.": W,
        "It lacks the weight in front: a key without weight feels no change.": 1,
    },
    {
        "The way back passes the 1/sqrt(width), too.": 5**0.5,
        "It stops at the scaled scores: the 1/sqrt(width) is missing.": 1,
        "It multiplies by sqrt(width): the way back has the factor of the way forward.": 5**-0.5,
        "It divides by the width: the way forward divides by its square root.": 5,
    },
    {"The mean is subtracted.": 1, "It has the wrong sign throughout: the mean is subtracted.": -1},
    otherwise=(nothing_changes_if_all_grow, not_larger_or_smaller),
)


SCORES_GRADIENT = Write(
    id="2.6",
    title="Backward through the softmax",
    level="hard",
    text="""
Forward, a head computes `weights = softmax(scores / sqrt(width))` over each row, with
`scores = q @ k.T`. Backward, it gets the gradient of the loss with respect to the weights. Write
`scores_gradient(weights, grad_weights, width)`: the gradient with respect to the scores, all three
of shape (T, S). By the chain rule, a score gets its share of the gradient through *every* weight
of its row, so sum over i. Five operations are enough.
""",
    hints=(
        "The derivative of weight i by its own scaled score is w_i (1 - w_i), by score j it is "
        "-w_i w_j.",
        "Sum over i of (gradient of weight i) times (derivative of weight i by score j), and take "
        "out the factor w_j: what stays in the brackets?",
        "`(weights * grad_weights).sum(dim=-1, keepdim=True)`, and at last the factor 1/sqrt.",
    ),
    solution=scores_gradient,
    second_style=scores_gradient_jacobian,
    mistakes=(),
    cases=scores_gradient_cases,
    properties=RULES,
    remarks=(lambda answer: by_autograd(answer, W, G, 5),),
    see="2E Scaling",
)

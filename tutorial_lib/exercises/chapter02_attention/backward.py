"""Chapter 02: the way back through a head's softmax."""

import math

import torch

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


def scores_gradient_no_sum(weights, grad_weights, width):
    """This lacks the second term: a larger score also takes weight away from the other keys."""
    return weights * grad_weights / math.sqrt(width)


def scores_gradient_sigmoid(weights, grad_weights, width):
    """This is the derivative of a sigmoid, w (1 - w): each weight depends on all scores."""
    return weights * (1 - weights) * grad_weights / math.sqrt(width)


def scores_gradient_queries(weights, grad_weights, width):
    """This sums over the queries: a softmax runs over the keys of one query."""
    mean = (weights * grad_weights).sum(dim=0)
    return weights * (grad_weights - mean) / math.sqrt(width)


def scores_gradient_whole(weights, grad_weights, width):
    """This sums over the whole map: each row is a softmax of its own, keep the rows apart."""
    return weights * (grad_weights - (weights * grad_weights).sum()) / math.sqrt(width)


def scores_gradient_plain_sum(weights, grad_weights, width):
    """This subtracts the plain sum of the gradients: each counts with its weight."""
    return weights * (grad_weights - grad_weights.sum(dim=-1, keepdim=True)) / math.sqrt(width)


def scores_gradient_plain_mean(weights, grad_weights, width):
    """This subtracts the plain mean of the gradients: take the mean under the weights."""
    return weights * (grad_weights - grad_weights.mean(dim=-1, keepdim=True)) / math.sqrt(width)


def scores_gradient_mean_of_products(weights, grad_weights, width):
    """This averages w g: the weights sum to 1, so their products with g are to be added up."""
    mean = (weights * grad_weights).mean(dim=-1, keepdim=True)
    return weights * (grad_weights - mean) / math.sqrt(width)


def scores_gradient_exchanged(weights, grad_weights, width):
    """This exchanges the two: the weight stands in front of the bracket, the gradient in it."""
    mean = (weights * grad_weights).sum(dim=-1, keepdim=True)
    return grad_weights * (weights - mean) / math.sqrt(width)


def scores_gradient_unscaled(weights, grad_weights, width):
    """This stops at the scaled scores: the chain rule also passes the 1/sqrt(width)."""
    return scores_gradient(weights, grad_weights, 1)


def scores_gradient_multiplied(weights, grad_weights, width):
    """This multiplies by sqrt(width): the way back has the same factor as the way forward."""
    return scores_gradient(weights, grad_weights, 1 / width)


def scores_gradient_by_width(weights, grad_weights, width):
    """This divides by the width: the way forward divides by its square root."""
    return scores_gradient(weights, grad_weights, width**2)


def scores_gradient_bracket(weights, grad_weights, width):
    """This lacks the weight in front of the bracket: a key without weight feels no change."""
    mean = (weights * grad_weights).sum(dim=-1, keepdim=True)
    return (grad_weights - mean) / math.sqrt(width)


def scores_gradient_flipped(weights, grad_weights, width):
    """This has the wrong sign throughout: the term to subtract is the mean."""
    return -scores_gradient(weights, grad_weights, width)


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


SCORES_GRADIENT = Write(
    id="2.8",
    title="Backward through the softmax",
    level="hard",
    text="""
Forward, a head computes `weights = softmax(scores / sqrt(width))` over each row, with
`scores = q @ k.T`. Backward, it gets the gradient of the loss with respect to the weights. Write
`scores_gradient(weights, grad_weights, width)`: the gradient with respect to the scores, all three
of shape (T, S). No autograd: four operations do it. You will see why a sure head stops learning.
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
    mistakes=(
        scores_gradient_no_sum,
        scores_gradient_sigmoid,
        scores_gradient_queries,
        scores_gradient_whole,
        scores_gradient_plain_sum,
        scores_gradient_plain_mean,
        scores_gradient_mean_of_products,
        scores_gradient_exchanged,
        scores_gradient_unscaled,
        scores_gradient_multiplied,
        scores_gradient_by_width,
        scores_gradient_bracket,
        scores_gradient_flipped,
    ),
    cases=scores_gradient_cases,
    see="A.6 Scaling",
)

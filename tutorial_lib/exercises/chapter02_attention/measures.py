"""Chapter 02: what weights of attention say about the way in which they were made."""

import math

import torch


def spread(table):
    """Take the means along each axis out of a table (..., T, S).

    The logarithm of weights, spread, is that of their scores: what the softmax divides by is gone,
    along whichever axis it runs.
    """
    for axis in range(table.dim()):
        if table.size(axis) > 1:
            table = table - table.mean(dim=axis, keepdim=True)
    return table


def divisor(weights, products):
    """Return by which number q k^T was divided to give these weights; None when by none.

    weights (..., T, S) are those of any softmax, or raw scores if some are negative.
    """
    have = spread(weights if weights.min() < 0 else weights.log()).flatten()
    want = spread(products).flatten()
    slope = (have @ want / (want @ want)).item()
    close = torch.allclose(have, slope * want, rtol=0, atol=1e-3 * want.abs().max().item())
    return 1 / slope if close and slope > 1e-6 else None


def scaled_by_root(weights, products, width, others):
    """Tell whether weights are scaled by the root of a width; `others` {number: sentence}."""
    found = divisor(weights, products)
    if found is None:
        return None
    for number, sentence in others.items():
        if math.isclose(found, number, rel_tol=1e-2):
            return sentence
    return math.isclose(found, math.sqrt(width), rel_tol=1e-2)


def in_order(results, n_values):
    """Return (output, weights) from what an answer returns, if need be turned round.

    n_values is the width of the values, which no other axis has. Raises ValueError for anything
    but two results.
    """
    output, weights = results
    return (weights, output) if output.size(-1) != n_values == weights.size(-1) else results


def sums_to_one(weights, dim=-1):
    """Tell whether weights add up to 1 along an axis."""
    sums = weights.double().sum(dim=dim)
    slack = max(1e-4, 5 * torch.finfo(weights.dtype).eps)  # short floats sum to 0.999
    return torch.allclose(sums, torch.ones_like(sums), atol=slack)


def rows_sum_to_one(weights):
    """Tell whether each row adds up to 1, or say what does; None for raw scores."""
    if weights.min() < -1e-6:
        return None
    if sums_to_one(weights):
        return True
    if sums_to_one(weights, -2):
        return (
            "The softmax runs over the queries: the keys compete for each query, so each row "
            "of the weights sums to 1."
        )
    if weights.dim() > 2 and sums_to_one(weights, 0):
        return "The softmax runs over the first axis: the keys are on the last one."
    row = weights.flatten(0, -2)[0].sum().item()
    return (
        f"Each row of the weights must sum to 1, over the keys; your first one sums to {row:.3g}."
    )


NOT_RAW = "There are negative weights: these are raw scores, and the softmax is still to come."
UNSCALED = "The scores lack the 1/sqrt(K)."
TURNED_ROUND = "It returns weights, output: the order is `output, weights`."
MIXED = "The output is not the mix of the values by the weights that you return, weights @ v."
BY_WIDTH = "The scores are divided by K: their standard deviation is its square root."

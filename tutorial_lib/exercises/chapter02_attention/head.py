"""Chapter 02: what one query gathers."""

import math

import torch

from tutorial_lib.exercises.engine.tasks import Write, case


def attend(query, keys, values):
    """Return what one query (K,) gathers from values (S, D) by way of keys (S, K): (D,)."""
    scores = keys @ query  # (S,)
    weights = (scores - scores.max()).exp()  # the largest is exp(0): nothing overflows
    return weights / weights.sum() @ values


def attend_loops(query, keys, values):
    """Second style."""
    scores = [sum(a * b for a, b in zip(query, key, strict=True)) for key in keys]
    parts = [math.exp(score - max(scores)) for score in scores]
    return sum(part / sum(parts) * value for part, value in zip(parts, values, strict=True))


def attend_overflowing(query, keys, values):
    """This overflows on large scores: subtract the largest score before the exp."""
    weights = (keys @ query).exp()
    return weights / weights.sum() @ values


def attend_by_count(query, keys, values):
    """This divides by the number of keys: divide by the sum, or the weights do not sum to 1."""
    scores = keys @ query
    return (scores - scores.max()).exp() / len(keys) @ values


def attend_without_sum(query, keys, values):
    """This does not divide the exponentials by their sum: the weights do not sum to 1."""
    scores = keys @ query
    return (scores - scores.max()).exp() @ values


def attend_by_scores(query, keys, values):
    """This multiplies the values by the raw scores: the softmax is missing."""
    return keys @ query @ values


def attend_linear(query, keys, values):
    """This divides each score by the sum of the scores: the exponential is missing."""
    scores = keys @ query
    return scores / scores.sum() @ values


def attend_all_ones(query, keys, values):
    """This gives each value weight 1: the softmax runs over an axis with one entry."""
    return (keys @ query[:, None]).softmax(dim=-1)[:, 0] @ values


def attend_to_values(query, keys, values):
    """This compares the query with the values: it must be compared with the keys."""
    return (values @ query).softmax(dim=0) @ values


def attend_mixing_keys(query, keys, values):
    """This mixes the keys: they only decide the weights, what gets mixed are the values."""
    return (keys @ query).softmax(dim=0) @ keys


def attend_softmax_of_values(query, keys, values):
    """This takes the softmax of the values: it belongs to the scores."""
    return keys @ query @ values.softmax(dim=0)


def attend_scaled(query, keys, values):
    """This divides by the root of K: sound, and the next step, but here scores are plain."""
    return (keys @ query / math.sqrt(len(query))).softmax(dim=0) @ values


def attend_hard(query, keys, values):
    """This takes the value of the best key only: each key must get its share."""
    return values[(keys @ query).argmax()]


def attend_cases():
    """Keys unlike values, a score that makes a bare exp overflow, then widths that differ."""
    query = torch.tensor([1.0, 2.0])
    keys = torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.5]])
    values = torch.tensor([[4.0, 1.0], [2.0, -1.0], [0.0, 3.0]])
    large = torch.tensor([[1000.0, 0.0], [999.0, 0.0], [0.0, 0.0]])
    wider = torch.tensor([[1.0, 0.0, 5.0], [0.0, 2.0, 5.0], [3.0, -1.0, 0.0]])
    return [
        case("three words", query, keys, values),
        case("one word", query, keys[:1], values[:1]),
        case("scores of 1,000, 999 and 0", query, large, values),
        case("values wider than keys", query, keys, wider),
    ]


ATTEND = Write(
    id="2.1",
    title="What one query gathers",
    level="easy",
    text="""
Write `attend(query, keys, values)`. The query (K,) is compared with each key (S, K) by a plain dot
product, no scale yet. The softmax of these scores weighs the values (S, D). Write the softmax out
yourself, and so that it survives scores of 1,000, where a bare `exp` is infinite. Everything later
in the course is many of these at once.
""",
    hints=(
        "`keys @ query` holds all S dot products.",
        "`exp(1000.)` is infinite. Subtracting the largest score changes no weight.",
        "`weights @ values` is the weighted sum of the rows of `values`.",
    ),
    solution=attend,
    second_style=attend_loops,
    mistakes=(
        attend_overflowing,
        attend_by_count,
        attend_without_sum,
        attend_by_scores,
        attend_linear,
        attend_all_ones,
        attend_to_values,
        attend_mixing_keys,
        attend_softmax_of_values,
        attend_scaled,
        attend_hard,
    ),
    cases=attend_cases,
    see="A.4 One head by hand",
)

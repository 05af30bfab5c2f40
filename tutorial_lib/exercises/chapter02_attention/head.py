"""Chapter 02: what one query gathers."""

import math

import torch

from tutorial_lib.exercises.chapter02_attention.measures import divisor
from tutorial_lib.exercises.engine.properties import alike, properties
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


QUERY = torch.tensor([0.6, -1.1, 0.8])
KEYS = torch.tensor([[1.0, 0.2, 0.4], [-0.3, 0.5, 1.2], [0.7, -1.0, 0.1], [-1.7, 0.3, -0.6]])


def weights_of(answer, keys=KEYS):
    """The weights of the keys (S,): with these values the result is the weights."""
    return answer(QUERY, keys, torch.eye(len(keys)))


VALUES = torch.tensor([[1.0, -0.5, 0.3], [0.2, 1.5, -1.0], [-0.7, 0.4, 1.1]])


def mixes_the_values(answer):
    """It mixes the keys: they decide the weights, what gets mixed are the values."""
    got, raw = answer(QUERY, KEYS[:3], VALUES), KEYS[:3] @ QUERY
    if alike(got, raw @ VALUES.softmax(0)):
        return "It takes the softmax of the values: it belongs to the scores."
    return alike(got, raw @ VALUES) or bool(answer(QUERY, 0 * KEYS[:3], VALUES).any())


def compares_with_the_keys(answer):
    """It compares the query with the values: it must be compared with the keys."""
    one, three = (answer(QUERY, KEYS[:3], times * VALUES) for times in (1, 3))
    if alike(one, three) or alike(one, KEYS[:3] @ QUERY @ VALUES.softmax(0)):
        return None
    return alike(three, 3 * one)


def weights_sum_to_one(answer):
    """The weights must sum to 1: divide the exponentials by their sum."""
    weights, scores = weights_of(answer), KEYS @ QUERY
    if weights.shape != (4,) or mixes_the_values(answer) is not True:
        return None
    if alike(weights, scores):
        return "It multiplies the values by the raw scores: the softmax is missing."
    if alike(weights, torch.ones(4)):
        return "Each value gets weight 1: the softmax runs over an axis with one entry."
    total = weights.sum().item()
    return (
        True if abs(total - 1) < 1e-3 else f"The weights must sum to 1; yours sum to {total:.3g}."
    )


def exponentials_of_plain_scores(answer):
    """The weights must be exponentials of plain scores: one more is e times as much."""
    weights, scores = weights_of(answer), KEYS @ QUERY
    if alike(weights, scores / scores.sum()):
        return "It divides each score by the sum of the scores: the exponential is missing."
    if (weights > 1e-6).sum() == 1 and weights.min() >= 0:
        return "It takes the value of the best key only: each key gets its share."
    found = divisor(weights[None], scores[None])
    if found is not None and math.isclose(found, math.sqrt(3), rel_tol=1e-3):
        return "It divides by the root of K: sound, and the next step, but here scores are plain."
    if weights.min() < 0 or alike(weights, weights[:1].expand(4)):
        return None
    return found is not None and math.isclose(found, 1, rel_tol=1e-3)


def survives_large_scores(answer):
    """It overflows on large scores: subtract the largest score before the exp."""
    return bool(weights_of(answer, 1_000 * KEYS).isfinite().all())


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
    mistakes=(),
    cases=attend_cases,
    properties=properties(
        mixes_the_values,
        compares_with_the_keys,
        weights_sum_to_one,
        exponentials_of_plain_scores,
        survives_large_scores,
    ),
    see="A.4 One head by hand",
)

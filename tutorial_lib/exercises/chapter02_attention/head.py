"""Chapter 02: what one query gathers."""

import math

import torch

from tutorial_lib.exercises.engine.properties import alike, composed, properties
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


def attend_clamped(query, keys, values):
    """It cuts large scores off: they become equal. Subtract the largest from all of them."""
    weights = (keys @ query).clamp(max=80).exp()
    return weights / weights.sum() @ values


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
VALUES = torch.tensor([[0.3, 1.5, -1.0], [1.1, -0.5, 0.3], [-0.7, 0.4, 1.6], [0.2, -1.2, 0.9]])


def weights_sum_to_one(answer):
    """The weights must sum to 1: divide the exponentials by their sum."""
    total = answer(QUERY, KEYS, torch.ones(4, 3))[0].item()  # where all values are 1
    return abs(total - 1) < 1e-3 or f"The weights must sum to 1; yours sum to {total:.3g}."


def survives_large_scores(answer):
    """It overflows on large scores: subtract the largest score before the exp."""
    return bool(answer(QUERY, 1_000 * KEYS, VALUES).isfinite().all())


def exponentials(answer):
    """The weights must go with exp(score): one more in a score makes one e times larger."""
    weights = answer(QUERY, KEYS, torch.eye(4))
    return alike((weights / weights[0]).log(), KEYS @ QUERY - KEYS[0] @ QUERY)


RULES = composed(
    lambda answer: answer(QUERY, KEYS, VALUES),
    lambda compared, scale, weigh, mixed: weigh(compared @ QUERY / scale) @ mixed,
    {
        "The query is compared with the keys.": KEYS,
        "It compares the query with the values: compare it with the keys.": VALUES,
    },
    {
        "The scores are plain dot products.": 1,
        "It divides by the root of K: sound, and the next step, but here scores are plain.": 3**0.5,
    },
    {
        "The weights are the softmax of the scores.": lambda x: x.softmax(0),
        "The softmax is missing: it multiplies the values by the raw scores.": lambda x: x,
        "The exponential is missing: it divides the scores by their sum.": lambda x: x / x.sum(),
        "The exponentials are not divided by their sum: the weights do not sum to 1.": torch.exp,
        "It divides by the largest, not by the sum.": lambda x: (x - x.max()).exp(),
        "It divides by the number of keys, not by the sum.": lambda x: (x - x.max()).exp() / len(x),
        "Each weight is 1: the softmax runs over an axis with one entry.": torch.ones_like,
        "It takes the best key's value only: each gets its share.": lambda x: 1.0 * (x == x.max()),
        "It takes powers of 2: the exponential is that of e.": lambda x: (x * math.log(2)).softmax(
            0
        ),
    },
    {
        "The values are mixed.": VALUES,
        "It mixes the keys: they decide the weights, what gets mixed are the values.": KEYS,
        "It takes the softmax of the values: it belongs to the scores.": VALUES.softmax(0),
    },
    otherwise=(weights_sum_to_one, exponentials),
)


ATTEND = Write(
    id="2.2",
    title="What one query gathers",
    level="easy",
    text="""
Write `attend(query, keys, values)`. The query (K,) is compared with each key (S, K) by a plain dot
product, no scale yet. The softmax of these scores weights the values (S, D). It must survive
scores of 1,000, where a bare `exp` is infinite. All attention later in the course is many of these
at once.
""",
    hints=(
        "`keys @ query` holds all S dot products.",
        "`exp(1000.)` is infinite. Subtracting the largest score changes no weight.",
        "`weights @ values` is the weighted sum of the rows of `values`.",
    ),
    solution=attend,
    second_style=attend_loops,
    mistakes=(attend_clamped,),
    cases=attend_cases,
    properties=(*RULES, *properties(survives_large_scores)),
    see="2C Ask, match, hand over",
)

"""Chapter 02: what one query gathers, and one head in matrix form."""

import math

import torch

from tutorial_lib.exercises.tasks import Write, case

# One query ------------------------------------------------------------------------------------


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
yourself, so that it also stands scores of 1,000. Everything later in the course is many of these
at once.
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


# Scaled dot-product attention -----------------------------------------------------------------


def attention(q, k, v):
    """Return output (..., T, D) and weights (..., T, S) of scaled dot-product attention.

    q (..., T, K), k (..., S, K), v (..., S, D); in front any axes, such as heads.
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (..., T, S)
    weights = scores.softmax(dim=-1)
    return weights @ v, weights


def attention_einsum(q, k, v):
    """Second style."""
    weights = torch.einsum("...tk,...sk->...ts", q * q.shape[-1] ** -0.5, k).softmax(-1)
    return torch.einsum("...ts,...sv->...tv", weights, v), weights


def attention_divided_by(q, k, v, divisor):
    """Attention with a divisor of one's own, for the mistakes below."""
    weights = (q @ k.transpose(-2, -1) / divisor).softmax(dim=-1)
    return weights @ v, weights


def attention_unscaled(q, k, v):
    """This equals attention without the 1/sqrt(K)."""
    return attention_divided_by(q, k, v, 1)


def attention_by_width(q, k, v):
    """This divides by K: the standard deviation of the scores is its square root."""
    return attention_divided_by(q, k, v, q.size(-1))


def attention_by_model_width(q, k, v):
    """This divides by the root of the width of all heads together: each head scales by its own."""
    return attention_divided_by(q, k, v, math.sqrt(q.size(-3) * q.size(-1)))


def attention_by_keys(q, k, v):
    """This divides by the root of the number of keys: what counts is the width of a key."""
    return attention_divided_by(q, k, v, math.sqrt(k.size(-2)))


def attention_multiplied(q, k, v):
    """This multiplies by sqrt(K): the scores must shrink, so divide."""
    return attention_divided_by(q, k, v, q.size(-1) ** -0.5)


def attention_scaled_late(q, k, v):
    """This scales after the softmax: the rows no longer sum to 1."""
    weights = (q @ k.transpose(-2, -1)).softmax(dim=-1) / math.sqrt(q.size(-1))
    return weights @ v, weights


def attention_over_queries(q, k, v):
    """This takes the softmax over the queries: the keys compete, each row sums to 1."""
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(dim=-2)
    return weights @ v, weights


def attention_first_axis(q, k, v):
    """This takes the softmax over the first axis: the keys stand on the last one."""
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(dim=0)
    return weights @ v, weights


def attention_output_only(q, k, v):
    """This returns the output only: the weights are asked for as well, `output, weights`."""
    return attention(q, k, v)[0]


def attention_cases():
    """T, S, K and the number of heads all differ, so that no width stands in for another."""
    return [
        case("1 head, 2 queries, 3 keys", *heads(1, 2, 3, 4)),
        case("2 heads, 3 queries, 5 keys", *heads(2, 3, 5, 4)),
        case("a batch of 2", *(part.expand(2, *part.shape).clone() for part in heads(3, 2, 2, 5))),
    ]


def heads(n_heads, n_queries, n_keys, width):
    """Random queries, keys, and values that are one number wider than the keys."""
    q = 2 * torch.randn(n_heads, n_queries, width)
    return q, torch.randn(n_heads, n_keys, width), torch.randn(n_heads, n_keys, width + 1)


ATTENTION = Write(
    id="2.2",
    title="Scaled dot-product attention",
    level="medium",
    text="""
Write `attention(q, k, v)`: the softmax of all scaled scores, then the mix of the values. Shapes:
q (..., T, K), k (..., S, K), v (..., S, D); in front stand the heads (H), or batch and heads
(B, H). Return `output, weights`: (..., T, D) and (..., T, S). It is the core of every model of
this course.
""",
    hints=(
        "`k.transpose(-2, -1)` turns the last two axes and leaves the ones in front alone.",
        "A dot product of K unit-variance terms has variance K. What is its standard deviation?",
        "Each query spreads a weight of 1 over the keys: which axis of (T, S) sums to 1?",
    ),
    solution=attention,
    second_style=attention_einsum,
    mistakes=(
        attention_unscaled,
        attention_by_width,
        attention_by_model_width,
        attention_by_keys,
        attention_multiplied,
        attention_scaled_late,
        attention_over_queries,
        attention_first_axis,
        attention_output_only,
    ),
    cases=attention_cases,
    see="A.6 Scaling",
)

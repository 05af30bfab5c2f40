"""Chapter 02: one head in matrix form."""

import math

import torch

from tutorial_lib.exercises.engine.tasks import Write, case


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


def attention_by_value_width(q, k, v):
    """This divides by the root of the width of the values: the scores are sums over the keys' K."""
    return attention_divided_by(q, k, v, math.sqrt(v.size(-1)))


def attention_without_softmax(q, k, v):
    """This mixes the values by the raw scores: the softmax that makes them weights is missing."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    return scores @ v, scores


def attention_scores_returned(q, k, v):
    """This returns the scores next to a sound output: the weights are asked for, after softmax."""
    return attention(q, k, v)[0], q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))


def attention_turned_round(q, k, v):
    """This returns weights, output: the order is `output, weights`."""
    return attention(q, k, v)[::-1]


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
        attention_by_value_width,
        attention_without_softmax,
        attention_scores_returned,
        attention_turned_round,
        attention_output_only,
    ),
    cases=attention_cases,
    see="A.6 Scaling",
)

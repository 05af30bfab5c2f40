"""Chapter 02: one head in matrix form."""

import math

import torch

from tutorial_lib.exercises.chapter02_attention.measures import (
    MIXED,
    NOT_RAW,
    TURNED_ROUND,
    UNSCALED,
    in_order,
    rows_sum_to_one,
    scaled_by_root,
)
from tutorial_lib.exercises.engine.properties import no_way_back
from tutorial_lib.exercises.engine.tasks import Property, Write, case


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


def attention_scores_returned(q, k, v):
    """This returns the scores next to a sound output: the weights are asked for, after softmax."""
    return attention(q, k, v)[0], q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))


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


def example(n_heads=3, n_queries=4, n_keys=7, width=5):
    """Inputs on which every width, and every divisor that comes to mind, is another number."""
    generator = torch.Generator().manual_seed(2)
    q, k = (torch.randn(n_heads, n, width, generator=generator) for n in (n_queries, n_keys))
    return q, k, torch.randn(n_heads, n_keys, 11, generator=generator)


def answered(answer):
    """The output and the weights for the example, whichever comes first."""
    return in_order(answer(*example()), 11)


def output_comes_first(answer):
    """The order is output, weights."""
    output, weights = answer(*example())
    return output.size(-1) == 11 or weights.size(-1) != 11


def weights_not_scores(answer):
    """No weight is negative."""
    return bool((answered(answer)[1] >= 0).all())


def rows_add_up(answer):
    """Each row of the weights sums to 1."""
    return rows_sum_to_one(answered(answer)[1])


def scaled(answer):
    """The scores were divided by the root of K."""
    q, k, v = example()
    heads, width, keys = q.size(0), q.size(-1), k.size(-2)
    others = {
        1: UNSCALED,
        width: "The scores are divided by K: their standard deviation is its square root.",
        width**-0.5: "The scores are multiplied by sqrt(K): they must shrink, so divide.",
        (heads * width) ** 0.5: "The scores are divided by the root of the width of all heads "
        "together: each head scales by its own K.",
        keys**0.5: "The scores are divided by the root of the number of keys: what counts is the "
        "width K of a key.",
        v.size(-1) ** 0.5: "The scores are divided by the root of the width of the values: they "
        "are sums over the keys' K.",
    }
    return scaled_by_root(answered(answer)[1], q @ k.mT, width, others)


def output_is_the_mix(answer):
    """The output is made of the weights that come with it."""
    _, _, v = example()
    output, weights = answered(answer)
    return torch.allclose(output, weights @ v, atol=1e-4)


ATTENTION = Write(
    id="2.4",
    title="Scaled dot-product attention",
    level="medium",
    text="""
Write `attention(q, k, v)`, the formula of this section, from an empty function. It returns
`output, weights`, (..., T, D) and (..., T, S), for q (..., T, K), k (..., S, K) and v (..., S, D).
In front there may be more axes, such as heads (H), or batch and heads (B, H), so count axes from
the end. Values may be wider than keys. It is the core of every model of this course.
""",
    hints=(
        "A dot product of K unit-variance terms has variance K. Whose width is that?",
        "Each query spreads a weight of 1 over the keys: which axis of (T, S) sums to 1?",
        "`k.transpose(-2, -1)` turns the last two axes of k, whatever is in front. Softmax over "
        "`dim=-1`.",
    ),
    solution=attention,
    second_style=attention_einsum,
    mistakes=(
        attention_scores_returned,
        attention_output_only,
    ),
    cases=attention_cases,
    properties=(
        Property(TURNED_ROUND, output_comes_first),
        Property(NOT_RAW, weights_not_scores),
        Property("Each row of the weights must sum to 1, over the keys.", rows_add_up),
        Property("The scores are not divided by the root of K, the width of a key.", scaled),
        Property(MIXED, output_is_the_mix),
    ),
    results=("output", "weights"),
    remarks=(lambda answer: no_way_back(answer, *example()),),
    see="2E Scaling",
)

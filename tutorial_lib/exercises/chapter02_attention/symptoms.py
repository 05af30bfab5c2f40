"""Chapter 02: a curve that betrays a mistake."""

import math

import torch

from tutorial_lib.exercises.chapter02_attention.measures import (
    BY_WIDTH,
    UNSCALED,
    divisor,
    rows_sum_to_one,
    scaled_by_root,
)
from tutorial_lib.exercises.engine.properties import properties
from tutorial_lib.exercises.engine.tasks import Symptom, case


def head_weights(q, k):
    """Return the weights (T, S) of one head for q (T, K) and k (S, K)."""
    scores = q @ k.T
    return (scores / math.sqrt(q.size(-1))).softmax(dim=-1)


def head_weights_einsum(q, k):
    """Second style."""
    return torch.softmax(torch.einsum("tk,sk->ts", q, k) * q.shape[1] ** -0.5, dim=1)


def head_weights_unscaled(q, k):
    """It does not scale the scores at all."""
    scores = q @ k.T
    return scores.softmax(dim=-1)


def head_weights_by_keys(q, k):
    """It divides by the root of the number of keys S, instead of the width K."""
    scores = q @ k.T
    return (scores / math.sqrt(k.size(0))).softmax(dim=-1)


def head_weights_multiplied(q, k):
    """It multiplies by sqrt(K), where it should divide."""
    scores = q @ k.T
    return (scores * math.sqrt(q.size(-1))).softmax(dim=-1)


def head_weights_by_width(q, k):
    """It divides by K itself, not by its root."""
    scores = q @ k.T
    return (scores / q.size(-1)).softmax(dim=-1)


def head_weights_cases():
    """Widths 4 and 9 and other numbers of keys: no divisor stands in for another."""
    return [
        case("width 4, six keys", torch.randn(2, 4), torch.randn(6, 4)),
        case("width 9, three keys", torch.randn(4, 9), torch.randn(3, 9)),
    ]


def curve_example():
    """Three queries and seven keys, five wide."""
    generator = torch.Generator().manual_seed(8)
    return torch.randn(3, 5, generator=generator), torch.randn(7, 5, generator=generator)


def head_adds_up(answer):
    """Each row of the weights must sum to 1."""
    return rows_sum_to_one(answer(*curve_example()))


def head_scaled(answer):
    """The scores are not divided by the root of K, the width of a key."""
    q, k = curve_example()
    cosines = torch.cosine_similarity(q[:, None], k, dim=-1)
    if divisor(answer(q, k), cosines) is not None:
        return (
            "It divides each dot product by the lengths of query and key, which makes a cosine: "
            "divide by sqrt(K) and nothing else."
        )
    others = {
        1: UNSCALED,
        5: BY_WIDTH,
        5**-0.5: "The scores are multiplied by sqrt(K): they must shrink, so divide.",
        7**0.5: "The scores are divided by the root of the number of keys: the width K counts.",
        3**0.5: "The scores are divided by the root of the number of queries: the width K counts.",
    }
    return scaled_by_root(answer(q, k), q @ k.T, 5, others)


HEAD_CURVE = Symptom(
    id="2.5",
    title="Wider and wider heads",
    level="easy",
    text="""
The curves above show how evenly a head spreads its weights over S = 64 keys: the mean entropy, at
most log₂ 64 = 6 bits. Queries and keys are random, with unit variance. Sound code gives about the
same value at each width K, clearly below 6. The other curve was made by code with one of these
mistakes. Choose its letter in the next cell. Then open the folded cell after it: that is the code,
`head_weights`, for you to repair.
""",
    hints=(
        "At large K, are the weights nearly equal, or does one take all? The entropy tells.",
        "The scores have standard deviation sqrt(K). What is left of it after each division?",
    ),
    solution=head_weights,
    second_style=head_weights_einsum,
    mistakes=(
        head_weights_unscaled,
        head_weights_by_keys,
        head_weights_multiplied,
        head_weights_by_width,
    ),
    shown=head_weights_by_width,
    looks=(
        "Scores would grow like sqrt(K), and the entropy would fall towards 0.",
        "The divisor would be the same at all widths: the entropy would start high, then fall.",
        "Scores would grow like K: the entropy would fall fastest, to nearly 0 at K = 64.",
        "Scores would shrink like 1/sqrt(K): the entropy would rise to 6 bits, all weights alike.",
    ),
    cases=head_weights_cases,
    properties=properties(head_adds_up, head_scaled),
    see="2E Scaling",
)

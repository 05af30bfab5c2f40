"""Chapter 02: a map and a curve that betray a mistake."""

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

# The map --------------------------------------------------------------------------------------


def causal_weights(q, k):
    """Return the weights (T, T) of causal attention for q (T, K) and k (T, K)."""
    scores = q @ k.T / math.sqrt(q.size(-1))
    visible = torch.ones_like(scores).tril().bool()
    return scores.masked_fill(~visible, -math.inf).softmax(dim=-1)


def causal_weights_rows(q, k):
    """Second style."""
    rows = torch.zeros(len(q), len(k), dtype=q.dtype)
    for t, query in enumerate(q):
        rows[t, : t + 1] = (k[: t + 1] @ query / len(query) ** 0.5).softmax(dim=0)
    return rows


def causal_weights_zero(q, k):
    """This sets the hidden scores to 0, in place of minus infinity."""
    scores = q @ k.T / math.sqrt(q.size(-1))
    visible = torch.ones_like(scores).tril().bool()
    return scores.masked_fill(~visible, 0).softmax(dim=-1)


def causal_weights_late(q, k):
    """This masks after the softmax, not before it."""
    scores = q @ k.T / math.sqrt(q.size(-1))
    visible = torch.ones_like(scores).tril().bool()
    return scores.softmax(dim=-1).masked_fill(~visible, 0)


def causal_weights_over_queries(q, k):
    """This takes the softmax over the queries, not over the keys."""
    scores = q @ k.T / math.sqrt(q.size(-1))
    visible = torch.ones_like(scores).tril().bool()
    return scores.masked_fill(~visible, -math.inf).softmax(dim=0)


def causal_weights_transposed(q, k):
    """This hides the past and shows the future: its triangle is flipped."""
    scores = q @ k.T / math.sqrt(q.size(-1))
    visible = torch.ones_like(scores).triu().bool()
    return scores.masked_fill(~visible, -math.inf).softmax(dim=-1)


def causal_weights_unmasked(q, k):
    """Nothing is hidden: `masked_fill` returns a new tensor and leaves the old one as it is."""
    return (q @ k.T / math.sqrt(q.size(-1))).softmax(dim=-1)


def causal_weights_cases():
    """Two words are enough to see the row sums, five tell the axes apart."""
    return [
        case("two words", torch.randn(2, 3), torch.randn(2, 3)),
        case("five words", torch.randn(5, 4), torch.randn(5, 4)),
    ]


def causal_map(answer):
    """Queries and keys of five words, three wide, and the weights that come for them."""
    q, k = torch.randn(2, 5, 3, generator=torch.Generator().manual_seed(7))
    return q, k, answer(q, k)


def nothing_later(answer):
    """A word gets weight that comes later: above the diagonal all must be 0."""
    weights = causal_map(answer)[2]
    if not weights.tril(-1).any():
        return "It hides the past and shows the future: rows are queries, columns keys."
    return not (weights.triu(1).abs() > 1e-6).any()


def sees_itself(answer):
    """It hides each word from itself: the diagonal must not be 0."""
    return not (causal_map(answer)[2].diagonal() < 1e-6).any()


def map_adds_up(answer):
    """Each row must sum to 1."""
    weights = causal_map(answer)[2]
    lost = rows_sum_to_one(weights) is not True and weights[0].sum() < weights[4].sum() - 1e-3
    if lost and abs(weights[4].sum() - 1) < 1e-4:
        return "What the hidden words had is lost: mask the scores, before the softmax."
    return rows_sum_to_one(weights)


def map_scaled(answer):
    """The scores are not divided by the root of K, the width of a key."""
    q, k, weights = causal_map(answer)
    seen = slice(2, None), slice(0, 3)  # where nothing is hidden
    if not weights[seen].tril(-1).any():
        seen = slice(0, 3), slice(2, None)  # the triangle is flipped
    return scaled_by_root(weights[seen], (q @ k.T)[seen], 3, {1: UNSCALED, 3: BY_WIDTH})


CAUSAL_MAP = Symptom(
    id="2.9",
    title="A map that fades",
    level="medium",
    text="""
The map above was meant to be causal attention: row t looks at words 0 to t. It was made by code
with one of these mistakes. Choose the letter, then repair `causal_weights`.
""",
    hints=(
        "What should the single weight of the first row be? What is it here?",
        "Add up a row near the top, the bottom row, and a column. Which of them give 1?",
        "A hidden word must be out before the softmax divides.",
    ),
    solution=causal_weights,
    second_style=causal_weights_rows,
    mistakes=(
        causal_weights_zero,
        causal_weights_late,
        causal_weights_over_queries,
        causal_weights_transposed,
        causal_weights_unmasked,
    ),
    shown=causal_weights_late,
    looks=(
        "There would be weights above the diagonal too, all alike within a row.",
        "The triangle would be right, but each row above the last would sum to less than 1.",
        "Each column would sum to 1, so the bottom right corner, alone in its column, would be 1.",
        "The weights would be above the diagonal, and the last row would hold a single 1.",
    ),
    cases=causal_weights_cases,
    properties=properties(nothing_later, sees_itself, map_adds_up, map_scaled),
    see="2G Masks",
)


# The curve ------------------------------------------------------------------------------------


def head_weights(q, k):
    """Return the weights (T, S) of one head for q (T, K) and k (S, K)."""
    scores = q @ k.T
    return (scores / math.sqrt(q.size(-1))).softmax(dim=-1)


def head_weights_einsum(q, k):
    """Second style."""
    return torch.softmax(torch.einsum("tk,sk->ts", q, k) * q.shape[1] ** -0.5, dim=1)


def head_weights_unscaled(q, k):
    """This does not scale the scores at all."""
    scores = q @ k.T
    return scores.softmax(dim=-1)


def head_weights_by_keys(q, k):
    """This divides by the root of the number of keys S, in place of the width K."""
    scores = q @ k.T
    return (scores / math.sqrt(k.size(0))).softmax(dim=-1)


def head_weights_multiplied(q, k):
    """This multiplies by sqrt(K), where it should divide."""
    scores = q @ k.T
    return (scores * math.sqrt(q.size(-1))).softmax(dim=-1)


def head_weights_by_width(q, k):
    """This divides by K itself, not by its root."""
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
mistakes. Choose the letter, then repair `head_weights`.
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

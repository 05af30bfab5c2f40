"""Chapter 02: one sequence that looks at another."""

import math

import torch

from tutorial_lib.exercises.chapter02_attention.measures import (
    BY_WIDTH,
    UNSCALED,
    in_order,
    rows_sum_to_one,
    scaled_by_root,
)
from tutorial_lib.exercises.engine.properties import alike, composed, properties
from tutorial_lib.exercises.engine.tasks import Write, case


def cross_attention(x, context, w_q, w_k, w_v):
    """Return output (T, K) and weights (T, S): x (T, D) asks, context (S, D) answers."""
    q, k, v = x @ w_q, context @ w_k, context @ w_v  # (T, K), (S, K), (S, K)
    weights = (q @ k.T / math.sqrt(q.size(-1))).softmax(dim=-1)
    return weights @ v, weights


def cross_attention_loops(x, context, w_q, w_k, w_v):
    """Second style."""
    k, v = context @ w_k, context @ w_v
    rows = [(k @ (word @ w_q) / len(k[0]) ** 0.5).softmax(dim=0) for word in x]
    return torch.stack([row @ v for row in rows]), torch.stack(rows)


def cross_attention_cases():
    """Lengths that differ show most mix-ups; equal lengths hide the shapes, not the numbers."""
    weights = [torch.randn(3, 4) for _ in range(3)]
    return [
        case("2 words ask 5", torch.randn(2, 3), torch.randn(5, 3), *weights),
        case("4 words ask 2", torch.randn(4, 3), torch.randn(2, 3), *weights),
        case("3 words ask 3", torch.randn(3, 3), torch.randn(3, 3), *weights),
    ]


X, CONTEXT, *MAPS = torch.randn(22, 4, generator=torch.Generator().manual_seed(5)).split(
    [5, 5, 4, 4, 4]
)
W_Q, W_K, W_V = (weights[:, :3] for weights in MAPS)  # as many words ask as answer: mix-ups fit


def crossed(answer):
    """Output (T, K) and weights (T, S), whichever comes first."""
    return in_order(answer(X, CONTEXT, W_Q, W_K, W_V), 3)


def crossed_by(asks, offers, divisor, hidden, dim, values):
    """Make output and weights by other queries, keys, divisor, mask, axis and values."""
    scores = (asks @ W_Q @ offers.T / divisor).masked_fill(hidden, -math.inf)
    weights = scores.softmax(dim)
    return [weights @ values, weights]


def output_comes_first(answer):
    """It returns weights, output: the order is `output, weights`."""
    output, weights = answer(X, CONTEXT, W_Q, W_K, W_V)
    return output.size(-1) == 3 or weights.size(-1) != 3


def one_weight_a_word(answer):
    """It lets the decoder look at itself as well: the keys are the S words of the context."""
    return crossed(answer)[1].shape != (5, 10)


def weights_not_scores(answer):
    """There are negative weights: these are raw scores, and the softmax is still to come."""
    return bool((crossed(answer)[1] >= 0).all())


def rows_add_up(answer):
    """Each row of the weights must sum to 1, over the words of the context."""
    return rows_sum_to_one(crossed(answer)[1])


def scaled(answer):
    """The scores are not divided by sqrt(K), K the width of a key."""
    return scaled_by_root(crossed(answer)[1], X @ W_Q @ (CONTEXT @ W_K).T, 3, {1: UNSCALED})


def output_is_the_mix(answer):
    """The output must be weights @ values, the values `context @ w_v`."""
    output, weights = crossed(answer)
    return alike(output, weights @ CONTEXT @ W_V)


RULES = composed(
    crossed,
    crossed_by,
    {
        "The queries come from x.": X,
        "The queries come from the context: x asks, its words decide the T rows.": CONTEXT,
    },
    {
        "The keys come from the context.": CONTEXT @ W_K,
        "The keys come from x, the decoder: they must come from the context.": X @ W_K,
        "The keys are made with `w_q`: they have a map of their own, `w_k`.": CONTEXT @ W_Q,
    },
    {
        "The scores are scaled by 1/sqrt(K).": 3**0.5,
        UNSCALED: 1,
        BY_WIDTH: 3,
        "The scores are divided by sqrt(D), the width of the words: the keys' width K counts.": 2,
        "The scores are divided by the root of the number of keys: the width K counts.": 5**0.5,
    },
    {
        "Each query may look at the whole source.": torch.zeros(5, 5).bool(),
        "It adds a causal mask: the whole source is known.": torch.ones(5, 5).triu(1).bool(),
    },
    {
        "Each query's weights sum to 1.": -1,
        "It takes the softmax over the queries: each query shares 1 out among the keys.": 0,
    },
    {
        "The values come from the context.": CONTEXT @ W_V,
        "The values come from x, the decoder: they must come from the context.": X @ W_V,
        "It mixes the words of the context: mix their values, `context @ w_v`.": CONTEXT,
    },
    otherwise=(one_weight_a_word, weights_not_scores, rows_add_up, scaled, output_is_the_mix),
)


CROSS_ATTENTION = Write(
    id="2.12",
    title="Cross-attention",
    level="medium",
    text="""
Write `cross_attention(x, context, w_q, w_k, w_v)`: one head by which the T words of a decoder, `x`
(T, D), read the S words of an encoder, `context` (S, D). The weights are (D, K), used as
`x @ w_q`. Return `output, weights`: (T, K) and (T, S). Who asks, and who answers?
""",
    hints=(
        "Who asks? Its length is that of the output.",
        "Keys and values belong together: word s has both, and both come from where one looks.",
        "No mask here: the source is complete before the decoder starts.",
    ),
    solution=cross_attention,
    second_style=cross_attention_loops,
    mistakes=(),
    cases=cross_attention_cases,
    properties=(*properties(output_comes_first), *RULES),
    results=("output", "weights"),
    see="2I Two sequences",
)

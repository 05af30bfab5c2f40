"""Chapter 02: one sequence that looks at another."""

import math

import torch

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


def cross_attention_of(asks, offers, holds, w_q, w_k, w_v):
    """Attention of three sources: of queries, of keys, of values."""
    q, k, v = asks @ w_q, offers @ w_k, holds @ w_v
    weights = (q @ k.T / math.sqrt(q.size(-1))).softmax(dim=-1)
    return weights @ v, weights


def cross_attention_decoder(x, context, w_q, w_k, w_v):
    """This takes keys and values from the decoder too: self-attention, the context is unread."""
    return cross_attention_of(x, x, x, w_q, w_k, w_v)


def cross_attention_encoder(x, context, w_q, w_k, w_v):
    """This takes the queries from the encoder too: self-attention of the context."""
    return cross_attention_of(context, context, context, w_q, w_k, w_v)


def cross_attention_swapped(x, context, w_q, w_k, w_v):
    """This swaps the two: the encoder asks the decoder, and the output has S rows for T."""
    return cross_attention_of(context, x, x, w_q, w_k, w_v)


def cross_attention_decoder_values(x, context, w_q, w_k, w_v):
    """This mixes the decoder's values by weights over the encoder's keys: it fits if T = S."""
    return cross_attention_of(x, context, x, w_q, w_k, w_v)


def cross_attention_decoder_keys(x, context, w_q, w_k, w_v):
    """This takes the keys from the decoder, the values from the encoder: both belong together."""
    return cross_attention_of(x, x, context, w_q, w_k, w_v)


def cross_attention_raw(x, context, w_q, w_k, w_v):
    """This mixes the words of the context themselves: mix their values, `context @ w_v`."""
    weights = cross_attention_of(x, context, context, w_q, w_k, w_v)[1]
    return weights @ context, weights


def cross_attention_causal(x, context, w_q, w_k, w_v):
    """This adds a causal mask: the whole source is known, each query may look at all of it."""
    q, k, v = x @ w_q, context @ w_k, context @ w_v
    scores = q @ k.T / math.sqrt(q.size(-1))
    later = torch.ones_like(scores).triu(1).bool()
    weights = scores.masked_fill(later, -math.inf).softmax(dim=-1)
    return weights @ v, weights


def cross_attention_over_queries(x, context, w_q, w_k, w_v):
    """This takes the softmax over the queries: each query shares 1 out among the keys."""
    q, k, v = x @ w_q, context @ w_k, context @ w_v
    weights = (q @ k.T / math.sqrt(q.size(-1))).softmax(dim=0)
    return weights @ v, weights


def cross_attention_one_map(x, context, w_q, w_k, w_v):
    """This makes the keys with `w_q`: they have a map of their own, `w_k`."""
    return cross_attention_of(x, context, context, w_q, w_q, w_v)


def cross_attention_both(x, context, w_q, w_k, w_v):
    """This lets the decoder look at itself as well: the keys are the S words of the encoder."""
    both = torch.cat([x, context])
    output, weights = cross_attention_of(x, both, both, w_q, w_k, w_v)
    return output, weights


def cross_attention_unscaled(x, context, w_q, w_k, w_v):
    """This lacks the 1/sqrt(K)."""
    return cross_attention_of(x, context, context, w_q * math.sqrt(w_q.size(-1)), w_k, w_v)


def cross_attention_input_width(x, context, w_q, w_k, w_v):
    """This scales by sqrt(D), the width of the words: what counts is the width K of the keys."""
    factor = math.sqrt(w_q.size(1) / w_q.size(0))
    return cross_attention_of(x, context, context, w_q * factor, w_k, w_v)


def cross_attention_cases():
    """Lengths that differ show most mix-ups; equal lengths hide the shapes, not the numbers."""
    weights = [torch.randn(3, 4) for _ in range(3)]
    return [
        case("2 words ask 5", torch.randn(2, 3), torch.randn(5, 3), *weights),
        case("4 words ask 2", torch.randn(4, 3), torch.randn(2, 3), *weights),
        case("3 words ask 3", torch.randn(3, 3), torch.randn(3, 3), *weights),
    ]


CROSS_ATTENTION = Write(
    id="2.7",
    title="Cross-attention",
    level="medium",
    text="""
Write `cross_attention(x, context, w_q, w_k, w_v)`: one head by which the T words of a decoder, `x`
(T, D), read the S words of an encoder, `context` (S, D). The weights are (D, K), used as
`x @ w_q`. Return `output, weights`: (T, K) and (T, S). One widely read chapter has the keys and
values come from the wrong side.
""",
    hints=(
        "Who asks? Its length is that of the output.",
        "Keys and values belong together: word s has both, and both come from where one looks.",
        "No mask here: the source is complete before the decoder starts.",
    ),
    solution=cross_attention,
    second_style=cross_attention_loops,
    mistakes=(
        cross_attention_decoder,
        cross_attention_encoder,
        cross_attention_swapped,
        cross_attention_decoder_values,
        cross_attention_decoder_keys,
        cross_attention_raw,
        cross_attention_causal,
        cross_attention_over_queries,
        cross_attention_one_map,
        cross_attention_both,
        cross_attention_unscaled,
        cross_attention_input_width,
    ),
    cases=cross_attention_cases,
    see="B.3 Two sequences",
)

"""Chapter 04: the decoder looks at a batch of sources with padding."""

import math

import torch

from tutorial_lib.exercises.engine.tasks import Write, case


def encoder_decoder_attention(x, memory, w_q, w_k, w_v, memory_mask):
    """Return output (B, T, K) and weights (B, T, S) of one head.

    x (B, T, D) comes from the decoder, memory (B, S, D) from the encoder; the maps are (D, K);
    memory_mask (B, S), True = a real word of the source.
    """
    q, k, v = x @ w_q, memory @ w_k, memory @ w_v  # (B, T, K), (B, S, K), (B, S, K)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (B, T, S)
    scores = scores.masked_fill(~memory_mask[:, None, :], -math.inf)
    weights = scores.softmax(dim=-1)
    return weights @ v, weights


def encoder_decoder_attention_loops(x, memory, w_q, w_k, w_v, memory_mask):
    """Second style."""
    outputs, maps = [], []
    for words, source, real in zip(x, memory, memory_mask, strict=True):
        k, v = source[real] @ w_k, source[real] @ w_v
        weights = torch.zeros(len(words), len(source))
        weights[:, real] = torch.softmax(words @ w_q @ k.T * k.size(1) ** -0.5, dim=1)
        outputs.append(weights[:, real] @ v)
        maps.append(weights)
    return torch.stack(outputs), torch.stack(maps)


def attended(q, k, v, mask=None, divisor=None, dim=-1):
    """Attention with a mask (..., T, S), a divisor and a softmax axis of one's own."""
    scores = q @ k.transpose(-2, -1) / (divisor or math.sqrt(q.size(-1)))
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(dim=dim)
    return weights @ v, weights


def cross_decoder_values(x, memory, w_q, w_k, w_v, memory_mask):
    """This takes the values from the decoder: where one looks, there one reads, the encoder."""
    return attended(x @ w_q, memory @ w_k, x @ w_v, memory_mask[:, None, :])


def cross_decoder_keys(x, memory, w_q, w_k, w_v, memory_mask):
    """This takes the keys from the decoder: keys and values both belong to the encoder's words."""
    return attended(x @ w_q, x @ w_k, memory @ w_v, memory_mask[:, None, :])


def cross_decoder_only(x, memory, w_q, w_k, w_v, memory_mask):
    """This takes keys and values from the decoder: self-attention, the source goes unread."""
    return attended(x @ w_q, x @ w_k, x @ w_v, memory_mask[:, None, :])


def cross_decoder_unmasked(x, memory, w_q, w_k, w_v, memory_mask):
    """This is the decoder's self-attention without a mask: keys and values come from memory."""
    return attended(x @ w_q, x @ w_k, x @ w_v)


def cross_memory_queries(x, memory, w_q, w_k, w_v, memory_mask):
    """This takes the queries from the memory: the decoder asks, one row for each of its words."""
    return attended(memory @ w_q, memory @ w_k, memory @ w_v, memory_mask[:, None, :])


def cross_swapped(x, memory, w_q, w_k, w_v, memory_mask):
    """This swaps the two: the encoder asks the decoder, S rows in place of T."""
    return attended(memory @ w_q, x @ w_k, x @ w_v)


def cross_unscaled(x, memory, w_q, w_k, w_v, memory_mask):
    """This lacks the 1/sqrt(K)."""
    return attended(x @ w_q, memory @ w_k, memory @ w_v, memory_mask[:, None, :], divisor=1)


def cross_model_width(x, memory, w_q, w_k, w_v, memory_mask):
    """This divides by sqrt(D), the width of the model: a key has K numbers."""
    divisor = math.sqrt(x.size(-1))
    return attended(x @ w_q, memory @ w_k, memory @ w_v, memory_mask[:, None, :], divisor)


def cross_head_width(x, memory, w_q, w_k, w_v, memory_mask):
    """This divides by K itself: divide by its root."""
    divisor = w_k.size(-1)
    return attended(x @ w_q, memory @ w_k, memory @ w_v, memory_mask[:, None, :], divisor)


def cross_no_mask(x, memory, w_q, w_k, w_v, memory_mask):
    """This looks at the padding of the source too: `memory_mask` is not used."""
    return attended(x @ w_q, memory @ w_k, memory @ w_v)


def cross_mask_on_queries(x, memory, w_q, w_k, w_v, memory_mask):
    """This lays the mask along the queries, (B, T, 1): it belongs to the keys, (B, 1, S)."""
    return attended(x @ w_q, memory @ w_k, memory @ w_v, memory_mask[:, :, None])


def cross_mask_on_batch(x, memory, w_q, w_k, w_v, memory_mask):
    """This uses the mask as (B, S), which lines texts up with queries: it must be (B, 1, S)."""
    return attended(x @ w_q, memory @ w_k, memory @ w_v, memory_mask)


def cross_mask_inverted(x, memory, w_q, w_k, w_v, memory_mask):
    """This hides the words and shows the padding: True marks a real word."""
    return attended(x @ w_q, memory @ w_k, memory @ w_v, ~memory_mask[:, None, :])


def cross_mask_late(x, memory, w_q, w_k, w_v, memory_mask):
    """This masks after the softmax: the padding has taken its share, the rows do not sum to 1."""
    weights = attended(x @ w_q, memory @ w_k, memory @ w_v)[1] * memory_mask[:, None, :]
    return weights @ (memory @ w_v), weights


def cross_mask_zero(x, memory, w_q, w_k, w_v, memory_mask):
    """This sets the hidden scores to 0, which is a score like any other: minus infinity hides."""
    q, k, v = x @ w_q, memory @ w_k, memory @ w_v
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.masked_fill(~memory_mask[:, None, :], 0).softmax(dim=-1)
    return weights @ v, weights


def cross_causal(x, memory, w_q, w_k, w_v, memory_mask):
    """This adds a causal mask: the source is complete, each word may look at all of it."""
    causal = torch.ones(x.size(1), memory.size(1), dtype=torch.bool).tril()
    return attended(x @ w_q, memory @ w_k, memory @ w_v, memory_mask[:, None, :] & causal)


def cross_over_queries(x, memory, w_q, w_k, w_v, memory_mask):
    """This takes the softmax over the queries: each row shares 1 out among the source's words."""
    q, k, v = x @ w_q, memory @ w_k, memory @ w_v
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.softmax(dim=-2).masked_fill(~memory_mask[:, None, :], 0)
    return weights @ v, weights


def cross_over_queries_masked_first(x, memory, w_q, w_k, w_v, memory_mask):
    """This takes the softmax over the queries, where padding columns become NaN: use the keys."""
    return attended(x @ w_q, memory @ w_k, memory @ w_v, memory_mask[:, None, :], dim=-2)


def cross_raw_memory(x, memory, w_q, w_k, w_v, memory_mask):
    """This mixes the memory itself: mix its values, `memory @ w_v`."""
    return attended(x @ w_q, memory @ w_k, memory, memory_mask[:, None, :])


def cross_one_map(x, memory, w_q, w_k, w_v, memory_mask):
    """This makes the keys with `w_q`: they have a map of their own, `w_k`."""
    return attended(x @ w_q, memory @ w_q, memory @ w_v, memory_mask[:, None, :])


def cross_turned_round(x, memory, w_q, w_k, w_v, memory_mask):
    """This returns weights, output: the order is `output, weights`."""
    return encoder_decoder_attention(x, memory, w_q, w_k, w_v, memory_mask)[::-1]


def cross_output_only(x, memory, w_q, w_k, w_v, memory_mask):
    """This returns the output only: the weights are asked for as well, `output, weights`."""
    return encoder_decoder_attention(x, memory, w_q, w_k, w_v, memory_mask)[0]


def cross_cases():
    """T, S, D and K differ; B = T and T = S once each, where a mask on the wrong axis fits."""
    padded = torch.tensor([[True, True, False, False], [True, True, True, True]])
    square = torch.tensor([[True, True, False], [True, False, False]])
    return [
        case("2 words ask 4", *batch(2, 2, 4, 3, 5), padded),
        case("3 words ask 3", *batch(2, 3, 3, 3, 4), square),
        case("4 words ask 3", *batch(2, 4, 3, 6, 2), square),
    ]


def batch(n_texts, n_words, n_source, d_model, width):
    """Random x, memory and the three maps."""
    x, memory = torch.randn(n_texts, n_words, d_model), torch.randn(n_texts, n_source, d_model)
    return x, memory, *(torch.randn(d_model, width) for _ in range(3))


CROSS_ATTENTION = Write(
    id="4.6",
    title="Encoder-decoder attention",
    level="medium",
    text="""
Write `encoder_decoder_attention(x, memory, w_q, w_k, w_v, memory_mask)`, one head of the decoder's
second sub-layer. Chapter 02's cross-attention gets a batch and padded sources: `x` (B, T, D) are
the decoder's words, `memory` (B, S, D) is what the encoder made of the source, `memory_mask` (B, S)
is True for its real words. The maps are (D, K). Return `output, weights`: (B, T, K) and (B, T, S).
""",
    hints=(
        "The decoder asks. Keys and values both come from `memory`.",
        "The scores are (B, T, S). Which axis does the mask belong to? `[:, None, :]` makes room.",
        "Set hidden scores to `-math.inf` before the softmax over the keys. The decoder's own "
        "causal mask has no place here: the source is complete.",
    ),
    solution=encoder_decoder_attention,
    second_style=encoder_decoder_attention_loops,
    mistakes=(
        cross_decoder_values,
        cross_decoder_keys,
        cross_decoder_only,
        cross_decoder_unmasked,
        cross_memory_queries,
        cross_swapped,
        cross_unscaled,
        cross_model_width,
        cross_head_width,
        cross_no_mask,
        cross_mask_on_queries,
        cross_mask_on_batch,
        cross_mask_inverted,
        cross_mask_late,
        cross_mask_zero,
        cross_causal,
        cross_over_queries,
        cross_over_queries_masked_first,
        cross_raw_memory,
        cross_one_map,
        cross_turned_round,
        cross_output_only,
    ),
    cases=cross_cases,
    see="4.4 The decoder layer",
)

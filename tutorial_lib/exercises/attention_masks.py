"""Chapter 02: who may look at whom, and what a mask does to the scores."""

import math

import torch

from tutorial_lib.exercises.tasks import Write, case

# The causal mask ------------------------------------------------------------------------------


def causal_mask(n):
    """Return the (n, n) mask, True where query t may look at key s: itself and what is before."""
    return torch.ones(n, n).tril().bool()


def causal_mask_loops(n):
    """Second style."""
    return [[s <= t for s in range(n)] for t in range(n)]


def causal_mask_no_self(n):
    """This hides each word from itself: the diagonal must stay visible."""
    return torch.ones(n, n).tril(-1).bool()


def causal_mask_peeking(n):
    """This lets each word see the next one: exactly what it is asked to guess."""
    return torch.ones(n, n).tril(1).bool()


def causal_mask_transposed(n):
    """This is turned on its side: each word sees what follows; rows are queries, columns keys."""
    return torch.ones(n, n).triu().bool()


def causal_mask_inverted(n):
    """This is True where a word is hidden: here True means that it may be looked at."""
    return torch.ones(n, n).triu(1).bool()


def causal_mask_added(n):
    """This is a mask to add to the scores, 0 and -inf: give True and False here."""
    return torch.full((n, n), -math.inf).triu(1)


def causal_mask_only_self(n):
    """This shows each word nothing but itself: the words before it count too."""
    return torch.eye(n).bool()


def causal_mask_cases():
    """One word tells whether a word sees itself, four tell the rest."""
    return [case("one word", 1), case("two words", 2), case("four words", 4)]


CAUSAL_MASK = Write(
    id="2.3",
    title="Causal mask",
    level="easy",
    text="""
Write `causal_mask(n)`: an (n, n) tensor of True and False. Row t says which words the query at t
may look at: itself and those before it. True means "may look", as everywhere in this course. With
it a model can be trained on all positions of a text at once and still not see the answer.
""",
    hints=(
        "Write the mask for three words on paper first. How many True has the first row?",
        "`torch.tril` keeps a triangle of a matrix, `.bool()` turns 1 and 0 into True and False.",
    ),
    solution=causal_mask,
    second_style=causal_mask_loops,
    mistakes=(
        causal_mask_no_self,
        causal_mask_peeking,
        causal_mask_transposed,
        causal_mask_inverted,
        causal_mask_added,
        causal_mask_only_self,
    ),
    cases=causal_mask_cases,
    see="B.2 Masks",
)


# Masked attention -----------------------------------------------------------------------------


def masked_attention(q, k, v, mask):
    """Return output (T, D) and weights (T, S); mask (T, S), True = query t may look at key s."""
    scores = q @ k.T / math.sqrt(q.size(-1))  # (T, S)
    weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1)
    return weights @ v, weights


def masked_attention_renormalised(q, k, v, mask):
    """Second style."""
    weights = (q @ k.T / math.sqrt(q.size(-1))).softmax(dim=-1) * mask
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights @ v, weights


def masked_attention_late(q, k, v, mask):
    """This masks after the softmax: what the hidden keys had is lost, rows sum to less than 1."""
    weights = (q @ k.T / math.sqrt(q.size(-1))).softmax(dim=-1) * mask
    return weights @ v, weights


def masked_attention_zero(q, k, v, mask):
    """This sets hidden scores to 0, and exp(0) is 1: the hidden keys still get weight."""
    weights = (q @ k.T / math.sqrt(q.size(-1)) * mask).softmax(dim=-1)
    return weights @ v, weights


def masked_attention_inverted(q, k, v, mask):
    """This hides what may be looked at and shows the rest: True means visible."""
    return masked_attention(q, k, v, ~mask)


def masked_attention_added(q, k, v, mask):
    """This adds True and False to the scores, as 1 and 0: hidden keys need minus infinity."""
    weights = (q @ k.T / math.sqrt(q.size(-1)) + mask).softmax(dim=-1)
    return weights @ v, weights


def masked_attention_values(q, k, v, mask):
    """This masks the values: hidden keys add nothing, but keep their share of the weights."""
    weights = (q @ k.T / math.sqrt(q.size(-1))).softmax(dim=-1)
    hidden = v * mask[:, :, None]  # (T, S, D)
    return (weights[:, :, None] * hidden).sum(dim=1), weights


def masked_attention_unscaled(q, k, v, mask):
    """This masks well, but the scores lack the 1/sqrt(K)."""
    return masked_attention(q * math.sqrt(q.size(-1)), k, v, mask)


def masked_attention_ignored(q, k, v, mask):
    """This ignores the mask."""
    return masked_attention(q, k, v, torch.ones_like(mask))


def masked_attention_twice(q, k, v, mask):
    """This takes a second softmax of the weights: hidden keys, now at 0, get weight again."""
    weights = masked_attention(q, k, v, mask)[1].softmax(dim=-1)
    return weights @ v, weights


def masked_attention_cases():
    """The hidden key that fits best shows a mask that leaks, the others turned and late ones."""
    best_last = torch.tensor([[-24.0, 0.0], [-26.0, 0.0], [10.0, 0.0]])
    hidden_last = torch.tensor([[True, True, False]])
    values = torch.tensor([[1.0], [2.0], [100.0]])
    q, k, v = torch.randn(3, 4), torch.randn(3, 4), torch.randn(3, 2)
    rows = torch.tensor([[True, False, True], [False, True, True]])
    causal = torch.tensor([[True, False, False], [True, True, False], [True, True, True]])
    return [
        case(
            "the hidden key fits best", torch.tensor([[1.0, 0.0]]), best_last, values, hidden_last
        ),
        case("two queries, three keys", q[:2], k, v, rows),
        case("three words, causal", q, k, v, causal),
    ]


MASKED_ATTENTION = Write(
    id="2.4",
    title="Attention with a mask",
    level="medium",
    text="""
Write `masked_attention(q, k, v, mask)`: scaled dot-product attention in which query t looks only
at the keys s with `mask[t, s]` True. Return `output, weights`. A hidden key gets weight 0, and each
row still sums to 1. Shapes: q (T, K), k (S, K), v (S, D), mask (T, S).
""",
    hints=(
        "The rows sum to 1 by themselves if the hidden keys never enter the softmax.",
        "Which score has the exponential 0?",
        "`scores.masked_fill(~mask, -math.inf)` sets the scores where the mask is False.",
    ),
    solution=masked_attention,
    second_style=masked_attention_renormalised,
    mistakes=(
        masked_attention_late,
        masked_attention_zero,
        masked_attention_inverted,
        masked_attention_added,
        masked_attention_values,
        masked_attention_unscaled,
        masked_attention_ignored,
        masked_attention_twice,
    ),
    cases=masked_attention_cases,
    see="B.2 Masks",
)


# The padding mask -----------------------------------------------------------------------------


def padding_mask(lengths, n_keys):
    """Return (B, 1, 1, n_keys), True for the first lengths[b] keys of text b; lengths (B,)."""
    real = torch.arange(n_keys) < lengths[:, None]  # (B, S)
    return real[:, None, None, :]


def padding_mask_loops(lengths, n_keys):
    """Second style."""
    return [[[[s < length for s in range(n_keys)]]] for length in lengths.tolist()]


def padding_mask_one_more(lengths, n_keys):
    """This shows one padding key: position s is real while s < length, counted from 0."""
    return padding_mask(lengths + 1, n_keys)


def padding_mask_one_less(lengths, n_keys):
    """This hides the last real word of each text."""
    return padding_mask(lengths - 1, n_keys)


def padding_mask_inverted(lengths, n_keys):
    """This is True for the padding: here True means that a key may be looked at."""
    return ~padding_mask(lengths, n_keys)


def padding_mask_queries(lengths, n_keys):
    """This hides queries, (B, 1, S, 1): padding must not be looked at, so it hides keys."""
    return padding_mask(lengths, n_keys).transpose(-2, -1)


def padding_mask_longest(lengths, n_keys):
    """This gives every text the longest length: each row has a length of its own."""
    return padding_mask(torch.full_like(lengths, max(lengths)), n_keys)


def padding_mask_in_front(lengths, n_keys):
    """This takes the padding to stand in front: here the texts are padded at the end."""
    return padding_mask(lengths, n_keys).flip(-1)


def padding_mask_flat(lengths, n_keys):
    """This is (B, S): next to scores (B, H, T, S) it would line texts up with queries."""
    return padding_mask(lengths, n_keys)[:, 0, 0]


def padding_mask_one_axis(lengths, n_keys):
    """This is (B, 1, S): next to scores (B, H, T, S) it would line texts up with heads."""
    return padding_mask(lengths, n_keys)[:, 0]


def padding_mask_narrow(lengths, n_keys):
    """This is as wide as the longest text: the keys may reach further, n_keys says how far."""
    return padding_mask(lengths, max(lengths))


def padding_mask_cases():
    """Unequal lengths, padding behind the longest one too, and a text without padding."""
    return [
        case("lengths 3, 1 and 2 of 4", torch.tensor([3, 1, 2]), 4),
        case("lengths 2 and 5 of 5", torch.tensor([2, 5]), 5),
    ]


PADDING_MASK = Write(
    id="2.6",
    title="Padding mask",
    level="medium",
    text="""
Texts of unequal length share a batch when the short ones are padded at the end. Write
`padding_mask(lengths, n_keys)` for `lengths` (B,): True for the real keys of each text, shape
(B, 1, 1, n_keys), so that it broadcasts to scores (B, H, T, S). Without it a text's result depends
on its neighbours in the batch.
""",
    hints=(
        "`torch.arange(n_keys)` numbers the keys from 0.",
        "Compare it with `lengths[:, None]`: (S,) against (B, 1) gives (B, S).",
        "`[:, None, None, :]` adds an axis for the heads and one for the queries.",
    ),
    solution=padding_mask,
    second_style=padding_mask_loops,
    mistakes=(
        padding_mask_one_more,
        padding_mask_one_less,
        padding_mask_inverted,
        padding_mask_queries,
        padding_mask_longest,
        padding_mask_in_front,
        padding_mask_flat,
        padding_mask_one_axis,
        padding_mask_narrow,
    ),
    cases=padding_mask_cases,
    see="B.2 Masks",
)

"""Chapter 02: the causal mask, and what a mask does to the scores."""

import math

import torch

from tutorial_lib.exercises.engine.tasks import Write, case

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


def masked_attention_over_queries(q, k, v, mask):
    """This takes the softmax over the queries: each row sums to 1, so it runs over the keys."""
    weights = (q @ k.T / math.sqrt(q.size(-1))).masked_fill(~mask, -math.inf).softmax(dim=0)
    return weights @ v, weights


def masked_attention_plus(q, k, v, mask):
    """This fills with plus infinity, and the softmax breaks: hidden keys need minus infinity."""
    weights = (q @ k.T / math.sqrt(q.size(-1))).masked_fill(~mask, math.inf).softmax(dim=-1)
    return weights @ v, weights


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
        masked_attention_over_queries,
        masked_attention_plus,
        masked_attention_twice,
    ),
    cases=masked_attention_cases,
    see="B.2 Masks",
)

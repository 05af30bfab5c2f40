"""Chapter 04: a cross-attention map that betrays a mistake."""

import math

import torch

from tutorial_lib.exercises.chapter02_attention.measures import (
    UNSCALED,
    scaled_by_root,
)
from tutorial_lib.exercises.chapter04_transformer.measures import (
    is_causal,
    properties_of_a_source,
    visible_weights,
)
from tutorial_lib.exercises.engine.tasks import Property, Symptom, case

SOURCE = ("seven", "hundred", "and", "forty", "two", "<pad>", "<pad>")
TARGET = ("sieben", "hundert", "zwei", "und", "vierzig", "<end>")
READS = (0, 1, 4, 2, 3, 4)  # the source word that each word of the target looks for


def cross_weights(q, k, source_mask):
    """Return the weights (T, S) of one cross-attention head.

    q (T, K) of the decoder, k (S, K) of the encoder; source_mask (S,), True = a real word.
    """
    scores = q @ k.T / math.sqrt(q.size(-1))
    return torch.softmax(scores.masked_fill(~source_mask, -math.inf), dim=-1)


def cross_weights_real_only(q, k, source_mask):
    """Second style."""
    weights = torch.zeros(len(q), len(k), dtype=q.dtype)
    weights[:, source_mask] = torch.softmax(q @ k[source_mask].T * q.shape[1] ** -0.5, dim=1)
    return weights


def cross_weights_padding(q, k, source_mask):
    """This does not mask the padding of the source."""
    scores = q @ k.T / math.sqrt(q.size(-1))
    return scores.softmax(dim=-1)


def cross_weights_causal(q, k, source_mask):
    """This uses the decoder's causal mask instead of the source's mask."""
    scores = q @ k.T / math.sqrt(q.size(-1))
    visible = torch.ones_like(scores).tril().bool()
    return scores.masked_fill(~visible, -math.inf).softmax(dim=-1)


def cross_weights_both(q, k, source_mask):
    """This uses the source's mask and, on top of it, the decoder's causal mask."""
    scores = q @ k.T / math.sqrt(q.size(-1))
    visible = torch.ones_like(scores).tril().bool() & source_mask
    return scores.masked_fill(~visible, -math.inf).softmax(dim=-1)


def cross_weights_over_queries(q, k, source_mask):
    """This takes the softmax over the words of the target, not over those of the source."""
    scores = q @ k.T / math.sqrt(q.size(-1))
    return scores.softmax(dim=0).masked_fill(~source_mask, 0)


def crossing():
    """Return q (6, 8), k (7, 8) and the mask of the source (7,) for 742, English to German.

    Built, not trained: each query points to the word it is translated from, “zwei” to the fifth.
    The words are SOURCE and TARGET.
    """
    directions = torch.eye(8)
    k = 3.5 * directions[[0, 1, 2, 3, 4, 5, 5]] + 2 * directions[7]
    q = 3.5 * directions[list(READS)] + 2 * directions[7] + 2.5 * directions[5]
    return q, k, torch.tensor([word != "<pad>" for word in SOURCE])


def cross_weights_cases():
    """The built example, more words than source, and more source than words."""
    real = torch.tensor([True, True, False])
    return [
        case("seven hundred and forty two", *crossing()),
        case("4 words, 3 keys", torch.randn(4, 5), torch.randn(3, 5), real),
        case("2 words, 5 keys", torch.randn(2, 3), torch.randn(5, 3), torch.ones(5).bool()),
    ]


WIDTH = 3
REAL = torch.tensor([True, True, False, True, False])


def example():
    """As many queries as keys, so that a mask along the wrong axis still runs."""
    generator = torch.Generator().manual_seed(12)
    return tuple(torch.randn(5, WIDTH, generator=generator) for _ in range(2))


def weights_of(answer):
    """The weights as a function of the mask."""
    return lambda mask: answer(*example(), mask)


def cross_scaled(answer):
    """The scores were divided by the root of K."""
    q, k = example()
    weights = visible_weights(weights_of(answer), REAL)
    rows = slice(-1, None) if is_causal(weights) else slice(None)
    others = {1: UNSCALED, WIDTH: "The scores are divided by K itself: divide by its root."}
    return scaled_by_root(weights[rows], (q @ k.T)[rows], WIDTH, others)


CROSS_MAP = Symptom(
    id="4.13",
    title="A map without a crossing",
    level="medium",
    text="""
The map above is one cross-attention head that translates 742, “seven hundred and forty two” and two
tokens of padding. The example is built so that correct code shows the crossing: “zwei” looks at
“two” before “vierzig” looks at “forty”. The map was made by code with one of these mistakes. Choose
the letter, then repair `cross_weights`.
""",
    hints=(
        "What does “zwei” look at? What does the first row look at?",
        "Add up a row and a column. Look at the last two columns: is there anything in them?",
        "Which mask belongs to the source? It may hide columns only, the same ones in each row.",
    ),
    solution=cross_weights,
    second_style=cross_weights_real_only,
    mistakes=(
        cross_weights_padding,
        cross_weights_causal,
        cross_weights_both,
        cross_weights_over_queries,
    ),
    shown=cross_weights_causal,
    looks=(
        "The crossing would be there, but each row would give the padding a share of its weight.",
        "Everything above the diagonal would be empty, and the last row, which sees six columns, "
        "would give the padding a share.",
        "Everything above the diagonal would be empty, and so would the columns of the padding.",
        "The crossing would be there and the padding empty, but columns would sum to 1, not rows.",
    ),
    cases=cross_weights_cases,
    properties=(
        *properties_of_a_source(weights_of, REAL),
        Property("The scores are not divided by the root of K, the width of a key.", cross_scaled),
    ),
    see="4K The crossing",
)

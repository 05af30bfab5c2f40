"""Chapter 06b: one vector for a text, the mean of its tokens."""

import torch

from tutorial_lib.exercises.chapter06b_using_bert.measures import (
    HIDDEN,
    MASK,
    POOLING,
    shares,
    tokens_count_the_same,
)
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def mean_pool(hidden, mask):
    """Return the mean of hidden (B, T, D) over the real tokens of each text, (B, D).

    mask (B, T), True = a real token; each text has one.
    """
    real = mask[..., None]  # (B, T, 1)
    return (hidden * real).sum(dim=1) / real.sum(dim=1)


def mean_pool_texts(hidden, mask):
    """Second style."""
    return torch.stack([words[real].mean(dim=0) for words, real in zip(hidden, mask, strict=True)])


def mean_pool_cases():
    """One text without padding, then texts of unequal length; B, T and D all different."""
    lengths = torch.tensor([[4], [2], [5]])
    return [
        case("one text", torch.randn(1, 3, 2), torch.ones(1, 3).bool()),
        case("3 texts, padded", torch.randn(3, 6, 4) + 1, torch.arange(6) < lengths),
        case("as many texts as tokens", torch.randn(3, 3, 3) - 1, torch.arange(3) < lengths - 1),
    ]


def divided_by_its_length(answer):
    """The shares are 1 over the number of real tokens."""
    row = shares(answer)[0]
    counted = row[row != 0]
    if len(counted) == 0 or not tokens_count_the_same(answer) or as_they_are(answer) is not True:
        return None
    if answer(torch.ones(2, 7, 9), MASK)[0, 0] < counted.sum() - 1e-3:
        return "It takes the largest number of the tokens: their mean is asked for."
    by = round(1 / counted[0].item(), 1)  # coarse, for short floats
    sentences = {
        1: "It is the sum: divide by the number of real tokens.",
        7: "It divides by T: divide by the number of real tokens.",
        8: "It divides by the real tokens of the whole batch: each text has its own number.",
    }
    return by in (3, len(counted)) or sentences.get(
        by, f"With 3 real tokens, the sum is divided by {by:g}."
    )


def as_they_are(answer):
    """Twice the vectors have twice the mean."""
    once, twice = (answer(x, MASK).reshape(2, 9) for x in (HIDDEN, 2 * HIDDEN))
    if torch.allclose(once, twice, atol=1e-4):
        return "Vectors are brought to length 1: take the mean of them as they are."
    return torch.allclose(2 * once, twice, atol=1e-4)


MEAN_POOL = Write(
    id="6b.1",
    title="One vector for a text",
    level="easy",
    text="""
Write `mean_pool(hidden, mask)`: the mean vector of each text, (B, D), from `hidden` (B, T, D).
Texts of a batch differ in length and are filled up with padding on the right: `mask` (B, T) is True
for a real token. Padding does not count; [CLS] and [SEP] are real tokens.
""",
    hints=(
        "A mean is a sum and a number. In which of the two does padding take part here?",
        "`mask[..., None]` is (B, T, 1): times `hidden`, it sets the vectors of the padding to 0.",
        "Each text has its own number of real tokens: `mask.sum(dim=1, keepdim=True)`, (B, 1).",
    ),
    solution=mean_pool,
    second_style=mean_pool_texts,
    mistakes=(),
    cases=mean_pool_cases,
    properties=(
        *POOLING,
        Property("Twice the vectors must have twice the mean.", as_they_are),
        Property("Divide by the number of real tokens.", divided_by_its_length),
    ),
    see="6bB Fine-tuning",
)

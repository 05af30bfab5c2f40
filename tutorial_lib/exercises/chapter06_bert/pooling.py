"""Chapter 06: one vector for a text, the mean of its tokens."""

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.engine.tasks import Write, case


def mean_pool(hidden, mask):
    """Return the mean of hidden (B, T, D) over the real tokens of each text, (B, D).

    mask (B, T), True = a real token; each text has one.
    """
    real = mask[..., None]  # (B, T, 1)
    return (hidden * real).sum(dim=1) / real.sum(dim=1)


def mean_pool_texts(hidden, mask):
    """Second style."""
    return torch.stack([words[real].mean(dim=0) for words, real in zip(hidden, mask, strict=True)])


def mean_pool_padding(hidden, mask):
    """This counts the padding: the mean is over the real tokens."""
    return hidden.mean(dim=1)


def mean_pool_divided_by_all(hidden, mask):
    """This leaves the padding out of the sum, but divides by T: divide by the real tokens."""
    return (hidden * mask[..., None]).mean(dim=1)


def mean_pool_only_divided(hidden, mask):
    """This divides by the number of real tokens, but adds up the padding too."""
    return hidden.sum(dim=1) / mask.sum(dim=1, keepdim=True)


def mean_pool_sum(hidden, mask):
    """This is the sum: divide by the number of real tokens."""
    return (hidden * mask[..., None]).sum(dim=1)


def mean_pool_sum_of_all(hidden, mask):
    """This is the sum of all, padding too: the mean over the real tokens is asked for."""
    return hidden.sum(dim=1)


def mean_pool_of_padding(hidden, mask):
    """This is the mean of the padding: True marks a real token."""
    return mean_pool(hidden, ~mask)


def mean_pool_first(hidden, mask):
    """This is the first token, [CLS]: the mean over all real tokens is asked for."""
    return hidden[:, 0]


def mean_pool_last(hidden, mask):
    """This is the last real token: the mean over all of them is asked for."""
    return hidden[torch.arange(len(hidden)), mask.sum(dim=1) - 1]


def mean_pool_without_cls(hidden, mask):
    """This leaves out the first token: [CLS] is a real token too."""
    return mean_pool(hidden[:, 1:], mask[:, 1:])


def mean_pool_without_ends(hidden, mask):
    """This leaves out [CLS] and [SEP]: they are real tokens too."""
    places = torch.arange(mask.size(1))
    inner = mask & (places > 0) & (places < mask.sum(dim=1, keepdim=True) - 1)
    return mean_pool(hidden, inner)


def mean_pool_last_lost(hidden, mask):
    """This leaves out the last real token: it counts too."""
    shorter = torch.arange(mask.size(1)) < mask.sum(dim=1, keepdim=True) - 1
    return mean_pool(hidden, shorter)


def mean_pool_first_text(hidden, mask):
    """This takes the length of the first text for all: each has its own."""
    return hidden[:, : int(mask[0].sum())].mean(dim=1)


def mean_pool_one_count(hidden, mask):
    """This divides by the real tokens of the whole batch: each text has its own number."""
    return (hidden * mask[..., None]).sum(dim=1) / mask.sum()


def mean_pool_whole_batch(hidden, mask):
    """This is one mean for the whole batch: each text has its own."""
    return hidden[mask].mean(dim=0)


def mean_pool_over_batch(hidden, mask):
    """This takes the mean over the texts: it is over the tokens, `dim=1`."""
    real = mask[..., None]
    return (hidden * real).sum(dim=0) / real.sum(dim=0)


def mean_pool_over_width(hidden, mask):
    """This takes the mean over the width D: it is over the tokens, `dim=1`."""
    return (hidden * mask[..., None]).mean(dim=2)


def mean_pool_largest(hidden, mask):
    """This is the largest number of the real tokens: the mean is asked for."""
    return hidden.masked_fill(~mask[..., None], -torch.inf).amax(dim=1)


def mean_pool_largest_of_all(hidden, mask):
    """This is the largest number, padding too: the mean over the real tokens is asked for."""
    return hidden.amax(dim=1)


def mean_pool_unit(hidden, mask):
    """This has length 1: the mean itself is asked for."""
    return F.normalize(mean_pool(hidden, mask), dim=-1)


def mean_pool_of_units(hidden, mask):
    """This brings each token to length 1 first: take the mean of the vectors as they are."""
    return mean_pool(F.normalize(hidden, dim=-1), mask)


def mean_pool_unchanged(hidden, mask):
    """This sets the padding to 0 and goes no further: one vector a text is asked for."""
    return hidden * mask[..., None]


def mean_pool_kept_axis(hidden, mask):
    """This keeps the axis of the tokens, (B, 1, D): one vector a text is (B, D)."""
    return mean_pool(hidden, mask)[:, None]


def mean_pool_cases():
    """One text without padding, then texts of unequal length; B, T and D all different."""
    lengths = torch.tensor([[4], [2], [5]])
    return [
        case("one text", torch.randn(1, 3, 2), torch.ones(1, 3).bool()),
        case("3 texts, padded", torch.randn(3, 6, 4) + 1, torch.arange(6) < lengths),
        case("as many texts as tokens", torch.randn(3, 3, 3) - 1, torch.arange(3) < lengths - 1),
    ]


MEAN_POOL = Write(
    id="6.8",
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
    mistakes=(
        mean_pool_padding,
        mean_pool_divided_by_all,
        mean_pool_only_divided,
        mean_pool_sum,
        mean_pool_sum_of_all,
        mean_pool_of_padding,
        mean_pool_first,
        mean_pool_last,
        mean_pool_without_cls,
        mean_pool_without_ends,
        mean_pool_last_lost,
        mean_pool_first_text,
        mean_pool_one_count,
        mean_pool_whole_batch,
        mean_pool_over_batch,
        mean_pool_over_width,
        mean_pool_largest,
        mean_pool_largest_of_all,
        mean_pool_unit,
        mean_pool_of_units,
        mean_pool_unchanged,
        mean_pool_kept_axis,
    ),
    cases=mean_pool_cases,
    see="6.7 Fresh or rotten",
)

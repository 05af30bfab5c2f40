"""Chapter 03: how far back a head looks, measured."""

import torch

from tutorial_lib.exercises.engine.properties import properties
from tutorial_lib.exercises.engine.tasks import Write, case


def keys_needed(weights, share):
    """Return how many of the nearest keys hold at least this share of each head's weight: (H,).

    weights (H, S) are those of the last word, which is the last key and its own nearest.
    """
    held = weights.flip(-1).cumsum(dim=-1)  # (H, S): by the 1, 2, 3 ... nearest
    return (held < share).sum(dim=-1) + 1


def keys_needed_loops(weights, share):
    """Second style."""
    found = []
    for row in weights.tolist():
        held, n = 0.0, 0
        while held < share:
            n += 1
            held += row[-n]
        found.append(n)
    return found


def keys_needed_from_the_start(weights, share):
    """This counts from the start of the text: the nearest key, the word itself, is the last."""
    return (weights.cumsum(dim=-1) < share).sum(dim=-1) + 1


def keys_needed_short(weights, share):
    """This is one too few: the key that brings the sum to the share counts, too."""
    return keys_needed(weights, share) - 1


def keys_needed_long(weights, share):
    """This is one too many: the word itself is the first key, and not one before it."""
    return keys_needed(weights, share) + 1


def keys_needed_largest(weights, share):
    """This takes the largest weights first, wherever they are: the nearest keys are asked for."""
    return keys_needed(weights.sort(dim=-1).values, share)


def keys_needed_mean(weights, share):
    """This is one number for all heads: each has its own."""
    return keys_needed(weights.mean(dim=0, keepdim=True), share)[0]


def keys_needed_rest(weights, share):
    """This counts until the share is what is left, not what is held."""
    return keys_needed(weights, 1 - share)


def keys_needed_each(weights, share):
    """This counts the keys whose own weight reaches the share: add up the nearest."""
    return (weights >= share).sum(dim=-1)


def keys_needed_cases():
    """Weight near, far, everywhere and in one place; no sum falls on the share itself."""
    near_and_far = torch.tensor([[0.1, 0.2, 0.3, 0.4], [0.42, 0.28, 0.22, 0.08]])
    one_place = torch.tensor([[0.0, 1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0]])
    return [
        case("one head looks near, one far", near_and_far, 0.75),
        case("all weight on one key", one_place, 0.5),
        case("equal weights", torch.full((1, 10), 0.1), 0.85),
        case("three heads", (3 * torch.randn(3, 12)).softmax(dim=-1), 0.9),
    ]


def one_number_a_head(answer):
    """There must be one number for each head: (H,)."""
    return tuple(torch.as_tensor(answer(torch.full((3, 4), 0.25), 0.6)).shape) == (3,)


KEYS_NEEDED = Write(
    id="3.8",
    title="How far does a head look?",
    level="easy",
    text="""
ALiBi is *defined* at any distance. How far does it *look*? Write `keys_needed(weights, share)`. The
weights (H, S) are what the **last** of S words gives to each key, in H heads. Its own is the last
column. Count back from the word itself: how many of the **nearest** keys does it take until they
hold at least this share of the weight? Return (H,), a whole number for each head.
""",
    hints=(
        "Turn each row round, so that the word itself comes first.",
        "`cumsum` adds up the 1, 2, 3 ... nearest. How often is the sum still below the share?",
    ),
    solution=keys_needed,
    second_style=keys_needed_loops,
    mistakes=(
        keys_needed_from_the_start,
        keys_needed_short,
        keys_needed_long,
        keys_needed_largest,
        keys_needed_mean,
        keys_needed_rest,
        keys_needed_each,
    ),
    cases=keys_needed_cases,
    properties=properties(one_number_a_head),
    see="3H ALiBi",
)

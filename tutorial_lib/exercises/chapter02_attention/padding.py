"""Chapter 02: the mask that hides padding."""

import torch

from tutorial_lib.exercises.engine.tasks import Write, case


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

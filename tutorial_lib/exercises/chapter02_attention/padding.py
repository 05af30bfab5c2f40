"""Chapter 02: the mask that hides padding."""

import torch

from tutorial_lib.exercises.engine.properties import composed, properties
from tutorial_lib.exercises.engine.tasks import Write, case


def padding_mask(lengths, n_keys):
    """Return (B, 1, 1, n_keys), True for the first lengths[b] keys of text b; lengths (B,)."""
    real = torch.arange(n_keys) < lengths[:, None]  # (B, S)
    return real[:, None, None, :]


def padding_mask_loops(lengths, n_keys):
    """Second style."""
    return [[[[s < length for s in range(n_keys)]]] for length in lengths.tolist()]


def padding_mask_cases():
    """Unequal lengths, padding behind the longest one too, and a text without padding."""
    return [
        case("lengths 3, 1 and 2 of 4", torch.tensor([3, 1, 2]), 4),
        case("lengths 2 and 5 of 5", torch.tensor([2, 5]), 5),
    ]


LENGTHS = torch.tensor([3, 1, 2])


def shown(answer):
    """The mask for nine keys, a row a text, as True and False: (B, S)."""
    mask = answer(LENGTHS, 9)
    return (mask == 0 if mask.min() < 0 else mask != 0).reshape(3, -1)


def shown_by(more, longest, invert, turn):
    """The rows by choices of one's own."""
    lengths = longest(LENGTHS)[:, None].expand(3, 1) + more
    return turn((torch.arange(9) < lengths) != invert)


def true_and_false(answer):
    """The mask must be of True and False."""
    mask = answer(LENGTHS, 9)
    if mask.min() < 0:
        return "This is a mask to add to the scores: give True and False here."
    return mask.dtype is torch.bool


def fits_the_scores(answer):
    """The shape must be (B, 1, 1, n_keys)."""
    shapes = {
        (3, 9): "It is (B, S): next to scores (B, H, T, S) texts would line up with queries.",
        (3, 1, 9): "It is (B, 1, S): next to scores (B, H, T, S) texts would line up with heads.",
        (3, 1, 9, 1): "It hides queries, (B, 1, S, 1): padding must not be looked at, as a key.",
        (3, 1, 1, 3): "It is as wide as the longest text: n_keys says how far the keys reach.",
        (3, 1, 1, 9): True,
    }
    return shapes.get(tuple(answer(LENGTHS, 9).shape), False)


def as_many_keys(answer):
    """Each text must show as many keys as it is long."""
    return shown(answer).sum(-1).tolist() == [3, 1, 2]


PADDING_RULES = composed(
    shown,
    shown_by,
    {
        "Text b shows its first lengths[b] keys.": 0,
        "It shows a padding key: position s is real while s < length, from 0.": 1,
        "It hides the last real word of each text.": -1,
    },
    {
        "Each text has a length of its own.": lambda lengths: lengths,
        "Every text gets the longest length: each has its own.": lambda lengths: lengths.amax(
            0, True
        ),
        "It shows all keys: padding must be hidden.": lambda lengths: 9 + 0 * lengths,
        "Every text gets the shortest length: each has its own.": lambda lengths: lengths.amin(
            0, True
        ),
    },
    {"True means that a key may be looked at.": False, "It is True for the padding.": True},
    {
        "The padding is at the end.": lambda rows: rows,
        "It takes the padding to come first: it is at the end.": lambda rows: rows.flip(-1),
    },
    otherwise=(as_many_keys,),
)


PADDING_MASK = Write(
    id="2.10",
    title="Padding mask",
    level="easy",
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
    mistakes=(),
    cases=padding_mask_cases,
    properties=(*properties(true_and_false, fits_the_scores), *PADDING_RULES),
    see="2G Masks",
)

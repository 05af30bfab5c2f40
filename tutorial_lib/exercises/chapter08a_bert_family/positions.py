"""Chapter 08a: the positions that RoBERTa looks up."""

import torch

from tutorial_lib.exercises.engine.properties import composed
from tutorial_lib.exercises.engine.tasks import Write, case


def positions(ids, pad_id):
    """Return the rows of the position table, (B, T) whole numbers, that RoBERTa looks up for ids.

    ids (B, T); pad_id is the id of the padding.
    """
    real = ids != pad_id
    return real.cumsum(dim=1) * real + pad_id


def positions_rows(ids, pad_id):
    """Second style."""
    rows = []
    for row in ids.tolist():
        place, found = pad_id, []
        for token in row:
            place += token != pad_id
            found.append(pad_id if token == pad_id else place)
        rows.append(found)
    return torch.tensor(rows)


def positions_as_bert(ids, pad_id):
    """This counts from 0, padding too, as BERT does: compare with the rows in the text."""
    return torch.arange(ids.size(1)).expand(ids.shape)


def positions_from_two(ids, pad_id):
    """This counts from 2, whatever `pad_id` is: compare the last three rows of the text with the
    first three.
    """
    real = ids != pad_id
    return torch.where(real, real.cumsum(dim=1) + 1, pad_id)


def positions_padding_counts(ids, pad_id):
    """This counts the padding too: compare with the rows that have padding before a token."""
    places = torch.arange(ids.size(1)) + pad_id + 1
    return torch.where(ids != pad_id, places, pad_id)


def positions_of_one(ids, pad_id):
    """This takes 1 for the padding, as in the first rows: `pad_id` says which id it is."""
    real = ids != 1
    return real.cumsum(dim=1) * real + 1


def positions_cases():
    """Padding on the right, on the left, none; ids of padding from 0 on."""
    right = torch.tensor([[0, 31, 14, 2, 1, 1], [0, 8, 2, 1, 1, 1], [0, 9, 9, 7, 5, 2]])
    left = torch.tensor([[3, 3, 3, 6, 1, 4], [3, 5, 1, 0, 9, 4]])
    zero = torch.tensor([[5, 8, 6, 1, 0], [0, 0, 5, 1, 6]])
    return [
        case("padding on the right", right, 1),
        case("pad_id = 3, on the left", left, 3),
        case("pad_id = 0", zero, 0),
    ]


BATCHES = (
    (torch.tensor([[6, 5, 9, 7, 2, 2], [2, 2, 2, 6, 9, 7], [6, 9, 1, 8, 0, 7]]), 2),
    (torch.tensor([[9, 8, 4, 4, 4, 4], [4, 4, 9, 6, 8, 1], [9, 5, 6, 1, 8, 0]]), 4),
)


def read(answer):
    """The positions of both batches, one after the other."""
    return torch.cat([answer(ids, pad_id) for ids, pad_id in BATCHES])


def make(count, start, padding):
    """What these choices look up."""
    found = []
    for ids, pad_id in BATCHES:
        real = ids != pad_id
        counted = count(real)  # (B, T), 1 for the first
        places = counted - 1 + start(pad_id)
        found.append(torch.where(real, places, padding(pad_id, places)))
    return torch.cat(found)


POSITIONS = Write(
    id="8a.4",
    title="Work out the rule",
    level="medium",
    text="""
Which row of its position table does RoBERTa look up for a token? Its program has a rule of its own.
Here are six texts, filled up with `pad_id`, and the rows that it looked up:

| `pad_id` | ids | rows looked up |
|---|---|---|
| 1 | 0 31 14 8 2 | 2 3 4 5 6 |
| 1 | 0 31 2 1 1 | 2 3 4 1 1 |
| 1 | 1 1 0 31 2 | 1 1 2 3 4 |
| 4 | 7 9 1 8 4 | 5 6 7 8 4 |
| 4 | 4 4 4 7 8 | 4 4 4 5 6 |
| 4 | 7 4 4 9 8 | 5 4 4 6 7 |

Write `positions(ids, pad_id)` for texts of any length and any `pad_id`: ids (B, T) go in, whole
numbers (B, T) come out.
""",
    hints=(
        "Look at the padding first: what does it get, in all six texts?",
        "Does the padding on the left move the tokens after it? And what does the first real token "
        "get, with `pad_id` 1 and with 4?",
        "`(ids != pad_id).cumsum(dim=1)` counts the real tokens up to each place.",
    ),
    solution=positions,
    second_style=positions_rows,
    mistakes=(
        positions_as_bert,
        positions_from_two,
        positions_padding_counts,
        positions_of_one,
    ),
    cases=positions_cases,
    properties=composed(
        read,
        make,
        {
            "Only real tokens are counted, along their own row.": lambda real: real.cumsum(dim=1),
            "It counts the padding too: compare with the rows that have theirs on the left.": (
                lambda real: torch.arange(1, real.size(1) + 1).expand(real.shape)
            ),
            "It counts down the batch: the count runs along a row, dim=1.": (
                lambda real: real.cumsum(dim=0)
            ),
            "It goes on counting from row to row: each row begins anew.": (
                lambda real: real.flatten().cumsum(dim=0).view(real.shape)
            ),
            "It counts from the end of the row: the first real token has the lowest number.": (
                lambda real: real.flip(1).cumsum(dim=1).flip(1)
            ),
            "It gives all real tokens one number: they are counted.": lambda real: real.long(),
        },
        {
            "The first real token gets its number from `pad_id`.": lambda pad_id: pad_id + 1,
            "The first real token gets `pad_id`, the row of the padding: look at the first column "
            "of the text.": lambda pad_id: pad_id,
            "The first real token gets `pad_id` + 2: that is one too many.": (
                lambda pad_id: pad_id + 2
            ),
            "The first real token gets 0, whatever `pad_id` is.": lambda pad_id: 0,
            "The first real token gets 1, whatever `pad_id` is.": lambda pad_id: 1,
            "The first real token gets 2, whatever `pad_id` is: that is right for 1 only.": (
                lambda pad_id: 2
            ),
        },
        {
            "The padding gets the same row everywhere.": lambda pad_id, places: pad_id,
            "The padding gets 0: compare with the texts that have padding.": (
                lambda pad_id, places: 0
            ),
            "The padding gets 1, whatever `pad_id` is: compare with the last texts.": (
                lambda pad_id, places: 1
            ),
            "The padding gets -1: compare with the texts that have padding.": (
                lambda pad_id, places: -1
            ),
            "The padding gets a number of the count: compare with the texts that have padding.": (
                lambda pad_id, places: places
            ),
        },
    ),
    see="8aC RoBERTa: hide them anew",
)

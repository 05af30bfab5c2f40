"""Chapter 06: which of the two sentences a token belongs to."""

import torch

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def segment_ids(ids, sep_id):
    """Return the segment (B, T) of each token of ids (B, T), 0 or 1.

    A row is [CLS], the first sentence, [SEP], the second sentence, [SEP], then padding.
    """
    is_sep = (ids == sep_id).long()  # (B, T)
    before = is_sep.cumsum(dim=1) - is_sep  # how many [SEP] stand before each place
    return (before == 1).long()


def segment_ids_rows(ids, sep_id):
    """Second style."""
    rows = []
    for row in ids.tolist():
        first = row.index(sep_id)
        second = row.index(sep_id, first + 1)
        rows.append([int(first < place <= second) for place in range(len(row))])
    return rows


def segment_ids_of_bert(ids, sep_id):
    """This looks for 102, the [SEP] of the published BERT: here it is `sep_id`."""
    return segment_ids(ids, 102)


def segment_ids_cases():
    """One pair; rows of unequal length with padding; another [SEP], sentences of one word."""
    padded = [
        [1, 7, 5, 6, 8, 2, 9, 2, 0],
        [1, 7, 2, 6, 5, 2, 0, 0, 0],
        [1, 4, 4, 2, 9, 8, 5, 6, 2],
    ]
    short = [[3, 2, 9, 8, 9, 7], [3, 2, 5, 9, 102, 9]]
    return [
        case("one pair", torch.tensor([[1, 7, 5, 6, 2, 9, 8, 2]]), 2),
        case("padding", torch.tensor(padded), 2),
        case("sep_id = 9", torch.tensor(short), 9),
    ]


IDS = torch.tensor([
    [1, 7, 5, 2, 6, 8, 4, 2, 0, 0],
    [1, 5, 2, 7, 2, 9, 9, 9, 9, 9],
    [1, 7, 5, 6, 8, 2, 7, 4, 6, 2],
])  # fmt: skip
ROLES = ("aaaSbbbTpp", "aaSbTppppp", "aaaaaSbbbT")


def numbers(answer):
    """The segments of three pairs (3, 10), each row read by itself, counted from 0."""
    found = torch.cat([answer(row[None], 2) for row in IDS]).long()
    return found - 1 if counts_from_one(answer) else found


def counts_from_one(answer):
    """The first sentence is 1, the second one 2."""
    return set(answer(IDS[2:], 2)[0].tolist()) == {1, 2}


def is_turned(answer):
    """The first sentence is 1, the second one 0."""
    return [numbers(answer)[2, place].item() for place in (1, 2, 6, 7)] == [1, 1, 0, 0]


def has(role, name, wanted):
    """The property of tokens in one role: the number that they get."""

    def holds(answer):
        found = 1 - numbers(answer) if is_turned(answer) and role != "p" else numbers(answer)
        for row, roles in zip(found.tolist(), ROLES, strict=True):
            for number, other in zip(row, roles, strict=True):
                if other == role and number != wanted:
                    return f"{name} gets {number}: it must be {wanted}."
        return True

    return Property(f"{name} must get {wanted}.", holds)


def rows_are_apart(answer):
    """A row gets the same numbers alone and with others."""
    return torch.equal(answer(IDS, 2), torch.cat([answer(row[None], 2) for row in IDS]))


def any_padding(answer):
    """The id of the padding does not matter."""
    with_9 = IDS.where(IDS != 0, 9)
    return torch.equal(answer(IDS[:1], 2), answer(with_9[:1], 2))


SEGMENT_IDS = Write(
    id="6.2",
    title="First sentence or second",
    level="easy",
    text="""
Each row of `ids` (B, T) is a pair: [CLS], the first sentence, [SEP], the second sentence, [SEP],
then padding. The padding may have any id, so do not look for 0. Write `segment_ids(ids, sep_id)`,
whole numbers (B, T): 0 up to and including the first [SEP], 1 after it up to and including the
second, 0 again in the padding.
""",
    hints=(
        "How many [SEP] come before a token of the first sentence, of the second, of the padding?",
        "`(ids == sep_id).cumsum(dim=1)` counts the [SEP] up to each place, the place itself "
        "included. Take that one away again.",
        "`(before == 1).long()` turns True and False into 1 and 0.",
    ),
    solution=segment_ids,
    second_style=segment_ids_rows,
    mistakes=(segment_ids_of_bert,),
    cases=segment_ids_cases,
    properties=(
        Property(
            "These are True and False: the segment looks up a row of a table, so whole numbers it "
            "is.",
            lambda answer: answer(IDS, 2).dtype != torch.bool,
        ),
        Property("It counts from 1: the segments are 0 and 1.", lambda a: not counts_from_one(a)),
        Property(
            "It is the other way round: the first sentence is 0, the second one 1.",
            lambda answer: not is_turned(answer),
        ),
        Property(
            "A row gets other numbers when it is in a batch: each row has [SEP]s of its own, "
            "so count along the row, dim=1.",
            rows_are_apart,
        ),
        has("a", "A token of the first sentence, or [CLS],", 0),
        has("S", "The first [SEP], which closes the first sentence,", 0),
        has("b", "A token of the second sentence", 1),
        has("T", "The second [SEP], which closes the second sentence,", 1),
        Property(
            "The id of the padding matters: count the [SEP]s, then any id will do.", any_padding
        ),
        has("p", "The padding", 0),
    ),
    see="6C What goes in",
)

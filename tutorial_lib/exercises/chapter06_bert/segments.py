"""Chapter 06: which of the two sentences a token belongs to."""

import torch

from tutorial_lib.exercises.engine.tasks import Write, case


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


def counted(ids, sep_id):
    """How many [SEP] stand up to each place, it included, and before it: (B, T) each."""
    is_sep = (ids == sep_id).long()
    return is_sep.cumsum(dim=1), is_sep.cumsum(dim=1) - is_sep


def segment_ids_one_early(ids, sep_id):
    """This begins and ends one place early: each [SEP] belongs to the sentence before it."""
    upto, _ = counted(ids, sep_id)
    return (upto == 1).long()


def segment_ids_first_sep(ids, sep_id):
    """This gives the first [SEP] a 1: it closes the first sentence and belongs to it."""
    upto, before = counted(ids, sep_id)
    return ((upto >= 1) & (before <= 1)).long()


def segment_ids_second_sep(ids, sep_id):
    """This gives the second [SEP] a 0: it closes the second sentence and belongs to it."""
    upto, before = counted(ids, sep_id)
    return ((upto == 1) & (before == 1)).long()


def segment_ids_padding(ids, sep_id):
    """This gives the padding a 1: it belongs to no sentence, and is 0 again."""
    _, before = counted(ids, sep_id)
    return (before >= 1).long()


def segment_ids_early_to_the_end(ids, sep_id):
    """This has a 1 from the first [SEP] to the end: it begins behind that [SEP], and the padding
    is 0 again.
    """
    upto, _ = counted(ids, sep_id)
    return (upto >= 1).long()


def segment_ids_three(ids, sep_id):
    """This goes on counting: the padding gets a 2, and the table has two segments, 0 and 1."""
    _, before = counted(ids, sep_id)
    return before


def segment_ids_running(ids, sep_id):
    """This counts each [SEP] at its own place already, and goes on to 2: there is 0 and 1, and
    [SEP] belongs to the sentence before it.
    """
    upto, _ = counted(ids, sep_id)
    return upto


def segment_ids_turned(ids, sep_id):
    """This is the other way round: the first sentence is 0, the second 1."""
    _, before = counted(ids, sep_id)
    return (before == 0).long()


def segment_ids_turned_padding(ids, sep_id):
    """This is the other way round, padding too: the second sentence is 1, all else 0."""
    return 1 - segment_ids(ids, sep_id)


def segment_ids_from_one(ids, sep_id):
    """This counts from 1: the segments are 0 and 1."""
    return segment_ids(ids, sep_id) + 1


def segment_ids_behind_second(ids, sep_id):
    """This waits for the second [SEP]: the second sentence begins behind the first one."""
    _, before = counted(ids, sep_id)
    return (before >= 2).long()


def segment_ids_last_sep(ids, sep_id):
    """This marks the second [SEP] and what follows it: the second sentence stands before it."""
    upto, _ = counted(ids, sep_id)
    return (upto >= 2).long()


def segment_ids_only_seps(ids, sep_id):
    """This marks the [SEP] tokens themselves: mark what stands between them."""
    return (ids == sep_id).long()


def segment_ids_first_row(ids, sep_id):
    """This takes the places of the first row for all rows: each row has its own [SEP]."""
    return segment_ids(ids[:1], sep_id).expand_as(ids)


def segment_ids_down(ids, sep_id):
    """This counts down the batch: count along each row, `dim=1`."""
    is_sep = (ids == sep_id).long()
    return (is_sep.cumsum(dim=0) - is_sep == 1).long()


def segment_ids_down_early(ids, sep_id):
    """This counts down the batch, each [SEP] at its own place already: count along each row, and
    only what stands before.
    """
    return ((ids == sep_id).cumsum(dim=0) == 1).long()


def segment_ids_flat(ids, sep_id):
    """This counts on from row to row: each row begins anew."""
    is_sep = (ids == sep_id).long().flatten()
    return (is_sep.cumsum(dim=0) - is_sep == 1).long().view_as(ids)


def segment_ids_halves(ids, sep_id):
    """This cuts each row in the middle: the first [SEP] is the border."""
    n_tokens = ids.size(1)
    return (torch.arange(n_tokens) >= n_tokens // 2).long().expand_as(ids)


def segment_ids_of_bert(ids, sep_id):
    """This looks for 102, the [SEP] of the published BERT: here it is `sep_id`."""
    return segment_ids(ids, 102)


def segment_ids_zero(ids, sep_id):
    """This puts all tokens into segment 0: the second sentence is 1."""
    return torch.zeros_like(ids)


def segment_ids_pad_zero(ids, sep_id):
    """This takes the id 0 for the padding: count the [SEP], then any id will do."""
    _, before = counted(ids, sep_id)
    return ((before >= 1) & (ids != 0)).long()


def segment_ids_truth(ids, sep_id):
    """These are True and False: the segment looks up a row of a table, so whole numbers it is."""
    return segment_ids(ids, sep_id).bool()


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


SEGMENT_IDS = Write(
    id="6.2",
    title="First sentence or second",
    level="easy",
    text="""
Each row of `ids` (B, T) is a pair: [CLS], the first sentence, [SEP], the second sentence, [SEP],
then padding, whatever its id. Write `segment_ids(ids, sep_id)`, whole numbers (B, T): 0 up to and
including the first [SEP], 1 behind it up to and including the second, 0 again in the padding.
""",
    hints=(
        "How many [SEP] stand before a token of the first sentence, of the second, of the padding?",
        "`(ids == sep_id).cumsum(dim=1)` counts the [SEP] up to each place, the place itself "
        "included. Take that one away again.",
        "`(before == 1).long()` turns True and False into 1 and 0.",
    ),
    solution=segment_ids,
    second_style=segment_ids_rows,
    mistakes=(
        segment_ids_one_early,
        segment_ids_first_sep,
        segment_ids_second_sep,
        segment_ids_padding,
        segment_ids_early_to_the_end,
        segment_ids_three,
        segment_ids_running,
        segment_ids_turned,
        segment_ids_turned_padding,
        segment_ids_from_one,
        segment_ids_behind_second,
        segment_ids_last_sep,
        segment_ids_only_seps,
        segment_ids_first_row,
        segment_ids_down,
        segment_ids_down_early,
        segment_ids_flat,
        segment_ids_halves,
        segment_ids_of_bert,
        segment_ids_zero,
        segment_ids_pad_zero,
        segment_ids_truth,
    ),
    cases=segment_ids_cases,
    see="6.2 What goes in",
)

"""Chapter 05b: a pair of sentences as one row of ids, and where the head reads."""

import torch
from torch.nn.utils.rnn import pad_sequence

from tutorial_lib.exercises.engine.tasks import Write, case


def ids_for_head(pairs, start, separator, extract, pad):
    """Return ids (B, T), padded on the right, and the place (B,) at which the head reads each row.

    pairs holds (premise, hypothesis), two lists of ids each; T is the longest row.
    """
    rows = [[start, *premise, separator, *hypothesis, extract] for premise, hypothesis in pairs]
    longest = max(map(len, rows))
    ids = torch.tensor([row + [pad] * (longest - len(row)) for row in rows])  # (B, T)
    return ids, torch.tensor([len(row) - 1 for row in rows])


def ids_for_head_pad_sequence(pairs, start, separator, extract, pad):
    """Second style."""
    rows = [torch.tensor([start, *one, separator, *two, extract]) for one, two in pairs]
    ids = pad_sequence(rows, batch_first=True, padding_value=pad)
    return ids, (ids == extract).int().argmax(dim=1)


def rows_of(pairs, *pattern):
    """Rows of ids; a pattern is made of ids and of 0 and 1 in quotes, the two sentences."""
    return [
        [i for part in pattern for i in (pair[int(part)] if isinstance(part, str) else [part])]
        for pair in pairs
    ]


def padded(rows, pad):
    """Rows of ids, padded on the right, and the last place of each row."""
    ids = pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=pad)
    return ids, torch.tensor([len(row) - 1 for row in rows])


def ids_for_head_last_column(pairs, start, separator, extract, pad):
    """This reads the last column of all rows: in a short row that is padding."""
    ids, places = ids_for_head(pairs, start, separator, extract, pad)
    return ids, torch.full_like(places, ids.size(1) - 1)


def ids_for_head_minus_one(pairs, start, separator, extract, pad):
    """This reads at -1, the last column: in a short row that is padding."""
    ids, places = ids_for_head(pairs, start, separator, extract, pad)
    return ids, torch.full_like(places, -1)


def ids_for_head_late(pairs, start, separator, extract, pad):
    """This reads one place too late: places count from 0, so a row of n tokens ends at n - 1."""
    ids, places = ids_for_head(pairs, start, separator, extract, pad)
    return ids, places + 1


def ids_for_head_early(pairs, start, separator, extract, pad):
    """This reads at the last word of the hypothesis: the extract token stands one place later."""
    ids, places = ids_for_head(pairs, start, separator, extract, pad)
    return ids, places - 1


def ids_for_head_first(pairs, start, separator, extract, pad):
    """This reads at the start token, as in BERT: here no token sees what comes after it."""
    ids, places = ids_for_head(pairs, start, separator, extract, pad)
    return ids, torch.zeros_like(places)


def ids_for_head_at_separator(pairs, start, separator, extract, pad):
    """This reads at the separator, which has seen the premise only."""
    ids, _ = ids_for_head(pairs, start, separator, extract, pad)
    return ids, torch.tensor([len(premise) + 1 for premise, _ in pairs])


def ids_for_head_token(pairs, start, separator, extract, pad):
    """This returns the token that is read, not its place."""
    ids, places = ids_for_head(pairs, start, separator, extract, pad)
    return ids, torch.full_like(places, extract)


def ids_for_head_mask(pairs, start, separator, extract, pad):
    """This returns a mask of the real tokens: one place a row is asked for."""
    ids, _ = ids_for_head(pairs, start, separator, extract, pad)
    return ids, ids != pad


def ids_for_head_nonzero(pairs, start, separator, extract, pad):
    """This returns row and place of each extract token: the place alone is asked for, (B,)."""
    ids, _ = ids_for_head(pairs, start, separator, extract, pad)
    return ids, (ids == extract).nonzero()


def ids_for_head_alone(pairs, start, separator, extract, pad):
    """This returns the ids alone: the places where the head reads are asked for too."""
    return ids_for_head(pairs, start, separator, extract, pad)[0]


def ids_for_head_exchanged(pairs, start, separator, extract, pad):
    """This returns the places first: the ids come first."""
    return ids_for_head(pairs, start, separator, extract, pad)[::-1]


def ids_for_head_left(pairs, start, separator, extract, pad):
    """This pads on the left: pad on the right."""
    ids, places = ids_for_head(pairs, start, separator, extract, pad)
    gaps = ids.size(1) - 1 - places
    return torch.stack(
        [row.roll(n.item()) for row, n in zip(ids, gaps, strict=True)]
    ), places + gaps


def ids_for_head_left_stale(pairs, start, separator, extract, pad):
    """This pads on the left and reads where the row would end without padding."""
    _, places = ids_for_head(pairs, start, separator, extract, pad)
    return ids_for_head_left(pairs, start, separator, extract, pad)[0], places


def ids_for_head_pad_inside(pairs, start, separator, extract, pad):
    """This puts the padding before the extract token: it comes after all tokens of the row."""
    ids, places = padded(rows_of(pairs, start, "0", separator, "1"), pad)
    ends = torch.full((len(ids), 1), extract)
    return torch.cat([ids, ends], dim=1), torch.full_like(places, ids.size(1))


def ids_for_head_zeros(pairs, start, separator, extract, pad):
    """This pads with 0, whatever `pad` is: 0 may be a word."""
    return ids_for_head(pairs, start, separator, extract, 0)


def ids_for_head_ragged(pairs, start, separator, extract, pad):
    """This does not pad: the rows of a batch need the same length."""
    rows = rows_of(pairs, start, "0", separator, "1", extract)
    return rows, [len(row) - 1 for row in rows]


def ids_for_head_columns(pairs, start, separator, extract, pad):
    """This has a row in each column: `pad_sequence` needs `batch_first=True`."""
    ids, places = ids_for_head(pairs, start, separator, extract, pad)
    return ids.T, places


def ids_for_head_cut(pairs, start, separator, extract, pad):
    """This cuts all rows to the shortest: pad the short ones to the longest."""
    ids, places = ids_for_head(pairs, start, separator, extract, pad)
    return ids[:, : places.min() + 1], places.clamp(max=places.min().item())


def ids_for_head_no_extract(pairs, start, separator, extract, pad):
    """This leaves out the extract token at the end."""
    return padded(rows_of(pairs, start, "0", separator, "1"), pad)


def ids_for_head_no_start(pairs, start, separator, extract, pad):
    """This leaves out the start token."""
    return padded(rows_of(pairs, "0", separator, "1", extract), pad)


def ids_for_head_no_separator(pairs, start, separator, extract, pad):
    """This leaves out the separator: where does the premise end?"""
    return padded(rows_of(pairs, start, "0", "1", extract), pad)


def ids_for_head_swapped(pairs, start, separator, extract, pad):
    """This puts the hypothesis first: the premise comes first."""
    return padded(rows_of(pairs, start, "1", separator, "0", extract), pad)


def ids_for_head_two_separators(pairs, start, separator, extract, pad):
    """This puts a separator after the hypothesis too: only the extract token stands there."""
    return padded(rows_of(pairs, start, "0", separator, "1", separator, extract), pad)


def ids_for_head_as_bert(pairs, start, separator, extract, pad):
    """This ends with a separator, as BERT does: the row ends with the extract token."""
    return padded(rows_of(pairs, start, "0", separator, "1", separator), pad)


def ids_for_head_two_starts(pairs, start, separator, extract, pad):
    """This puts a start token before the hypothesis too: one a row is enough."""
    return padded(rows_of(pairs, start, "0", separator, start, "1", extract), pad)


def ids_for_head_cases():
    """Rows of unequal length, special tokens that are not 0 to 3, and one pair alone."""
    return [
        case("2 pairs", [([5, 6, 7], [8, 9]), ([5], [6])], 1, 2, 3, 0),
        case(
            "special tokens after the words",
            [([4], [0, 6]), ([0, 5, 4, 3], [6, 1, 2]), ([7, 8], [9])],
            start=50,
            separator=51,
            extract=52,
            pad=53,
        ),
        case("one pair", [([7, 8], [9, 5, 4])], 1, 2, 3, 0),
    ]


IDS_FOR_HEAD = Write(
    id="5b.4",
    title="Where the head reads",
    level="easy",
    text="""
Put pairs of sentences into a batch for GPT with a head. Write
`ids_for_head(pairs, start, separator, extract, pad)`: `pairs` is a list of (premise, hypothesis),
two lists of ids each. A row is start, premise, separator, hypothesis, extract, and then padding up
to the longest row. Return `ids, places`: ids (B, T), and for each row the place of its **extract**
token, the last real one, where the head reads. Places count from 0.
""",
    hints=(
        "One row as a list first: `[start, *premise, separator, ...]`.",
        "How long is the longest row? A row of n tokens gets T - n times `pad` at its end.",
        "A row of n real tokens has its last one at place n - 1, whatever the padding.",
    ),
    solution=ids_for_head,
    second_style=ids_for_head_pad_sequence,
    mistakes=(
        ids_for_head_last_column,
        ids_for_head_minus_one,
        ids_for_head_late,
        ids_for_head_early,
        ids_for_head_first,
        ids_for_head_at_separator,
        ids_for_head_token,
        ids_for_head_mask,
        ids_for_head_nonzero,
        ids_for_head_alone,
        ids_for_head_exchanged,
        ids_for_head_left,
        ids_for_head_left_stale,
        ids_for_head_pad_inside,
        ids_for_head_zeros,
        ids_for_head_ragged,
        ids_for_head_columns,
        ids_for_head_cut,
        ids_for_head_no_extract,
        ids_for_head_no_start,
        ids_for_head_no_separator,
        ids_for_head_swapped,
        ids_for_head_two_separators,
        ids_for_head_as_bert,
        ids_for_head_two_starts,
    ),
    cases=ids_for_head_cases,
    see="5b.3 A head and a separator",
)

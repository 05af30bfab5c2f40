"""Chapter 05b: a pair of sentences as one row of ids, and where the head reads."""

import torch
from torch.nn.utils.rnn import pad_sequence

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def ids_for_head(pairs, start, separator, extract, pad):
    """Return ids (B, T), padded on the right, and the position (B,) that the head reads.

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


def padded(rows, pad):
    """Rows of ids, padded on the right, and the last position of each row."""
    ids = pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=pad)
    return ids, torch.tensor([len(row) - 1 for row in rows])


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


PAIRS = [([4], [6, 0, 5]), ([5, 4, 3, 7], [6, 1, 2]), ([7, 8], [9])]
START, SEPARATOR, EXTRACT, PAD = SPECIAL = (50, 51, 52, 53)


def ids_come_first(answer):
    """Two results, and the first one is not one-dimensional."""
    first, _ = answer(PAIRS, *SPECIAL)
    return torch.as_tensor(first[0]).dim() > 0


def batch(answer):
    """The rows of ids, the same without padding, and the positions, whichever comes first.

    No row begins or ends with the word 0.
    """
    ids, positions = answer(PAIRS, *SPECIAL)[:: 1 if ids_come_first(answer) else -1]
    if isinstance(ids, torch.Tensor) and ids.size(1) == 3 != ids.size(0):
        ids = ids.T
    rows, real = [torch.as_tensor(row).tolist() for row in ids], []
    for row in rows:
        kept = [position for position, token in enumerate(row) if token not in (PAD, 0)]
        real.append([token for token in row[kept[0] : kept[-1] + 1] if token != PAD])
    return rows, real, torch.as_tensor(positions)


def pairs_are_rows(answer):
    """A pair a row, not a column."""
    return len(answer(PAIRS, *SPECIAL)[0 if ids_come_first(answer) else 1]) == 3


def starts_once(answer):
    """The start token comes first, and nowhere else."""
    return all(row[0] == START and row.count(START) == 1 for row in batch(answer)[1])


def separates_once(answer):
    """The separator comes between the two sentences, and nowhere else."""
    words = [[x for x in row if x not in (START, EXTRACT)] for row in batch(answer)[1]]
    return all(
        row.count(SEPARATOR) == 1 and row.index(SEPARATOR) in map(len, pair)
        for row, pair in zip(words, PAIRS, strict=True)
    )


def ends_with_extract(answer):
    """The extract token comes last, and nowhere else."""
    return all(row[-1] == EXTRACT and row.count(EXTRACT) == 1 for row in batch(answer)[1])


def sentences_in_order(answer):
    """Premise, then hypothesis, with all of their words."""
    found = [[token for token in row if token < START] for row in batch(answer)[1]]
    if found == [two + one for one, two in PAIRS]:
        return "It puts the hypothesis first: the premise comes first."
    return found == [one + two for one, two in PAIRS]


def padded_on_the_right(answer):
    """What fills the rows up comes last."""
    rows, real, _ = batch(answer)
    if len({len(row) for row in rows}) > 1:
        return "The rows have unequal lengths: pad them to the longest."
    inside = any(PAD in row[: len(tokens)] for row, tokens in zip(rows, real, strict=True))
    if inside and rows[0][0] == START:
        return "There is padding inside a row: it comes after all tokens, the extract too."
    return all(row[0] not in (PAD, 0) for row in rows)


def padded_with_pad(answer):
    """What fills the rows up is `pad`."""
    rows, real, _ = batch(answer)
    return all(row.count(PAD) + len(one) == len(row) for row, one in zip(rows, real, strict=True))


def no_wider_than_the_longest(answer):
    """The longest row has no padding."""
    rows, real, _ = batch(answer)
    return max(map(len, rows)) == max(map(len, real))


def reads_the_last_token(answer):
    """A position a row, that of its last real token."""
    rows, _, positions = batch(answer)
    if positions.shape != (3,):
        return f"Return one position a row, (B,): yours have the shape {tuple(positions.shape)}."
    last = [max(i for i, token in enumerate(row) if token not in (PAD, 0)) for row in rows]
    positions = positions.tolist()
    if positions == last:
        return True
    if positions in ([-1] * 3, [len(rows[0]) - 1] * 3):
        return "The head reads the last column of all rows: in a short row that is padding."
    return f"Counted from 0, your rows end at {last}, and the head reads at {positions}."


IDS_FOR_HEAD = Write(
    id="5b.7",
    title="Where the head reads",
    level="easy",
    text="""
Put pairs of sentences into a batch for GPT with a head. Write
`ids_for_head(pairs, start, separator, extract, pad)`: `pairs` is a list of (premise, hypothesis),
two lists of ids each. A row is start, premise, separator, hypothesis, extract, and then padding up
to the longest row. Return `ids, positions`, two tensors of whole numbers: ids (B, T), and for each
row, in (B,), the position of its **extract** token, the last real one, where the head reads.
Positions count from 0.
""",
    hints=(
        "One row as a list first: `[start, *premise, separator, ...]`.",
        "How long is the longest row? A row of n tokens gets T - n times `pad` at its end.",
        "A row of n real tokens has its last one at position n - 1, whatever the padding.",
    ),
    solution=ids_for_head,
    second_style=ids_for_head_pad_sequence,
    mistakes=(),
    cases=ids_for_head_cases,
    properties=(
        Property(
            "It returns the ids alone: the positions where the head reads are asked for too.",
            lambda answer: len(answer(PAIRS, *SPECIAL)) == 2,
        ),
        Property("It returns the positions first: the ids come first.", ids_come_first),
        Property(
            "A pair has a column: it needs a row, so `pad_sequence` takes `batch_first=True`.",
            pairs_are_rows,
        ),
        Property("The start token must come once, at the beginning of each row.", starts_once),
        Property("The separator must come once, between premise and hypothesis.", separates_once),
        Property(
            "The extract token must come once, at the end of each row, before its padding.",
            ends_with_extract,
        ),
        Property("Words are missing, or out of order.", sentences_in_order),
        Property("It pads on the left: pad on the right.", padded_on_the_right),
        Property("It pads with something else than `pad`: 0 may be a word.", padded_with_pad),
        Property("The rows are longer than the longest needs.", no_wider_than_the_longest),
        Property("The head must read at the extract token.", reads_the_last_token),
    ),
    see="5bF Train it",
)

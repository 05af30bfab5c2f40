"""Chapter 03: which row of the table of offsets belongs to a pair of words."""

import torch

from tutorial_lib.exercises.engine.properties import composed, properties
from tutorial_lib.exercises.engine.tasks import Write, case


def relative_index(n_queries, n_keys, reach):
    """Return the row (T, S) of a table of 2 * reach + 1 offsets, -reach to reach, for each pair.

    The offset is the key's position minus the query's, clipped to the reach. The queries are the
    last n_queries of the n_keys words.
    """
    queries = torch.arange(n_keys - n_queries, n_keys)[:, None]  # (T, 1)
    keys = torch.arange(n_keys)  # (S,)
    return (keys - queries).clamp(-reach, reach) + reach  # (T, S)


def relative_index_loops(n_queries, n_keys, reach):
    """Second style."""
    first = n_keys - n_queries
    return [
        [reach + max(-reach, min(reach, s - t)) for s in range(n_keys)]
        for t in range(first, n_keys)
    ]


def relative_index_cases():
    """Both ends clip, neither clips, and the queries are fewer than the keys."""
    return [
        case("7 words, reach 2", 7, 7, 2),
        case("the last 2 of 6 words, reach 3", 2, 6, 3),
        case("3 words, reach 4", 3, 3, 4),
        case("the last 4 of 5 words, reach 1", 4, 5, 1),
    ]


def a_row_a_query(answer):
    """Yours does not have shape (T, S), a row for each query."""
    got = answer(5, 9, 2)
    return "It has the queries on the last axis: (T, S)." if len(got) == 9 else got.shape == (5, 9)


def whole_numbers(answer):
    """Yours are no whole numbers, and cannot index a table: make them integers, `.long()`."""
    return not answer(5, 9, 2).is_floating_point()


def rows_by(first, sign, clip, start):
    """Make the rows for five queries and nine keys, reach 2, by choices of one's own."""
    offsets = torch.arange(9) - torch.arange(first, first + 5)[:, None]
    return clip(sign(offsets)) + start


def itself(answer):
    """Yours does not give offset 0, a word and itself, the row `reach`."""
    return bool((answer(5, 5, 2).diagonal() == 2).all())


def a_row_a_step(answer):
    """Yours does not go one row on for each word further, within the reach."""
    return bool((answer(3, 3, 4).diff() == 1).all())


def rows_of_the_table(answer):
    """Yours has rows that the table lacks: it has rows 0 to 2 * reach."""
    got = answer(9, 9, 2)
    return bool((got >= 0).all() and (got <= 4).all())


RULES = composed(
    lambda answer: answer(5, 9, 2) if len(answer(5, 9, 2)) == 5 else answer(5, 9, 2).T,
    rows_by,
    {
        "The queries are the last words.": 4,
        "The first query is put at position 0: the queries are the last words.": 0,
        "The queries are put one position too far.": 5,
    },
    {
        "The offset is the key's position minus the query's.": torch.clone,
        "The sign is flipped, query minus key: the word before has -1.": torch.neg,
        "It takes the distance: words before and after must not share a row.": torch.abs,
    },
    {
        "Far offsets are clipped to -reach and reach.": lambda o: o.clamp(-2, 2),
        "It does not clip: far words get rows that the table lacks.": torch.clone,
        "It clips above only: far words before get rows below 0.": lambda o: o.clamp(max=2),
        "It clips below only: far words after pass the table's end.": lambda o: o.clamp(min=-2),
        "It ends at offset 0: keys after the query have rows too.": lambda o: o.clamp(-2, 0),
        "It stops a row early: there are 2 * reach + 1 rows.": lambda o: o.clamp(-2, 1),
        "It goes a row too far: the last row is 2 * reach.": lambda o: o.clamp(-2, 3),
        "It wraps round: far words start at the other end.": lambda o: (o + 2) % 5 - 2,
    },
    {
        "Offset 0 has row `reach`, -reach has row 0.": 2,
        "It gives offsets: add reach, so that offset -reach becomes row 0.": 0,
        "It is one row late: offset 0 has row `reach`.": 3,
        "It is one row early: offset 0 has row `reach`.": 1,
    },
    otherwise=(itself, a_row_a_step, rows_of_the_table),
)


RELATIVE_INDEX = Write(
    id="3.6",
    title="A row for each offset",
    level="medium",
    text="""
Relative positions learn a number for each **offset**, key position minus query position: the word
before has -1. A table holds them from -reach in row 0 to reach in the last row. Farther words share
the row at that end. Write `relative_index(n_queries, n_keys, reach)`: the row number for each pair,
shape (T, S), whole numbers. With more keys than queries, the queries are the **last** words, as in
generation. `table[relative_index(...)]` is what the relative reader of 3J adds to its scores.
""",
    hints=(
        "The queries are at positions n_keys - n_queries to n_keys - 1.",
        "`keys - queries[:, None]` has shape (T, S): a row a query.",
        "Clip the offset to -reach and reach, then add what makes row 0 of the smallest.",
    ),
    solution=relative_index,
    second_style=relative_index_loops,
    mistakes=(),
    cases=relative_index_cases,
    properties=(*properties(a_row_a_query, whole_numbers), *RULES),
    see="3F Learned and relative",
)

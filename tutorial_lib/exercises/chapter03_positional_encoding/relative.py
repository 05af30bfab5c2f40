"""Chapter 03: which row of the table of offsets belongs to a pair of words."""

import torch

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


def relative_offsets(n_queries, n_keys):
    """Key position minus query position, (T, S)."""
    return torch.arange(n_keys) - torch.arange(n_keys - n_queries, n_keys)[:, None]


def relative_index_offsets(n_queries, n_keys, reach):
    """This gives the clipped offsets: the table starts at -reach, so row 0 needs + reach."""
    return relative_offsets(n_queries, n_keys).clamp(-reach, reach)


def relative_index_late(n_queries, n_keys, reach):
    """This is shifted by one: offset 0 has row `reach`, as `reach` rows stand before it."""
    return relative_index(n_queries, n_keys, reach) + 1


def relative_index_early(n_queries, n_keys, reach):
    """This is one row short: offset 0 has row `reach`, and -reach has row 0."""
    return relative_index(n_queries, n_keys, reach) - 1


def relative_index_turned(n_queries, n_keys, reach):
    """This has the sign flipped, query minus key: the word before has offset -1."""
    return (-relative_offsets(n_queries, n_keys)).clamp(-reach, reach) + reach


def relative_index_unclipped(n_queries, n_keys, reach):
    """This does not clip: far words get rows that the table does not have."""
    return relative_offsets(n_queries, n_keys) + reach


def relative_index_negative_rows(n_queries, n_keys, reach):
    """This clips at the upper end only: far words before the query get rows below 0."""
    return relative_offsets(n_queries, n_keys).clamp(max=reach) + reach


def relative_index_high_rows(n_queries, n_keys, reach):
    """This clips at the lower end only: far words after the query pass the end of the table."""
    return relative_offsets(n_queries, n_keys).clamp(min=-reach) + reach


def relative_index_distance(n_queries, n_keys, reach):
    """This takes the distance without its sign: words before and after share a row."""
    return relative_offsets(n_queries, n_keys).abs().clamp(max=reach) + reach


def relative_index_near(n_queries, n_keys, reach):
    """This takes the distance for the row, 0 to reach: words before and after share a row."""
    return relative_offsets(n_queries, n_keys).abs().clamp(max=reach)


def relative_index_past(n_queries, n_keys, reach):
    """This ends at row `reach`, offset 0: keys after the query have rows up to 2 * reach."""
    return relative_offsets(n_queries, n_keys).clamp(-reach, 0) + reach


def relative_index_from_start(n_queries, n_keys, reach):
    """This puts the first query at position 0: with more keys, the queries are the last words."""
    offsets = torch.arange(n_keys) - torch.arange(n_queries)[:, None]
    return offsets.clamp(-reach, reach) + reach


def relative_index_short_table(n_queries, n_keys, reach):
    """This stops a row early, at 2 * reach - 1: offsets -reach to reach are 2 * reach + 1 rows."""
    return (relative_offsets(n_queries, n_keys) + reach).clamp(0, 2 * reach - 1)


def relative_index_long_table(n_queries, n_keys, reach):
    """This goes up to row 2 * reach + 1: that is the number of rows, the last one is 2 * reach."""
    return (relative_offsets(n_queries, n_keys) + reach).clamp(0, 2 * reach + 1)


def relative_index_wrapped(n_queries, n_keys, reach):
    """This wraps round: far words start at the other end of the table. Clip them to its ends."""
    return (relative_offsets(n_queries, n_keys) + reach) % (2 * reach + 1)


def relative_index_transposed(n_queries, n_keys, reach):
    """This has the queries on the last axis: a row of the result is a query, (T, S)."""
    return relative_index(n_queries, n_keys, reach).T


def relative_index_cases():
    """Both ends clip, neither clips, and the queries are fewer than the keys."""
    return [
        case("7 words, reach 2", 7, 7, 2),
        case("the last 2 of 6 words, reach 3", 2, 6, 3),
        case("3 words, reach 4", 3, 3, 4),
        case("the last 4 of 5 words, reach 1", 4, 5, 1),
    ]


RELATIVE_INDEX = Write(
    id="3.8",
    title="A row for each offset",
    level="medium",
    text="""
Relative positions learn a number for each **offset**, key position minus query position: the word
before has -1. A table holds them from -reach in row 0 to reach in the last row. Farther words share
the row at that end. Write `relative_index(n_queries, n_keys, reach)`: the row number for each pair,
shape (T, S), whole numbers. With more keys than queries, the queries are the **last** words, as in
generation. `table[relative_index(...)]` is then added to the scores.
""",
    hints=(
        "The queries stand at positions n_keys - n_queries to n_keys - 1.",
        "`keys - queries[:, None]` has shape (T, S): a row a query.",
        "Clip the offset to -reach and reach, then add what makes row 0 of the smallest.",
    ),
    solution=relative_index,
    second_style=relative_index_loops,
    mistakes=(
        relative_index_offsets,
        relative_index_late,
        relative_index_early,
        relative_index_turned,
        relative_index_unclipped,
        relative_index_negative_rows,
        relative_index_high_rows,
        relative_index_distance,
        relative_index_near,
        relative_index_past,
        relative_index_from_start,
        relative_index_short_table,
        relative_index_long_table,
        relative_index_wrapped,
        relative_index_transposed,
    ),
    cases=relative_index_cases,
    see="3.6 Learned and relative",
)

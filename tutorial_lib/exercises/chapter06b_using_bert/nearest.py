"""Chapter 06b: the rows of a table that are closest in meaning."""

import torch

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def nearest(query, table, n):
    """Return the indices of the n rows of highest cosine with the query, best first: (n,).

    The vectors of query (D,) and table (N, D) need not have length 1.
    """
    cosines = table @ query / (table.norm(dim=1) * query.norm())  # (N,)
    return cosines.topk(n).indices


def nearest_sorted(query, table, n):
    """Second style."""
    unit = table / table.norm(dim=1, keepdim=True)
    scores = [float(row @ query) for row in unit]  # the query's own length changes no order
    return sorted(range(len(scores)), key=lambda number: -scores[number])[:n]


def nearest_dot(query, table, n):
    """This compares dot products: a long vector wins, whatever its direction. Divide by the lengths
    of the rows.
    """
    return (table @ query).topk(n).indices


def nearest_distance(query, table, n):
    """This takes the smallest distance, which depends on the lengths too: the angle is asked for.
    Divide each dot product by the lengths.
    """
    return (table - query).norm(dim=1).topk(n, largest=False).indices


def nearest_worst(query, table, n):
    """This returns the rows of *lowest* cosine: the highest come first."""
    cosines = table @ query / table.norm(dim=1)
    return cosines.topk(n, largest=False).indices


def nearest_last_first(query, table, n):
    """This returns the right rows, the best one last: turn them round."""
    return nearest(query, table, n).flip(0)


def nearest_scores(query, table, n):
    """This returns the cosines: the indices of the rows are asked for, `.indices`."""
    return (table @ query / (table.norm(dim=1) * query.norm())).topk(n).values


def nearest_by_column(query, table, n):
    """This takes the norm of the columns, dim 0: a row's own norm runs along D, dim 1."""
    return ((table / table.norm(dim=0)) @ query).topk(n).indices


def nearest_sum(query, table, n):
    """This divides by the sum of the sizes of a row's numbers: its length is the root of the sum of
    their squares.
    """
    return (table @ query / table.abs().sum(dim=1)).topk(n).indices


def nearest_sign(query, table, n):
    """This takes cosines without their sign: -1 is the opposite, not the nearest."""
    return (table @ query / table.norm(dim=1)).abs().topk(n).indices


def nearest_cases():
    """Rows of very different lengths, one opposite to the query; one row asked for; few numbers
    that are large against many small ones.
    """
    generator = torch.Generator().manual_seed(1)
    table = torch.randn(8, 5, generator=generator)
    table *= torch.tensor([9, 0.2, 4, 1, 0.1, 6, 2, 0.5])[:, None]
    query = torch.randn(5, generator=generator)
    opposite = torch.cat([table, -7 * query[None]])
    return [
        case("8 rows, the best 3", query, table, 3),
        case("9 rows, one of them opposite to the query, the best 4", query, opposite, 4),
        case("a longer query, the best row", 30 * query, table, 1),
        case("3 rows of like length, the best 2", SLANTED, FEW_AND_MANY, 2),
    ]


SLANTED = torch.tensor([1.0, 0.5, 0.5, 0.5])
FEW_AND_MANY = torch.tensor([[2.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0], [0.0, 1.5, 0.0, 1.0]])
TABLE = torch.tensor([[3.0, 4.0], [8.0, 0.5], [0.5, 0.6], [-1.0, 2.0], [6.0, 6.0]])
QUERY = torch.tensor([0.0, 2.0])


def rows_of(answer, n):
    """What an answer finds for QUERY, a list of numbers."""
    return torch.as_tensor(answer(QUERY, TABLE, n)).tolist()


def n_indices(answer):
    """(n,), each row at most once, numbered from 0."""
    found = rows_of(answer, 3)
    if len(found) == 5:
        return "All rows come back: only the n best are asked for."
    return len(found) == 3 and sorted(rows_of(answer, 5)) == [0, 1, 2, 3, 4]


def the_best_rows(answer):
    """Which rows come first, in any order; that rows are counted from 1 is said already."""
    first = min(rows_of(answer, 5))
    return sorted(row - first for row in rows_of(answer, 2)[:2]) == [0, 3]


NEAREST = Write(
    id="6b.8",
    title="The nearest in meaning",
    level="easy",
    text="""
Which rows of a table are closest in meaning to a query? Measure it by the cosine, since the vectors
need not have length 1. Write `nearest(query, table, n)` for query (D,) and table (N, D). Return the
indices of the n rows with the highest cosine, the best one first, (n,).
""",
    hints=(
        "A dot product is cosine times both lengths. One of the two lengths is the same for all "
        "rows. And the other?",
        "`table @ query` has a dot product for each row. Divide by `table.norm(dim=1)`.",
        "`scores.topk(n)` gives the n highest, and under `.indices` where they stand.",
    ),
    solution=nearest,
    second_style=nearest_sorted,
    mistakes=(
        nearest_dot,
        nearest_distance,
        nearest_worst,
        nearest_last_first,
        nearest_scores,
        nearest_by_column,
        nearest_sum,
        nearest_sign,
    ),
    cases=nearest_cases,
    properties=(
        Property("The indices of n rows are asked for, (n,), from 0 on.", n_indices),
        Property("It does not find the rows with the highest cosine.", the_best_rows),
    ),
    see="6bF Search by meaning",
)

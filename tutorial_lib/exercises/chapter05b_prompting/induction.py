"""Chapter 05b: how much a head looks at what followed the last time."""

import torch

from tutorial_lib.exercises.engine.tasks import Write, case


def induction_score(weights):
    """Return each head's mean weight from a token's second place to the place behind its first.

    weights (H, 2 N, 2 N) are the maps, row t looking at column s, for N different tokens that
    come twice. Returns (H,).
    """
    n = weights.size(-1) // 2
    queries = torch.arange(n, 2 * n)
    return weights[:, queries, queries - n + 1].mean(dim=-1)


def induction_score_loop(weights):
    """Second style."""
    scores = []
    for head in weights.tolist():
        n = len(head) // 2
        scores.append(sum(head[n + i][i + 1] for i in range(n)) / n)
    return torch.tensor(scores)


def looks_back(weights, distance, start=None, stop=None):
    """The mean weight at a distance, of the rows from start to stop (the second half)."""
    n = weights.size(-1) // 2
    queries = torch.arange(n if start is None else start, stop or 2 * n)
    return weights[:, queries, queries - distance].mean(dim=-1)


def induction_score_itself(weights):
    """This looks at the first place of the same token: an induction head looks one place further,
    at what followed.
    """
    return looks_back(weights, weights.size(-1) // 2)


def induction_score_before(weights):
    """This looks at what stood before the first one: an induction head looks at what followed."""
    n = weights.size(-1) // 2
    queries = torch.arange(n + 1, 2 * n)
    return weights[:, queries, queries - n - 1].mean(dim=-1)


def induction_score_previous(weights):
    """This looks at the place just before: that is a previous-token head."""
    return looks_back(weights, 1, start=1)


def induction_score_previous_half(weights):
    """This looks at the place just before, in the second half: that is a previous-token head."""
    return looks_back(weights, 1)


def induction_score_two_on(weights):
    """This looks two places behind the first one: what followed stands one place behind it."""
    n = weights.size(-1) // 2
    return looks_back(weights, n - 2)


def induction_score_diagonal(weights):
    """This takes the whole diagonal: it begins one row too early, at the end of the first half,
    where nothing has come twice.
    """
    n = weights.size(-1) // 2
    return weights.diagonal(1 - n, dim1=-2, dim2=-1).mean(dim=-1)


def induction_score_diagonal_sum(weights):
    """This sums the whole diagonal, which has N + 1 places: the first one stands in the first
    half.
    """
    n = weights.size(-1) // 2
    return weights.diagonal(1 - n, dim1=-2, dim2=-1).sum(dim=-1) / n


def induction_score_two_on_diagonal(weights):
    """This takes a diagonal two places behind the first one: what followed stands one behind it."""
    n = weights.size(-1) // 2
    return weights.diagonal(2 - n, dim1=-2, dim2=-1).mean(dim=-1)


def induction_score_row_late(weights):
    """This pairs each column with the row below: row N + i looks at column i + 1."""
    n = weights.size(-1) // 2
    return looks_back(weights, n, start=n + 1)


def induction_score_last_lost(weights):
    """This leaves out the last row: its token has a first place too."""
    n = weights.size(-1) // 2
    return looks_back(weights, n - 1, stop=2 * n - 1)


def induction_score_first_lost(weights):
    """This leaves out the first row of the second half: its token has come before."""
    n = weights.size(-1) // 2
    return looks_back(weights, n - 1, start=n + 1)


def induction_score_last_row(weights):
    """This reads the last row alone: take the mean over the second half."""
    n = weights.size(-1) // 2
    return weights[:, -1, n]


def induction_score_first_row(weights):
    """This reads the first row of the second half alone: take the mean over all of its rows."""
    n = weights.size(-1) // 2
    return weights[:, n, 1]


def induction_score_all_rows(weights):
    """This divides by all 2 N rows: only those of the second half have something to find."""
    return induction_score(weights) / 2


def induction_score_sum(weights):
    """This is the sum: divide by the N rows of the second half."""
    return induction_score(weights) * (weights.size(-1) // 2)


def induction_score_transposed(weights):
    """This reads above the diagonal, where a causal map is 0: row t looks back at column s."""
    return induction_score(weights.mT)


def induction_score_together(weights):
    """This averages over the heads too: each head has a score of its own."""
    return induction_score(weights).mean()


def induction_score_rows(weights):
    """This averages over the heads, row by row: average over the rows, head by head."""
    return induction_score_each(weights).mean(dim=0)


def induction_score_each(weights):
    """This returns the weight in each row: their mean is asked for."""
    n = weights.size(-1) // 2
    queries = torch.arange(n, 2 * n)
    return weights[:, queries, queries - n + 1]


def induction_score_slices(weights):
    """This averages a whole block of the map: two slices give every row with every column, so take
    pairs of a row and a column.
    """
    n = weights.size(-1) // 2
    return weights[:, n:, 1 : n + 1].mean(dim=(1, 2))


def induction_score_first_half(weights):
    """This averages all that the second half gives to the first: only one column a row counts."""
    n = weights.size(-1) // 2
    return weights[:, n:, :n].mean(dim=(1, 2))


def induction_score_share(weights):
    """This is all that the second half gives to the first: only one column a row counts."""
    n = weights.size(-1) // 2
    return weights[:, n:, :n].sum(dim=-1).mean(dim=-1)


def induction_score_highest(weights):
    """This counts how often the place has the highest weight: take the mean weight."""
    n = weights.size(-1) // 2
    return (weights[:, n:].argmax(dim=-1) == torch.arange(1, n + 1)).float().mean(dim=-1)


def induction_score_best_row(weights):
    """This takes the highest weight of the N rows: take their mean."""
    return induction_score_each(weights).amax(dim=-1)


def induction_score_long(weights):
    """This takes all 2 N tokens for N: a row has 2 N places, and each token stands there twice."""
    n = weights.size(-1)
    return weights.diagonal(1 - n, dim1=-2, dim2=-1).mean(dim=-1)


def random_maps(n_heads, length):
    """Causal maps whose rows sum to 1."""
    hidden = torch.ones(length, length).triu(1).bool()
    return torch.randn(n_heads, length, length).masked_fill(hidden, -torch.inf).softmax(dim=-1)


def induction_score_cases():
    """Random causal maps, of two lengths, and a head that does nothing else."""
    perfect = torch.eye(8).repeat(2, 1, 1)
    perfect[0, 4:] = perfect[0, 1:5].clone()
    return [
        case("3 heads, 5 tokens twice", random_maps(3, 10)),
        case("a perfect head and one that looks at itself", perfect),
        case("2 heads, 3 tokens twice", random_maps(2, 6)),
    ]


INDUCTION_SCORE = Write(
    id="5b.8",
    title="Score an induction head",
    level="hard",
    text="""
A text of N different tokens comes twice: A B C D A B C D. At the second A, an **induction head**
looks at the B behind the first A. Write `induction_score(weights)` for the maps (H, 2 N, 2 N) of
one layer, where row t looks at column s: for each head, the mean weight from the second place of a
token to the place **behind** its first one. The mean goes over the N rows of the second half.
Return (H,).
""",
    hints=(
        "N = 4: rows 4, 5, 6, 7 are the second A, B, C, D. In which column does each have to look?",
        "Row N + i looks at column i + 1. So how far back is that, from row t?",
        "`weights[:, rows, columns]` with two index tensors of length N picks N pairs: (H, N).",
    ),
    solution=induction_score,
    second_style=induction_score_loop,
    mistakes=(
        induction_score_itself,
        induction_score_before,
        induction_score_previous,
        induction_score_previous_half,
        induction_score_two_on,
        induction_score_diagonal,
        induction_score_diagonal_sum,
        induction_score_two_on_diagonal,
        induction_score_row_late,
        induction_score_last_lost,
        induction_score_first_lost,
        induction_score_last_row,
        induction_score_first_row,
        induction_score_all_rows,
        induction_score_sum,
        induction_score_transposed,
        induction_score_together,
        induction_score_rows,
        induction_score_each,
        induction_score_slices,
        induction_score_first_half,
        induction_score_share,
        induction_score_highest,
        induction_score_best_row,
        induction_score_long,
    ),
    cases=induction_score_cases,
    see="5b.6 Induction heads",
)

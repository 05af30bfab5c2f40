"""Chapter 05b: how much a head looks at what followed the last time."""

import torch

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def induction_score(weights):
    """Return each head's mean weight from a token's second position to the one after its first.

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


N = 4


def shares(answer):
    """How much of each weight an answer takes, (8, 8): one head for each position of the map."""
    maps = torch.eye(64).view(64, 8, 8)
    found = answer(maps)
    if found.shape != (64,):  # not one score a head, which is said already
        found = torch.stack([answer(one[None]).float().mean() for one in maps])
    if found.count_nonzero() == 0:
        raise ValueError("no weight counts")
    return found.view(8, 8)


def one_score_a_head(answer):
    """Three heads have three scores."""
    found = answer(random_maps(3, 10))
    sentences = {
        (): "There is one number for all heads: each head has a score of its own.",
        (5,): "The mean goes over the heads, row by row: each head has a score of its own, the "
        "mean over its rows.",
        (3, 5): "There is one weight for each row: the mean over the rows is asked for.",
    }
    return tuple(found.shape) == (3,) or sentences.get(tuple(found.shape), False)


def rows_look_back(answer):
    """A row looks at one position, the one after the first position of its token."""
    turned = above_the_diagonal(answer)  # which is said already
    rows, columns = (shares(answer).T if turned else shares(answer)).nonzero(as_tuple=True)
    if len(rows) > len(rows.unique()):
        return (
            "Several columns of a row count: take pairs of a row and a column. (Two slices give "
            "every row with every column.)"
        )
    distances = set((rows - columns).tolist())
    if distances == {1}:
        return "Each row looks at the position just before: that is a previous-token head."
    if distances <= {N + 1, N, N - 2}:
        seen = {N + 1: "before", N: "at", N - 2: "two positions after"}[min(distances)]
        return (
            f"A row looks at what is {seen} the first position of its token: take the one just "
            "after it, where it says what followed."
        )
    return distances == {N - 1}


def above_the_diagonal(answer):
    """Columns are taken for rows."""
    rows, columns = shares(answer).nonzero(as_tuple=True)
    return bool((columns > rows).any())


def rows_of_the_second_half(answer):
    """Each row of the second half counts, and no other."""
    positions = shares(answer)
    rows = positions.any(dim=0 if above_the_diagonal(answer) else 1)
    if rows[1:].all():
        return "Rows of the first half count: only those of the second have something to find."
    if rows[N - 1] and rows[N:].all():
        return (
            "The last row of the first half counts too, where nothing has come twice: the whole "
            "diagonal begins one row too early."
        )
    if rows[:N].any():
        return False
    lost = (~rows).nonzero().flatten().tolist()[N:]
    return not lost or f"With N = 4, rows 4 to 7 count, but nothing is taken from {lost}."


def is_the_mean(answer):
    """The shares of the rows are the same, and add up to 1."""
    positions = shares(answer)
    counted = positions[positions != 0]
    total, n = counted.sum().item(), len(counted)
    if positions.any(dim=0).sum() == 1 or (positions.any(dim=1).sum() < n):
        return None  # whole blocks, which are said already
    if not torch.allclose(counted, counted[:1].expand(n), atol=1e-4):
        return "Some rows count more than others."
    if one_score_a_head(answer) is True:
        together = (positions != 0).float().repeat(2, 1, 1)
        if abs(answer(together)[0] - total) > 1e-3:
            highest = abs(answer(together)[0] - counted.max()) < 1e-3
            return (
                "It takes the highest weight of the rows: their mean is asked for."
                if highest
                else "It is not the mean of the weights as they are."
            )
        if abs(answer(together / 2)[0] - total / 2) > 1e-3:
            return "It counts rows, whatever their weight: take the mean weight."
    if abs(total - 1) < 1e-3:
        return True
    if abs(total - n) < 1e-3:
        return "It is a sum: divide by the N rows of the second half."
    return f"It divides the sum of {n} weights by {n / total:.3g}: with N = 4 divide by 4."


INDUCTION_SCORE = Write(
    id="5b.4",
    title="Score an induction head",
    level="medium",
    text="""
A text of N different tokens comes twice: A B C D A B C D. At the second A, an **induction head**
looks at the B after the first A. Write `induction_score(weights)` for the maps (H, 2 N, 2 N) of
one layer, where row t looks at column s: for each head, the mean weight from the second position of
a token to the position **after** its first one. The mean goes over the N rows of the second half.
Return (H,).
""",
    hints=(
        "N = 4: rows 4, 5, 6, 7 are the second A, B, C, D. In which column does each have to look?",
        "Row N + i looks at column i + 1. So how far back is that, from row t?",
        "`weights[:, rows, columns]` with two index tensors of length N picks N pairs: (H, N).",
    ),
    solution=induction_score,
    second_style=induction_score_loop,
    mistakes=(),
    cases=induction_score_cases,
    properties=(
        Property("One score a head is asked for, (H,).", one_score_a_head),
        Property(
            "It reads above the diagonal, where a causal map is 0: in weights[h, t, s] row t looks "
            "back at column s.",
            lambda answer: not above_the_diagonal(answer),
        ),
        Property(
            "Row N + i has to look at column i + 1, the position after the first one of its token.",
            rows_look_back,
        ),
        Property(
            "Other rows count than the N of the second half, from N to 2 N - 1.",
            rows_of_the_second_half,
        ),
        Property("The score is the mean over the N rows of the second half.", is_the_mean),
    ),
    see="5bD Who reads the prompt?",
)

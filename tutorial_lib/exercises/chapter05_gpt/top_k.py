"""Chapter 05: the k likeliest tokens, and no others."""

import math

import torch

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def top_k_filter(logits, k):
    """Return logits (B, V) with all but the k highest of each row at minus infinity.

    Tokens that tie with the k-th highest stay as well.
    """
    lowest = logits.topk(k, dim=-1).values[:, -1:]  # (B, 1)
    return logits.masked_fill(logits < lowest, -math.inf)


def top_k_filter_rows(logits, k):
    """Second style."""
    kept = []
    for row in logits.tolist():
        lowest = sorted(row)[len(row) - k]
        kept.append([score if score >= lowest else -math.inf for score in row])
    return kept


def keep(logits, kept):
    """Logits where kept is True, minus infinity elsewhere."""
    return logits.masked_fill(~kept, -math.inf)


def top_k_filter_topk_over_batch(logits, k):
    """This takes the `topk` down the batch, so it fails when k is more than the rows: each row has
    a choice of its own, with `dim=-1`.
    """
    return keep(logits, logits >= logits.topk(k, dim=0).values[-1:])


def top_k_filter_kth_lowest(logits, k):
    """This measures by the k-th lowest, the k-th from the wrong end: sort from high to low."""
    return keep(logits, logits >= logits.sort(dim=-1).values[:, k - 1 : k])


def top_k_filter_probabilities(logits, k):
    """This returns probabilities: logits are asked for, so that other filters may follow."""
    return top_k_filter(logits, k).softmax(dim=-1)


def top_k_filter_share(logits, k):
    """This keeps what is likelier than 1/k, however many these are: count k of them."""
    return keep(logits, logits.softmax(dim=-1) >= 1 / k)


def top_k_filter_values(logits, k):
    """This returns only the k highest logits: each of the V tokens keeps its place."""
    return logits.topk(k, dim=-1).values


def top_k_filter_indices(logits, k):
    """This returns the ids of the k highest: the logits are asked for, each in its place."""
    return logits.topk(k, dim=-1).indices


def top_k_filter_sorted(logits, k):
    """This sorts the logits: each token must stay in its place."""
    return top_k_filter(logits.sort(dim=-1, descending=True).values, k)


def top_k_filter_first(logits, k):
    """This keeps the first k tokens of the vocabulary: keep the k with the highest logits."""
    return keep(logits, (torch.arange(logits.size(-1)) < k).expand_as(logits))


def top_k_filter_cases():
    """Rows of different height, more rows than k and fewer, a tie, and both ends of k."""
    heights = torch.tensor([[0.0], [-9.0], [4.0]])
    tie = torch.tensor([[1.0, 3.0, 1.0, 0.0, 1.0], [2.0, 5.0, 4.0, 2.5, -1.0]])
    return [
        case("3 rows, k = 2", torch.randn(3, 6) + heights, 2),
        case("2 rows, k = 3", torch.randn(2, 7) - heights[:2], 3),
        case("a tie, k = 2", tie, 2),
        case("k = 1", torch.randn(2, 4), 1),
        case("k = V", torch.randn(2, 3), 3),
    ]


def filtered(answer, logits, number):
    """Which logits an answer has kept as they are, (B, V), and what it set all others to.

    Raises ValueError for anything but the same logits with others filled in.
    """
    got = answer(logits, number)
    kept = got == logits
    fills = got[~kept].unique().tolist()
    if len(fills) > 1 or got.isnan().any():
        raise ValueError("no filter")
    return kept, fills[0] if fills else -math.inf


def fills_with_minus_infinity(answer, logits, number):
    """What is dropped becomes minus infinity."""
    _, fill = filtered(answer, logits, number)
    if fill == 0:
        return "The others are set to 0, and exp(0) is 1: they need minus infinity."
    if fill == math.inf:
        return (
            "The others are set to plus infinity, and the softmax breaks: they need minus infinity."
        )
    return fill == -math.inf


def keeps_the_highest(kept, logits):
    """No token is dropped that is likelier than one that stays in its row."""
    lowest = logits.masked_fill(~kept, math.inf).amin(dim=-1)
    dropped = logits.masked_fill(kept, -math.inf).amax(dim=-1)
    return bool((dropped < lowest).all())


def unlike_rows():
    """Five rows of eight different logits, each row at another height."""
    heights = torch.tensor([0.0, -9.0, 4.0, 1.0, -3.0])[:, None]
    return torch.randn(5, 8, generator=torch.Generator().manual_seed(6)) + heights


def top_k_fills(answer):
    """What is dropped becomes minus infinity."""
    return fills_with_minus_infinity(answer, unlike_rows(), 3)


def top_k_keeps_the_highest(answer):
    """No token is dropped that is likelier than one that stays."""
    kept, _ = filtered(answer, unlike_rows(), 3)
    if (~kept).all(dim=-1).any() or kept.all():
        return None
    if keeps_the_highest(~kept, unlike_rows()):
        return "It drops the highest and keeps the rest: it is the other way round."
    return keeps_the_highest(kept, unlike_rows())


def top_k_keeps_k(answer):
    """Each row keeps k, when none tie."""
    kept, _ = filtered(answer, unlike_rows(), 3)
    if keeps_the_highest(~kept, unlike_rows()) and ((~kept).sum(dim=-1) == 3).all():
        kept = ~kept  # the wrong way round, which is said already
    counts = kept.sum(dim=-1)
    if len(set(counts.tolist())) > 1:
        return (
            "Rows keep different numbers of tokens: each row has a threshold of its own, its k-th "
            "highest logit."
        )
    if counts[0] == 8:
        return "It keeps all tokens."
    if counts[0] == 2:
        return (
            "It keeps one token fewer than k: the k-th highest stays too, so drop what is below "
            "it (`<`, not `<=`)."
        )
    return True if counts[0] == 3 else f"It keeps {counts[0]} of 8 tokens a row where k is 3."


def top_k_keeps_ties(answer):
    """Tokens that tie with the k-th highest stay."""
    logits = torch.tensor([[2.0, 5.0, 2.0, 2.0, -1.0, 4.0]])
    kept, _ = filtered(answer, logits, 3)
    tied = kept[0, [0, 2, 3]]
    return None if not tied.any() else bool(tied.all())


TOP_K_FILTER = Write(
    id="5.7",
    title="Top-k",
    level="easy",
    text="""
Write `top_k_filter(logits, k)` for logits (B, V): each row keeps its k highest logits where they
are, all others become minus infinity, so that the softmax gives them 0. Tokens that **tie** with
the k-th highest stay as well. k is between 1 and V.
""",
    hints=(
        "What is the lowest logit of a row that may stay?",
        "`logits.topk(k).values[:, -1:]` is that logit, (B, 1): compare all V with it.",
        "`logits.masked_fill(condition, -math.inf)` fills where the condition is True.",
    ),
    solution=top_k_filter,
    second_style=top_k_filter_rows,
    mistakes=(
        top_k_filter_topk_over_batch,
        top_k_filter_kth_lowest,
        top_k_filter_probabilities,
        top_k_filter_share,
        top_k_filter_values,
        top_k_filter_indices,
        top_k_filter_sorted,
        top_k_filter_first,
    ),
    cases=top_k_filter_cases,
    properties=(
        Property("The highest logits must stay, whatever their place.", top_k_keeps_the_highest),
        Property("Each row keeps k tokens, when none tie.", top_k_keeps_k),
        Property(
            "It drops tokens that tie with the k-th highest: they stay too, as none is better.",
            top_k_keeps_ties,
        ),
        Property("The others must become minus infinity.", top_k_fills),
    ),
    see="5G Choosing the next token",
)

"""Chapter 05: the k likeliest tokens, and no others."""

import math

import torch

from tutorial_lib.exercises.engine.tasks import Write, case


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


def top_k_filter_exactly(logits, k):
    """This keeps exactly k: tokens that tie with the k-th highest stay too, as none is better."""
    ids = logits.topk(k, dim=-1).indices
    return torch.full_like(logits, -math.inf).scatter(-1, ids, logits.gather(-1, ids))


def top_k_filter_smallest(logits, k):
    """This keeps the k lowest: keep the highest."""
    return keep(logits, logits <= logits.topk(k, dim=-1, largest=False).values[:, -1:])


def top_k_filter_inverted(logits, k):
    """This drops the k highest and keeps the rest: it is the other way round."""
    return keep(logits, logits < logits.topk(k, dim=-1).values[:, -1:])


def top_k_filter_zero(logits, k):
    """This sets the others to 0, and exp(0) is 1: they need minus infinity."""
    return logits.masked_fill(logits < logits.topk(k, dim=-1).values[:, -1:], 0.0)


def top_k_filter_plus(logits, k):
    """This sets the others to plus infinity, and the softmax breaks: they need minus infinity."""
    return logits.masked_fill(logits < logits.topk(k, dim=-1).values[:, -1:], math.inf)


def top_k_filter_one_more(logits, k):
    """This keeps k + 1 tokens."""
    ordered = logits.sort(dim=-1, descending=True).values
    return keep(logits, logits >= ordered[:, min(k, logits.size(-1) - 1), None])


def top_k_filter_one_less(logits, k):
    """This drops the k-th highest too, and keeps k - 1: the k-th stays."""
    return keep(logits, logits > logits.topk(k, dim=-1).values[:, -1:])


def top_k_filter_over_batch(logits, k):
    """This looks for the highest down the batch: each row has a choice of its own."""
    lowest = logits.sort(dim=0, descending=True).values[min(k, len(logits)) - 1]
    return keep(logits, logits >= lowest)


def top_k_filter_topk_over_batch(logits, k):
    """This takes the `topk` down the batch, so it fails when k is more than the rows: each row has
    a choice of its own, with `dim=-1`.
    """
    return keep(logits, logits >= logits.topk(k, dim=0).values[-1:])


def top_k_filter_kth_lowest(logits, k):
    """This measures by the k-th lowest, the k-th from the wrong end: sort from high to low."""
    return keep(logits, logits >= logits.sort(dim=-1).values[:, k - 1 : k])


def top_k_filter_one_threshold(logits, k):
    """This measures all rows by one threshold, the lowest of theirs: each row has its own."""
    return keep(logits, logits >= logits.topk(k, dim=-1).values.min())


def top_k_filter_together(logits, k):
    """This keeps the k highest of all rows together: each row keeps its own k."""
    return keep(logits, logits >= logits.flatten().topk(k).values[-1])


def top_k_filter_first_row(logits, k):
    """This measures all rows by the k-th highest of the first one: each row has its own."""
    return keep(logits, logits >= logits[0].topk(k).values[-1])


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


def top_k_filter_best(logits, k):
    """This keeps the best token alone: k of them stay."""
    return keep(logits, logits == logits.max(dim=-1, keepdim=True).values)


def top_k_filter_ignored(logits, k):
    """This keeps all tokens."""
    return logits


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


TOP_K_FILTER = Write(
    id="5.7",
    title="Top-k",
    level="easy",
    text="""
Write `top_k_filter(logits, k)` for logits (B, V): each row keeps its k highest logits where they
stand, all others become minus infinity, so that the softmax gives them 0. Tokens that **tie** with
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
        top_k_filter_exactly,
        top_k_filter_smallest,
        top_k_filter_inverted,
        top_k_filter_zero,
        top_k_filter_plus,
        top_k_filter_one_more,
        top_k_filter_one_less,
        top_k_filter_over_batch,
        top_k_filter_topk_over_batch,
        top_k_filter_kth_lowest,
        top_k_filter_one_threshold,
        top_k_filter_together,
        top_k_filter_first_row,
        top_k_filter_probabilities,
        top_k_filter_share,
        top_k_filter_values,
        top_k_filter_indices,
        top_k_filter_sorted,
        top_k_filter_first,
        top_k_filter_best,
        top_k_filter_ignored,
    ),
    cases=top_k_filter_cases,
    see="5.5 Choosing the next token",
)

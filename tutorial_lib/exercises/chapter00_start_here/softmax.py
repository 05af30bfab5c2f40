"""Chapter 00, entry test: softmax and cross-entropy."""

import torch
from torch.nn import functional as F

from tutorial_lib.exercises.engine.tasks import Write, case


def softmax(scores):
    """Turn scores (..., S) into weights of the same shape; each last-axis row sums to 1."""
    scores = scores - scores.max(dim=-1, keepdim=True).values  # exp of large scores overflows
    weights = scores.exp()
    return weights / weights.sum(dim=-1, keepdim=True)


def softmax_library(scores):
    """Second style."""
    return F.softmax(scores, dim=-1)


def softmax_first_axis(scores):
    """This sums over the first axis: the columns sum to 1 here, not the rows."""
    return F.softmax(scores, dim=0)


def softmax_all(scores):
    """This divides by the sum of the whole tensor: all weights together sum to 1."""
    return F.softmax(scores.flatten(), dim=0).view(scores.shape)


def softmax_without_exp(scores):
    """This divides the scores themselves by their sum: the exponential is missing."""
    return scores / scores.sum(dim=-1, keepdim=True)


def softmax_overflowing(scores):
    """This overflows on large scores: subtract the largest score of a row before the exp."""
    return scores.exp() / scores.exp().sum(dim=-1, keepdim=True)


def softmax_shifted_by_one_number(scores):
    """This shifts all rows by one number: a row far below it becomes 0/0. Use each row's own."""
    weights = (scores - scores.max()).exp()
    return weights / weights.sum(dim=-1, keepdim=True)


def softmax_cases():
    """Unequal rows tell the axes apart; 1,000 overflows a bare exp, and a shared shift."""
    return [
        case("two rows", torch.tensor([[1.0, 2.0, 3.0], [0.5, 0.5, 4.0]])),
        case("a score of 1,000", torch.tensor([[1000.0, 999.0]])),
        case("two rows far apart", torch.tensor([[1000.0, 999.0], [0.0, 1.0]])),
    ]


SOFTMAX = Write(
    id="0.2",
    title="Softmax",
    level="easy",
    text="""
Write `softmax(scores)` without `torch.softmax`: positive weights, each row along the last axis
summing to 1, also when a score is 1,000.
""",
    hints=(
        "Exponentials make the scores positive; dividing by their sum makes the row sum to 1.",
        "`sum(dim=-1, keepdim=True)` keeps the axis, so that the division lines up.",
        "Subtracting the row's largest score changes no weight, and no exp can overflow. "
        "`scores.max(dim=-1, keepdim=True)` is a pair: take its `.values`.",
    ),
    solution=softmax,
    second_style=softmax_library,
    mistakes=(
        softmax_first_axis,
        softmax_all,
        softmax_without_exp,
        softmax_overflowing,
        softmax_shifted_by_one_number,
    ),
    cases=softmax_cases,
    see="Refresher: softmax",
)


def cross_entropy(logits, labels):
    """Mean over N of -log softmax(logits)[label]; logits (N, V), labels (N,); in nats."""
    log_probabilities = logits.log_softmax(dim=-1)
    return -log_probabilities[torch.arange(len(labels)), labels].mean()


def cross_entropy_library(logits, labels):
    """Second style."""
    return F.cross_entropy(logits, labels)


def cross_entropy_sum(logits, labels):
    """This is the sum over the examples, not their mean."""
    return F.cross_entropy(logits, labels, reduction="sum")


def cross_entropy_twice(logits, labels):
    """This applies the softmax twice: the log-softmax expects raw scores."""
    return F.cross_entropy(logits.softmax(dim=-1), labels)


def cross_entropy_negative(logits, labels):
    """This lacks the minus sign: a loss that falls below 0."""
    return -F.cross_entropy(logits, labels)


def cross_entropy_every_class(logits, labels):
    """This averages over all classes: only the label's own log-probability counts."""
    return -logits.log_softmax(dim=-1).mean()


def cross_entropy_crossed(logits, labels):
    """This takes every label's column from every row: pair each row with its own label."""
    return -logits.log_softmax(dim=-1)[:, labels].mean()


def cross_entropy_rows(logits, labels):
    """This uses the labels as row numbers: they say which column counts in each row."""
    return -logits.log_softmax(dim=-1)[labels].mean()


def cross_entropy_raw(logits, labels):
    """This takes the raw scores of the labels: they become log-probabilities by a log-softmax."""
    return -logits[torch.arange(len(labels)), labels].mean()


def cross_entropy_cases():
    """Three unequal examples: one sure and right, one sure and wrong, one undecided."""
    logits = torch.tensor([[4.0, 0.0, 0.0], [0.0, 3.0, 0.0], [1.0, 1.0, 1.0]])
    return [
        case("one example", logits[:1], torch.tensor([0])),
        case("three examples", logits, torch.tensor([0, 2, 2])),
    ]


CROSS_ENTROPY = Write(
    id="0.3",
    title="Cross-entropy",
    level="medium",
    text="""
Write `cross_entropy(logits, labels)`: the mean of -log p(label) over the examples, where p is the
softmax of a row of `logits` (N, V) and `labels` (N,) holds the right classes.
""",
    hints=(
        "`logits.log_softmax(dim=-1)` holds the log-probability of every class.",
        "`table[torch.arange(N), labels]` takes one number from each row.",
    ),
    solution=cross_entropy,
    second_style=cross_entropy_library,
    mistakes=(
        cross_entropy_sum,
        cross_entropy_twice,
        cross_entropy_negative,
        cross_entropy_every_class,
        cross_entropy_crossed,
        cross_entropy_rows,
        cross_entropy_raw,
    ),
    cases=cross_entropy_cases,
    see="Refresher: cross-entropy",
)

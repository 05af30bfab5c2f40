"""Chapter 00, entry test: softmax and cross-entropy."""

import math

import torch
from torch.nn import functional as F

from tutorial_lib.exercises.chapter02_attention.measures import divisor
from tutorial_lib.exercises.engine.properties import (
    alike,
    composed,
    properties,
    ready_made_cross_entropy,
    ready_made_softmax,
)
from tutorial_lib.exercises.engine.tasks import Write, case


def softmax(scores):
    """Turn scores (..., S) into weights of the same shape; each last-axis row sums to 1."""
    scores = scores - scores.max(dim=-1, keepdim=True).values  # exp of large scores overflows
    weights = scores.exp()
    return weights / weights.sum(dim=-1, keepdim=True)


def softmax_library(scores):
    """Second style."""
    return F.softmax(scores, dim=-1)


def softmax_all(scores):
    """This divides by the sum of the whole tensor: all weights together sum to 1."""
    return F.softmax(scores.flatten(), dim=0).view(scores.shape)


def softmax_cases():
    """Unequal rows tell the axes apart; 1,000 overflows a bare exp, and a shared shift."""
    return [
        case("two rows", torch.tensor([[1.0, 2.0, 3.0], [0.5, 0.5, 4.0]])),
        case("a score of 1,000", torch.tensor([[1000.0, 999.0]])),
        case("two rows far apart", torch.tensor([[1000.0, 999.0], [0.0, 1.0]])),
    ]


SCORES = torch.tensor([[1.0, -2.0, 0.5, 3.0], [0.5, 0.0, -1.5, 1.0], [2.0, -0.5, 1.0, 0.0]])


def positive(answer):
    """The weights must be positive: take the exponential of the scores, then divide."""
    got = answer(SCORES)
    if alike(got, SCORES.log_softmax(-1)):
        return "It returns the logarithms of the weights."
    return bool((got > 0).all())


def rows_sum_to_one(answer):
    """Each row must sum to 1, along the last axis."""
    got = answer(SCORES)
    if not (got > 0).all() or alike(got.sum(-1), torch.ones(3)):
        return None
    if alike(got.sum(0), torch.ones(4)):
        return "It sums over the first axis: the columns sum to 1 here, not the rows."
    return f"Each row must sum to 1, but the first one sums to {got[0].sum():.3g}."


def exponentials(answer):
    """The weights must go with exp(score): one more in a score makes a weight e times larger."""
    got = answer(SCORES)
    found = divisor(got, SCORES)
    if not (got > 0).all():
        return None
    return found is not None and math.isclose(found, 1, rel_tol=1e-3)


def large_scores(answer):
    """It overflows on large scores: subtract the largest score of a row before the exp."""
    return not answer(torch.tensor([[1000.0, 999.0, 0.0]])).isnan().any()


def rows_far_apart(answer):
    """It shifts all rows by one number: a row far below it becomes 0/0. Use each row's own."""
    got = answer(torch.tensor([[1000.0, 999.0], [0.0, 1.0]]))
    return not got[1].isnan().any() if large_scores(answer) else None


SOFTMAX = Write(
    id="0.2",
    title="Softmax",
    level="easy",
    text="""
Write `softmax(scores)` without `torch.softmax`: for any finite scores, each row becomes weights of
0 or more that sum to 1, in proportion to e to the power of the score. Two things are wrong with the
code below.
""",
    hints=(
        "Try the code on a table of two rows: what does each sum to? Then on a score of 1,000.",
        "`sum(dim=-1, keepdim=True)` keeps the axis, so that the division lines up.",
        "Subtracting the row's largest score changes no weight, and no exp can overflow. "
        "`scores.max(dim=-1, keepdim=True)` is a pair: take its `.values`.",
    ),
    solution=softmax,
    second_style=softmax_library,
    mistakes=(softmax_all,),
    cases=softmax_cases,
    properties=properties(positive, rows_sum_to_one, exponentials, large_scores, rows_far_apart),
    remarks=(lambda answer: ready_made_softmax(answer, SCORES),),
    see="Refresher: softmax",
)


def cross_entropy(logits, labels):
    """Mean over N of -log softmax(logits)[label]; logits (N, V), labels (N,); in nats."""
    log_probabilities = logits.log_softmax(dim=-1)
    return -log_probabilities[torch.arange(len(labels)), labels].mean()


def cross_entropy_library(logits, labels):
    """Second style."""
    return F.cross_entropy(logits, labels)


def cross_entropy_cases():
    """Three unequal examples: one sure and right, one sure and wrong, one undecided."""
    logits = torch.tensor([[4.0, 0.0, 0.0], [0.0, 3.0, 0.0], [1.0, 1.0, 1.0]])
    return [
        case("one example", logits[:1], torch.tensor([0])),
        case("three examples", logits, torch.tensor([0, 2, 2])),
        case("logits of 100", 90 + 10 * logits[:2], torch.tensor([0, 2])),
    ]


LABELS = torch.tensor([2, 0, 2])
LOGITS = torch.stack([SCORES, 2 * SCORES.flip(0)])  # two batches of three examples
LOG_P = LOGITS.log_softmax(-1)


def own(table):
    """The numbers of the labels, (2, 3)."""
    return table[:, torch.arange(3), LABELS]


def sure_and_wrong(answer):
    """A sure and wrong example must cost much, a sure and right one nearly nothing."""
    wrong, right = (answer(torch.tensor([[9.0, 0.0]]), torch.tensor([y])) for y in (1, 0))
    return bool(wrong.abs() > 5 > 0.1 > right.abs())


def large_logits(answer):
    """It overflows on large logits: `log_softmax` takes the largest away before the exp."""
    return bool(answer(torch.tensor([[100.0, 40.0]]), torch.tensor([1])).isfinite())


RULES = composed(
    lambda answer: torch.stack([answer(logits, LABELS) for logits in LOGITS]),
    lambda terms, reduce, times: times * torch.stack([reduce(batch) for batch in terms]),
    {
        "Each row counts by the log-softmax of its own label.": own(LOG_P),
        "It takes the raw scores of the labels: the log-softmax is missing.": own(LOGITS),
        "The logarithm is missing: -log p(label).": own(LOGITS.softmax(-1)),
        "It applies the softmax twice.": own(LOGITS.softmax(-1).log_softmax(-1)),
        "The softmax runs over the examples, not the classes.": own(LOGITS.log_softmax(1)),
        "It averages over all classes: only the label counts.": LOG_P,
        "It takes every label's column from every row: pair rows and labels.": LOG_P[:, :, LABELS],
        "It uses the labels as row numbers: they say which column counts.": LOG_P[:, LABELS],
    },
    {
        "Take the mean.": torch.mean,
        "It is the sum over the examples.": torch.sum,
        "It is the largest loss of the examples: take the mean.": torch.min,
        "It returns a loss for each example: take their mean.": lambda losses: losses,
        "It takes the logarithm of the mean probability: the logarithms first, then their mean.": (
            lambda losses: losses.exp().mean().log()
        ),
    },
    {
        "The loss is minus the natural logarithm.": -1,
        "It lacks the minus sign: a loss that falls below 0.": 1,
        "It is in bits: take the natural logarithm.": -1 / math.log(2),
        "It is in bits, and lacks the minus sign.": 1 / math.log(2),
    },
    otherwise=(sure_and_wrong,),
)


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
    mistakes=(),
    cases=cross_entropy_cases,
    properties=(*RULES, *properties(large_logits)),
    remarks=(lambda answer: ready_made_cross_entropy(answer, SCORES, LABELS),),
    see="Refresher: cross-entropy",
)

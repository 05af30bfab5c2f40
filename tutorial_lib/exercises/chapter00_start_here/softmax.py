"""Chapter 00, entry test: softmax and cross-entropy."""

import math

import torch
from torch.nn import functional as F

from tutorial_lib.exercises.chapter02_attention.measures import divisor
from tutorial_lib.exercises.engine.properties import alike, composed, properties
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
    """It takes other powers than those of e: one more in a score makes a weight e times larger."""
    found = divisor(answer(SCORES), SCORES)
    return None if found is None else math.isclose(found, 1, rel_tol=1e-3)


def large_scores(answer):
    """It overflows on large scores: subtract the largest score of a row before the exp."""
    return not answer(torch.tensor([[1000.0, 999.0]])).isnan().any()


def rows_far_apart(answer):
    """It shifts all rows by one number: a row far below it becomes 0/0. Use each row's own."""
    got = answer(torch.tensor([[1000.0, 999.0], [0.0, 1.0]]))
    return not got[1].isnan().any() if large_scores(answer) else None


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
    mistakes=(softmax_all,),
    cases=softmax_cases,
    properties=properties(positive, rows_sum_to_one, exponentials, large_scores, rows_far_apart),
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
    ]


LABELS = torch.tensor([2, 0, 2])
BATCHES = (SCORES, 2 * SCORES.flip(0))


def own(log_p):
    """The number of each row's label."""
    return log_p[torch.arange(3), LABELS]


def losses(answer):
    """What came for two batches of three examples."""
    return torch.stack([answer(logits, LABELS) for logits in BATCHES])


def losses_of(terms, reduce, factor):
    """The losses of the two batches by a choice of one's own."""
    return factor * torch.stack([reduce(terms(logits)) for logits in BATCHES])


CROSS_ENTROPY_RULES = composed(
    losses,
    losses_of,
    {
        "Each row counts by the log-softmax of its own label.": lambda logits: own(
            logits.log_softmax(-1)
        ),
        "It takes the raw scores of the labels: the log-softmax is missing.": own,
        "The logarithm is missing: -log p(label).": lambda t: own(t.softmax(-1)),
        "It applies the softmax twice.": lambda t: own(t.softmax(-1).log_softmax(-1)),
        "The softmax runs over the examples, not the classes.": lambda t: own(t.log_softmax(0)),
        "It averages over all classes: only the label counts.": lambda t: t.log_softmax(-1),
        "It takes every label's column from every row: pair each row with its own label.": (
            lambda t: t.log_softmax(-1)[:, LABELS]
        ),
        "It uses the labels as row numbers: they say which column counts in each row.": (
            lambda t: t.log_softmax(-1)[LABELS]
        ),
    },
    {"Take the mean.": torch.mean, "It is the sum over the examples.": (torch.sum)},
    {
        "The loss is minus the natural logarithm.": -1,
        "It lacks the minus sign: a loss that falls below 0.": 1,
        "It is in bits: take the natural logarithm.": -1 / math.log(2),
        "It is in bits, and lacks the minus sign.": 1 / math.log(2),
    },
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
    properties=CROSS_ENTROPY_RULES,
    see="Refresher: cross-entropy",
)

"""What a reader of stories knows without a label: how likely a hypothesis is behind its premise.

Two ways to turn log p(hypothesis | premise) into a label, with no weight changed: rank the
premises of each hypothesis, or set two thresholds with a few labelled pairs.
"""

import itertools
from collections import defaultdict

import torch

from tutorial_lib.datasets.premises import LABELS
from tutorial_lib.objectives import shifted
from tutorial_lib.recipes.premise_readers import START, encode, padded, targets


@torch.no_grad()
def likelihoods(gpt, pairs):
    """Return log p(hypothesis | premise) in nats, (N,), of a GPT that has read stories only."""
    firsts = [encode(f"{START} {pair.premise} .") for pair in pairs]
    ids, mask = padded(
        [first + encode(f"{pair.hypothesis} .") for first, pair in zip(firsts, pairs, strict=True)]
    )
    inputs, following = shifted(ids)
    log_p = gpt(inputs).log_softmax(dim=-1).gather(-1, following[..., None])[..., 0]  # (N, T - 1)
    starts = torch.tensor([len(first) for first in firsts])
    asked = (torch.arange(ids.size(1)) >= starts[:, None]) & mask  # (N, T)
    return (log_p * asked[:, 1:]).sum(dim=1)


def ranked(gpt, pairs):
    """Return the accuracy of sorting, for each hypothesis, its premises by likelihood: no label.

    The first third is called entailment, the second neutral, the last contradiction; that each
    hypothesis has equally many of each label is all that is known. pairs: balanced ones.
    """
    by_hypothesis = defaultdict(list)
    for pair, likelihood in zip(pairs, likelihoods(gpt, pairs).tolist(), strict=True):
        by_hypothesis[pair.hypothesis].append((-likelihood, pair.label))
    right = 0
    for found in by_hypothesis.values():
        guesses = [label for label in LABELS for _ in range(len(found) // len(LABELS))]
        right += sum(
            label == guess for (_, label), guess in zip(sorted(found), guesses, strict=True)
        )
    return right / len(pairs)


def set_thresholds(log_p, wanted):
    """Return the pair (low, high) that is right most often; a later pair wins a tie.

    log_p (N,) as of `likelihoods`, wanted (N,) places in LABELS. Every third value is tried.

    >>> log_p = torch.tensor([-9.0, -8.0, -7.0, -6.0, -5.0, -4.0, -1.0])
    >>> set_thresholds(log_p, torch.tensor([2, 2, 2, 1, 1, 1, 0]))
    (-6.0, -1.0)
    """
    edges = log_p.sort().values[::3]
    best = max(
        ((by_thresholds(log_p, low, high) == wanted).sum().item(), low.item(), high.item())
        for low, high in itertools.combinations(edges, 2)
    )
    return best[1:]


def by_thresholds(log_p, low, high):
    """Return a place in LABELS for each log p: entailment from high on, contradiction below low.

    >>> by_thresholds(torch.tensor([-1.0, -5.0, -9.0]), low=-8, high=-2)
    tensor([0, 1, 2])
    """
    return 1 + (log_p < low).long() - (log_p >= high).long()


def thresholded(gpt, train, test):
    """Return the accuracy on test of two thresholds set with train; both PremisePairs."""
    return thresholded_by(lambda pairs: likelihoods(gpt, pairs), train, test)


def thresholded_by(score, train, test):
    """Return the accuracy on test of two thresholds on a score, set with train.

    score takes PremisePairs and returns (N,), high where entailment is to be said: `likelihoods`,
    or a control that knows less.
    """
    low, high = set_thresholds(score(train), targets(train, "head"))
    right = by_thresholds(score(test), low, high) == targets(test, "head")
    return right.double().mean().item()

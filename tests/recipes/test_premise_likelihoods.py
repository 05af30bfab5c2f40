import pytest
import torch
from premise_pairs import LONG, PAIR, untrained_gpt

from tutorial_lib.datasets.premises import LABELS, balanced_pairs
from tutorial_lib.recipes import premise_likelihoods
from tutorial_lib.recipes.premise_likelihoods import (
    by_thresholds,
    likelihoods,
    ranked,
    set_thresholds,
    thresholded,
    thresholded_by,
)
from tutorial_lib.recipes.premise_readers import encode


@pytest.fixture
def gpt():
    return untrained_gpt()


def test_the_likelihood_is_that_of_the_hypothesis_behind_the_premise(gpt):
    rows = [encode(f"<start> {p.premise} . {p.hypothesis} .") for p in (PAIR, LONG)]
    with torch.no_grad():
        for row, pair, found in zip(
            rows, (PAIR, LONG), likelihoods(gpt, [PAIR, LONG]), strict=True
        ):
            log_p = gpt(torch.tensor([row])).log_softmax(dim=-1)[0]
            start = len(pair.premise.split()) + 2
            terms = [log_p[place - 1, row[place]] for place in range(start, len(row))]
            assert len(terms) == len(pair.hypothesis.split()) + 1
            torch.testing.assert_close(found, sum(terms), atol=1e-4, rtol=1e-4)


def test_ranking_takes_the_likeliest_premise_for_entailment(gpt, monkeypatch):
    pairs = balanced_pairs(9, 90).test
    best = torch.tensor([-float(LABELS.index(pair.label)) for pair in pairs])
    monkeypatch.setattr(premise_likelihoods, "likelihoods", lambda gpt, pairs: best)
    assert ranked(gpt, pairs) == 1.0
    monkeypatch.setattr(premise_likelihoods, "likelihoods", lambda gpt, pairs: -best)
    assert ranked(gpt, pairs) == pytest.approx(1 / 3)


def test_the_thresholds_are_the_best_of_all_that_are_tried():
    log_p = torch.randn(30, generator=torch.Generator().manual_seed(0))
    wanted = torch.randint(0, 3, (30,), generator=torch.Generator().manual_seed(1))
    low, high = set_thresholds(log_p, wanted)
    assert low < high
    right = (by_thresholds(log_p, low, high) == wanted).sum()
    edges = log_p.sort().values[::3].tolist()
    for one in edges:
        for other in edges:
            if one < other:
                assert (by_thresholds(log_p, one, other) == wanted).sum() <= right


def test_a_value_on_a_threshold_belongs_above_it():
    assert by_thresholds(torch.tensor([-8.0, -2.0]), low=-8.0, high=-2.0).tolist() == [1, 0]


def test_thresholds_are_set_on_one_part_and_measured_on_the_other(gpt, monkeypatch):
    train, _, test = balanced_pairs(90, 90)
    known = {id(train): 0.0, id(test): 0.0}

    def likely(gpt, pairs):
        spread = torch.linspace(0, 0.5, len(pairs))
        return (
            -torch.tensor([float(LABELS.index(p.label)) for p in pairs]) + known[id(pairs)] - spread
        )

    monkeypatch.setattr(premise_likelihoods, "likelihoods", likely)
    assert thresholded(gpt, train, test) > 0.95
    known[id(test)] = -10.0  # all the test part lies below both
    assert thresholded(gpt, train, test) == pytest.approx(1 / 3)


def test_half_a_balanced_pair_scores_no_better_than_a_guess():
    pairs = balanced_pairs(90, 90)
    for half in ("premise", "hypothesis"):

        def length(rows, half=half):
            return torch.tensor([len(getattr(row, half).split()) for row in rows])

        assert thresholded_by(length, pairs.train, pairs.test) == pytest.approx(1 / 3)

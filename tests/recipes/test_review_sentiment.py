import pytest
import torch
from easy_reviews import TOKENIZER, reviews

from tutorial_lib import recipes
from tutorial_lib.datasets import load_reviews, minilm_folder
from tutorial_lib.datasets.reviews import Review
from tutorial_lib.models import BERT
from tutorial_lib.recipes import review_sentiment
from tutorial_lib.recipes.review_sentiment import (
    SETTINGS,
    SMOKE,
    from_scratch,
    frozen,
    majority,
    tf_idf,
)


def test_the_simple_ways_on_reviews_that_are_easy_or_hopeless():
    train, validation, test = reviews(60), reviews(40, 1), reviews(30, 2)
    assert majority(train[:5], validation, test, 0) == [
        {"validation_accuracy": 0.5, "test_accuracy": 0.5}
    ]
    (words,) = tf_idf([1.0], train, validation, test, 0)
    assert words == {"strength": 1.0, "validation_accuracy": 1.0, "test_accuracy": 1.0}
    told = {r: torch.tensor([[0.0, 0.0], [1.0, r.label]]) for r in (*train, *validation, *test)}
    blind, seeing = frozen([1.0], told, train, validation, test, 0)
    assert (blind["layer"], blind["test_accuracy"]) == (0, 0.5)
    assert (seeing["layer"], seeing["test_accuracy"]) == (1, 1.0)


def test_the_test_part_chooses_nothing():
    train, validation, test = load_reviews()
    parts = train[:300], validation[:200]
    flipped = [Review(review.text, 1 - review.label, review.film) for review in test[:200]]
    strengths = SETTINGS["strengths"]
    (row,) = tf_idf(strengths, *parts, test[:200], 0)
    (other,) = tf_idf(strengths, *parts, flipped, 0)
    assert row["test_accuracy"] == pytest.approx(1 - other["test_accuracy"])
    for key in ("strength", "validation_accuracy"):
        assert row[key] == other[key]


def test_a_model_from_scratch_has_nothing_of_the_pretrained_one(monkeypatch):
    seen = {}

    def keep(untrained, tokenizer, train, settings, *rest):
        seen.update(untrained=untrained, lr=settings["lr"])

    monkeypatch.setattr(review_sentiment, "learn", keep)
    part = reviews(3)
    from_scratch(SMOKE, TOKENIZER, False, part, part, part, 0)
    pretrained = BERT.from_pretrained(minilm_folder())
    ours = seen["untrained"]
    weight = ours.blocks[0].feed_forward.hidden.weight
    assert weight.shape == pretrained.blocks[0].feed_forward.hidden.weight.shape
    assert weight.std().item() == pytest.approx(0.02, rel=0.02)
    assert seen["lr"] == SETTINGS["from_scratch"]["lr"]


def mean(rows, **wanted):
    values = [row["test_accuracy"] for row in rows if wanted.items() <= row.items()]
    assert len(values) == len(SETTINGS["seeds"])
    return sum(values) / len(values)


def test_what_the_table_shows():
    rows = recipes.load_result("review-sentiment")["rows"]
    all_labels = {"n_labels": 4_000}
    tuned = mean(rows, model="fine-tuned", **all_labels)
    frozen_rows = [row for row in rows if row["model"] == "frozen" and row["n_labels"] == 4_000]
    best = max(frozen_rows, key=lambda row: row["validation_accuracy"])["layer"]
    held = mean(rows, model="frozen", layer=best, **all_labels)
    words = mean(rows, model="TF-IDF", **all_labels)
    scratch = mean(rows, model="from scratch", **all_labels)
    assert tuned >= 0.82
    assert tuned - 0.03 > held > words > mean(rows, model="majority", **all_labels) + 0.1
    assert tuned - 0.08 > scratch
    # 250 labels and a pre-trained encoder are about as good as 4,000 without one.
    assert mean(rows, model="fine-tuned", n_labels=250) > mean(rows, model="TF-IDF", n_labels=250)
    curve = [mean(rows, model="fine-tuned", n_labels=n) for n in SETTINGS["n_labels"]]
    assert curve == sorted(curve)

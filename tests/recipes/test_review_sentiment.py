import random

import pytest
import torch

from tutorial_lib import recipes
from tutorial_lib.datasets import load_reviews, minilm_folder
from tutorial_lib.datasets.reviews import Review
from tutorial_lib.models import BERT, BERTConfig
from tutorial_lib.recipes import review_sentiment
from tutorial_lib.recipes.review_sentiment import (
    SETTINGS,
    SMOKE,
    ReviewBatches,
    freeze_embeddings,
    from_scratch,
    frozen,
    frozen_features,
    guess,
    learn,
    majority,
    tf_idf,
)
from tutorial_lib.tokenizers import WordPieceTokenizer

WORDS = ["good", "bad", "a", "film", "very", "and", "the"]
TOKENIZER = WordPieceTokenizer(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS])


def reviews(n, seed=0):
    """n reviews of different length: "good" makes one fresh, "bad" rotten."""
    draw = random.Random(seed)
    made = []
    for i in range(n):
        words = draw.choices(WORDS[2:], k=draw.randint(1, 9))
        words.insert(draw.randint(0, len(words)), WORDS[1 - i % 2])
        made.append(Review(" ".join(words), i % 2, f"film {seed} {i}"))
    return tuple(made)


def model(**changes):
    torch.manual_seed(0)
    sizes = {"vocab_size": 12, "context": 16, "d_model": 16, "n_layers": 2, "n_heads": 2}
    return BERT(BERTConfig(**sizes, n_classes=2, pooling="mean", **changes)).eval()


def test_batches_hold_every_review_once_a_pass_and_start_from_the_seed():
    part = reviews(40)
    batches = ReviewBatches(part, TOKENIZER, batch_size=8, seed=0)
    one_pass = [batch for batch, _ in zip(batches, range(5), strict=False)]
    seen = sorted(
        (ids[mask].tolist(), label.item())
        for batch in one_pass
        for ids, mask, label in zip(*batch, strict=True)
    )
    assert seen == sorted((TOKENIZER.encode(r.text).ids, r.label) for r in part)
    for _, mask, _ in one_pass:
        assert (mask.sum(1).max() == mask.size(1)).item()
    padding = sum((~mask).sum().item() for _, mask, _ in one_pass)
    assert padding < 0.1 * sum(mask.numel() for _, mask, _ in one_pass)
    for ours, again in zip(one_pass[0], next(iter(batches)), strict=True):
        assert torch.equal(ours, again)
    other = next(iter(ReviewBatches(part, TOKENIZER, batch_size=8, seed=1)))
    assert not torch.equal(one_pass[0][0], other[0])


def test_features_are_the_means_of_each_layer_in_the_order_of_the_reviews():
    part = reviews(70)
    encoder = model()
    features = frozen_features(encoder, TOKENIZER, part)
    assert features.shape == (3, 70, 16)
    for place in (0, 17, 69):
        ids = torch.tensor([TOKENIZER.encode(part[place].text).ids])
        for layer, states in enumerate(encoder.hidden_states(ids)):
            expected = states[0].mean(0)
            torch.testing.assert_close(features[layer, place], expected, atol=1e-5, rtol=0)


def test_a_guess_does_not_depend_on_the_other_reviews():
    part = reviews(60)
    labels = guess(model(), TOKENIZER, part)
    alone = torch.cat([guess(model(), TOKENIZER, [review]) for review in part])
    assert torch.equal(labels, alone)


def test_training_learns_which_word_decides_and_leaves_frozen_embeddings_alone():
    settings = SMOKE | {"passes": 1, "least_steps": 150, "lr": 3e-3}
    classifier = model()
    freeze_embeddings(classifier)
    before = {name: tensor.clone() for name, tensor in classifier.state_dict().items()}
    learn(classifier, TOKENIZER, reviews(200), settings, seed=0, progress=False)
    unseen = reviews(100, seed=1)
    right = guess(classifier, TOKENIZER, unseen) == torch.tensor([r.label for r in unseen])
    assert right.double().mean() > 0.97
    same = {name for name, tensor in classifier.state_dict().items() if tensor.equal(before[name])}
    names = ("token_embedding.", "segment_embedding.", "position_embedding.", "embedding_norm.")
    assert same == {name for name in before if name.startswith(names)}


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

import torch
from easy_reviews import TOKENIZER, reviews

from tutorial_lib.models import BERT, BERTConfig
from tutorial_lib.recipes.review_classifier import (
    ReviewBatches,
    count_words,
    freeze_embeddings,
    fresh,
    frozen_features,
    guess,
    learn,
)
from tutorial_lib.recipes.review_sentiment import SMOKE


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


def test_how_fresh_a_text_is_agrees_with_the_guess():
    part, judge = reviews(30), model()
    shares = fresh(judge, judge.sequence_head, TOKENIZER, [review.text for review in part])
    assert shares.shape == (30,)
    assert torch.equal((shares > 0.5).long(), guess(judge, TOKENIZER, part))


def test_word_counts_are_judged_by_seen_and_by_new_reviews():
    seen, on_new = count_words(reviews(200), reviews(100, seed=1))
    assert seen > 0.8
    assert on_new > 0.6

"""A BERT that tells fresh reviews from rotten ones: its batches, its training, what it says."""

import random

import torch
import torch.nn.functional as F
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from tutorial_lib.embeddings import in_batches
from tutorial_lib.models.bert_heads import mean_pool
from tutorial_lib.recipes.translator import chunks, padded
from tutorial_lib.training import fit


def freeze_embeddings(model):
    """Keep fit from changing what the first layer of a BERT reads.

    4,000 sentences hold a small part of the words: were their vectors moved, those of the words
    in other sentences would stay behind.
    """
    for name in ("token_embedding", "segment_embedding", "position_embedding", "embedding_norm"):
        if getattr(model, name) is not None:  # a DistilBERT has no segments
            getattr(model, name).requires_grad_(False)


def learn(model, tokenizer, train, settings, seed, progress=True):
    """Train a BERT with n_classes on reviews, with AdamW as BERT's authors fine-tune.

    settings: batch_size, passes over the reviews, least_steps, lr.
    """
    n_steps = round(settings["passes"] * len(train) / settings["batch_size"])
    return fit(
        model,
        ReviewBatches(train, tokenizer, settings["batch_size"], seed),
        sentiment_loss,
        steps=max(n_steps, settings["least_steps"]),
        lr=settings["lr"],
        betas=(0.9, 0.999),
        seed=seed,
        device="cpu",
        progress=progress,
    )


def sentiment_loss(model, batch):
    """Return the cross-entropy of a batch (ids (B, T), mask (B, T), labels (B,))."""
    ids, mask, labels = batch
    return F.cross_entropy(model.sequence_logits(model(ids, mask=mask), mask), labels)


class ReviewBatches:
    """Endless batches (ids (B, T), mask (B, T), labels (B,)) of reviews of similar length.

    Shuffled, then sorted by length within every 50 batches, so that little is padding. Every
    `iter` starts from the seed.
    """

    def __init__(self, reviews, tokenizer, batch_size, seed):
        self.rows = [(tokenizer.encode(review.text).ids, review.label) for review in reviews]
        self.pad_id, self.batch_size, self.seed = tokenizer.pad_id, batch_size, seed

    def __iter__(self):
        generator = random.Random(self.seed)
        while True:
            order = generator.sample(self.rows, len(self.rows))
            for pool in chunks(order, 50 * self.batch_size):
                pool.sort(key=lambda row: len(row[0]))
                batches = chunks(pool, self.batch_size)
                generator.shuffle(batches)
                for batch in batches:
                    ids = padded([ids for ids, _ in batch], self.pad_id)
                    yield ids, ids != self.pad_id, torch.tensor([label for _, label in batch])


def frozen_features(model, tokenizer, reviews):
    """Return the mean of the tokens before the first layer and after each: (L + 1, N, D)."""

    def of_each_layer(ids, mask):
        return torch.stack(
            [mean_pool(states, mask) for states in model.hidden_states(ids, mask=mask)]
        )

    return in_batches(of_each_layer, tokenizer, [review.text for review in reviews], dim=1)


def guess(model, tokenizer, reviews):
    """Return the label (N,) that a BERT with n_classes gives to each review."""

    def labels(ids, mask):
        return model.sequence_logits(model(ids, mask=mask), mask).argmax(-1)

    return in_batches(labels, tokenizer, [review.text for review in reviews])


def fresh(body, head, tokenizer, texts):
    """Return how probably each text is fresh, (N,), by a head of two classes over mean vectors."""

    def of_batch(ids, mask):
        return head(mean_pool(body(ids, mask=mask), mask)).softmax(dim=-1)[:, 1]  # (B,)

    return in_batches(of_batch, tokenizer, texts)


def word_counts(train, *others, longest):
    """Return TF-IDF's counts of train and of others: of words, with longest=2 of pairs, too."""
    counter = TfidfVectorizer(ngram_range=(1, longest), sublinear_tf=True)
    counter.fit([review.text for review in train])
    return [counter.transform([review.text for review in part]) for part in (train, *others)]


def linear_classifier(seen, reviews, strength):
    """Return a classifier fitted to what is seen, (N, D), as freely as strength (C) allows."""
    labels = [review.label for review in reviews]
    return LogisticRegression(C=strength, max_iter=2_000).fit(seen, labels)


def count_words(train, test):
    """Return the shares of train and of test that counts of words and pairs judge right."""
    seen, new = word_counts(train, test, longest=2)
    classifier = linear_classifier(seen, train, strength=10.0)
    pairs = ((seen, train), (new, test))
    return tuple(classifier.score(x, [review.label for review in part]) for x, part in pairs)

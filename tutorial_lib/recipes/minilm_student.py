"""Chapter 08a: MiniLM, itself a distilled BERT, taught once more: three of its six layers.

The "teacher" is MiniLM, fine-tuned on a thousand labelled film reviews. All students start with
three of its layers as MiniLM came, and have its width. "taught" learns from what the teacher says
of many reviews without a label, at a temperature; "labels alone" has no teacher and reads the
thousand. Its number of passes is chosen by validation from a list; so is the teacher's.
"""

import random
import time

import torch

from tutorial_lib.datasets import load_reviews, minilm_folder
from tutorial_lib.models import BERT, DistilBERT, count_parameters
from tutorial_lib.objectives import soft_target_loss
from tutorial_lib.recipes import review_sentiment, share_of_true
from tutorial_lib.recipes.masks_and_students import tell
from tutorial_lib.recipes.review_classifier import (
    ReviewBatches,
    freeze_embeddings,
    guess,
    learn,
)
from tutorial_lib.tokenizers import WordPieceTokenizer
from tutorial_lib.training import fit, set_seed

SETTINGS = {
    "seeds": [0, 1, 2],
    "n_labels": 1_000,
    "n_read": 6_000,  # reviews without a label
    "n_measured": 1_000,  # of the validation part and of the test part
    "layers": [0, 2, 4],
    "batch_size": 16,
    "least_steps": 1,
    "passes": [2, 4],
    "lr": 1e-4,
    "temperature": 2.0,
}
SMOKE = SETTINGS | {
    "seeds": [0],
    "n_labels": 16,
    "n_read": 16,
    "n_measured": 20,
    "passes": [1],
}


def fine_tuned(begin, tokenizer, train, validation, settings, seed):
    """Return the model of `begin` fine-tuned on labelled reviews, and the passes it took.

    Trained once for each number of passes; the one best on validation is returned.
    """
    found = []
    for passes in settings["passes"]:
        set_seed(seed)
        model = begin().with_heads(n_classes=2, pooling="mean")
        freeze_embeddings(model)
        learn(model, tokenizer, train, settings | {"passes": passes}, seed, progress=False)
        found.append((accuracy(model, tokenizer, validation), -passes, model))
    best = max(found, key=lambda one: one[:2])
    return best[2], -best[1]


def taught(begin, teacher, tokenizer, reviews, n_steps, settings, seed):
    """Return the model of `begin` after learning from what its teacher says of reviews."""
    set_seed(seed)
    student = begin().with_heads(n_classes=2, pooling="mean")
    freeze_embeddings(student)

    def loss(student, batch):
        ids, mask, _ = batch
        with torch.no_grad():
            soft = teacher.sequence_logits(teacher(ids, mask=mask), mask)
        said = student.sequence_logits(student(ids, mask=mask), mask)
        return soft_target_loss(said, soft, settings["temperature"])

    batches = ReviewBatches(reviews, tokenizer, settings["batch_size"], seed)
    options = {"lr": settings["lr"], "betas": (0.9, 0.999), "device": "cpu", "progress": False}
    fit(student, batches, loss, steps=n_steps, seed=seed, **options)
    return student.eval()


def accuracy(model, tokenizer, reviews):
    """Return how often a classifier is right about reviews."""
    labels = torch.tensor([review.label for review in reviews])
    return share_of_true(guess(model, tokenizer, reviews) == labels)


@torch.no_grad()
def ms_per_review(model, tokenizer, reviews):
    """Return the milliseconds of CPU that one review takes, read one by one."""
    rows = [torch.tensor([tokenizer.encode(review.text).ids]) for review in reviews[:200]]
    model(rows[0])
    begun_at = time.process_time()
    for ids in rows:
        model(ids)
    return 1000 * (time.process_time() - begun_at) / len(rows)


def run(settings, progress=True):
    """Fine-tune the teacher, teach the students and measure them; return the rows."""
    train, validation, test = load_reviews(settings["n_read"])
    validation, test = (part[: settings["n_measured"]] for part in (validation, test))
    tokenizer = WordPieceTokenizer.from_pretrained(minilm_folder())
    minilm = BERT.from_pretrained(minilm_folder())

    def whole():
        return BERT.from_pretrained(minilm_folder())

    def half():
        return DistilBERT.from_teacher(minilm, settings["layers"])

    rows = []
    for seed in settings["seeds"]:
        labelled = random.Random(seed).sample(train, settings["n_labels"])
        teacher, passes = fine_tuned(whole, tokenizer, labelled, validation, settings, seed)
        alone, alone_passes = fine_tuned(half, tokenizer, labelled, validation, settings, seed)
        n_steps = max(1, len(train) // settings["batch_size"])
        found = {
            "teacher": (teacher, {"passes": passes}),
            "labels alone": (alone, {"passes": alone_passes}),
        }
        student = taught(half, teacher, tokenizer, train, n_steps, settings, seed)
        found["taught"] = (student, {"passes": 1})
        for name, (model, took) in found.items():
            row = {"model": name, "seed": seed, **took}
            row |= {"parameters": count_parameters(model), "layers": model.config.n_layers}
            row["validation_accuracy"] = accuracy(model, tokenizer, validation)
            row["test_accuracy"] = accuracy(model, tokenizer, test)
            row["ms_per_review"] = round(ms_per_review(model, tokenizer, test), 2)
            rows.append(row)
            tell(row, progress)
    return {"rows": rows}


data_bytes = review_sentiment.data_bytes

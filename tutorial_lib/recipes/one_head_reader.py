"""Chapter 02: one attention head without positions, trained to the ceiling of 64.0 %.

Training and test set are the same 900 numbers, on purpose: the ceiling says what a reader blind
to word order can represent at all, so even by heart it cannot do better.
"""

import torch
from torch import nn

from tutorial_lib.datasets import numbers_in_words
from tutorial_lib.models.one_head import OneHeadReader
from tutorial_lib.recipes import train_on_cpu
from tutorial_lib.training import set_seed

SETTINGS = {"seed": 0, "steps": 2000, "batch_size": 100, "d_model": 32, "lr": 3e-3}
SMOKE = SETTINGS | {"steps": 3}


def train(settings, progress=True):
    """Train the reader on all numbers from 100 to 999."""
    data = numbers_in_words()
    set_seed(settings["seed"])
    model = OneHeadReader(len(data.vocabulary), settings["d_model"])
    train_on_cpu(model, data.batches(settings["batch_size"]), reading_loss, settings, progress)
    return model


def reading_loss(model, batch):
    """Return the cross-entropy of the hundreds digit for a batch (ids, lengths, digits)."""
    ids, lengths, digits = batch
    return nn.functional.cross_entropy(model(ids, lengths), digits)


def evaluate(model):
    """Return the share of hundreds digits read right over 100..999."""
    data = numbers_in_words()
    with torch.no_grad():
        right = model(data.ids, data.lengths).argmax(-1) == data.digits
    return {"accuracy": right.sum().item() / len(data)}


def data_bytes():
    """Return the training data as bytes, for its hash in the card."""
    data = numbers_in_words()
    lines = [f"{value} {' '.join(data.words(i))}" for i, value in enumerate(data.values.tolist())]
    return "\n".join(lines).encode()

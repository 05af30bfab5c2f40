"""Chapter 07: a ViT against a small convolutional network, on 100 to 3,500 digits.

A convolution is told that neighbours belong together and that a stroke is the same stroke
wherever it stands; a ViT has to find both out. Both get the same pictures, the same small changes
of them, the same steps and the same optimizer; the learning rate of each is chosen by the
validation part, with a seed of its own and a middling number of pictures.
"""

import time

import torch
from torch import nn

from tutorial_lib.datasets import load_mnist
from tutorial_lib.recipes import mnist_vit
from tutorial_lib.recipes.mnist_vit import DigitBatches, accuracy, digit_loss
from tutorial_lib.training import fit, set_seed

SETTINGS = mnist_vit.SETTINGS | {
    "seeds": [0, 1, 2],
    "models": ["ViT", "CNN"],
    "n_images": [100, 300, 1_000, 3_500],
    "steps": 600,
    "rates": [1.5e-3, 3e-3, 6e-3],
    "choice": {"seed": 10, "n_images": 1_000},
}
del SETTINGS["seed"], SETTINGS["stored_as"], SETTINGS["lr"]
SMOKE = SETTINGS | {
    "seeds": [0],
    "n_images": [100],
    "sizes": mnist_vit.SMOKE["sizes"],
    "steps": 2,
    "rates": [3e-3],
}


def small_cnn(n_classes=10):
    """Return three convolutions, each followed by a norm and a smaller picture, and a linear map.

    images (B, 1, 28, 28) -> logits (B, n_classes).

    >>> small_cnn()(torch.zeros(2, 1, 28, 28)).shape
    torch.Size([2, 10])
    """
    layers, channels = [], 1
    for width in (32, 64, 128):
        layers += [
            nn.Conv2d(channels, width, kernel_size=3, padding=1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(),
            nn.MaxPool2d(2),
        ]
        channels = width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, n_classes))


def run(settings, progress=True):
    """Choose each model's learning rate, then train it on each number of pictures with each seed.

    `choices` has a row for each model and rate tried, `rows` one for each model, number and seed.
    """
    splits = load_mnist()
    choice = settings["choice"]
    choices, rows = [], []
    for name in settings["models"]:
        tried = [
            _row(name, choice["n_images"], choice["seed"], lr, settings, splits, progress)
            for lr in settings["rates"]
        ]
        best = max(tried, key=lambda row: row["validation_accuracy"])["lr"]
        choices += tried
        rows += [
            _row(name, n_images, seed, best, settings, splits, progress)
            for n_images in settings["n_images"]
            for seed in settings["seeds"]
        ]
    return {"rows": rows, "choices": choices}


def _row(name, n_images, seed, lr, settings, splits, progress):
    set_seed(seed)
    model = mnist_vit.build(settings) if name == "ViT" else small_cnn()
    # The parts go round the ten digits, so any beginning of them is balanced; each seed has others.
    start = seed * n_images % len(splits.train)
    rows = torch.arange(start, start + n_images) % len(splits.train)
    started = time.process_time()
    fit(
        model,
        DigitBatches(splits.train.select(rows), settings | {"seed": seed}),
        digit_loss,
        steps=settings["steps"],
        lr=lr,
        seed=seed,
        device="cpu",
        progress=progress,
    )
    seconds = time.process_time() - started
    model.eval()
    return {
        "model": name,
        "n_images": n_images,
        "seed": seed,
        "lr": lr,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "cpu_seconds": round(seconds, 1),
        "validation_accuracy": accuracy(model, splits.validation),
        "accuracy": accuracy(model, splits.test),
    }

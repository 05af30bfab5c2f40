"""Chapter 07: a ViT against a small convolutional network, on 100 to 3,500 digits.

A convolution is told that neighbours belong together and that a stroke is the same stroke
wherever it stands; a ViT has to find both out. Both get the same pictures, the same small changes
of them, the same steps and the same optimizer; the learning rate of each is chosen by the
validation part, with a seed of its own and a middling number of pictures.
"""

from torch import nn

from tutorial_lib.datasets import load_mnist
from tutorial_lib.recipes import mnist_vit
from tutorial_lib.recipes.mnist_vit import learn_and_measure, some_digits
from tutorial_lib.training import set_seed

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


data_bytes = mnist_vit.data_bytes


def small_cnn(n_classes=10):
    """Return three convolutions, each followed by a norm and a smaller picture, and a linear map.

    images (B, 1, 28, 28) -> logits (B, n_classes).

    >>> import torch
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
    choice = settings["choice"]
    choices, rows = [], []
    for name in settings["models"]:
        tried = [
            _row(name, choice["n_images"], choice["seed"], lr, settings, progress)
            for lr in settings["rates"]
        ]
        best = max(tried, key=lambda row: row["validation_accuracy"])["lr"]
        choices += tried
        rows += [
            _row(name, n_images, seed, best, settings, progress)
            for n_images in settings["n_images"]
            for seed in settings["seeds"]
        ]
    return {"rows": rows, "choices": choices}


def _row(name, n_images, seed, lr, settings, progress):
    set_seed(seed)
    model = mnist_vit.build(settings) if name == "ViT" else small_cnn()
    about = settings | {"seed": seed, "lr": lr}
    digits = some_digits(load_mnist().train, n_images, seed)
    found = learn_and_measure(model, digits, about, progress)
    return {"model": name, "n_images": n_images, "seed": seed, "lr": lr} | found

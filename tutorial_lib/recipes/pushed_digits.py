"""Chapter 07: digits pushed off the centre, read by a ViT and by small convolutional networks.

They learn from digits that are centred, up to a move of two pixels, and then read test digits that
are pushed further to the right. The learning rates are those that `vit-against-cnn` chose. A third
model is the control: the same convolutions, but its last layer reads all positions in place of
their mean, so that it shows what the mean alone is worth. It learns at the rate of the CNN.
"""

from torch import nn
from torch.nn import functional as F

from tutorial_lib.datasets import load_mnist
from tutorial_lib.datasets.mnist import Digits
from tutorial_lib.recipes import mnist_vit
from tutorial_lib.recipes.mnist_vit import accuracy, learn
from tutorial_lib.recipes.vit_against_cnn import small_cnn
from tutorial_lib.training import set_seed

SETTINGS = mnist_vit.SETTINGS | {
    "seeds": [0, 1, 2],
    "rates": {"ViT": 1.5e-3, "CNN": 6e-3, "CNN without the mean": 6e-3},
    "steps": 600,
    "pixels": [0, 1, 2, 3, 4, 5, 6],
}
del SETTINGS["seed"], SETTINGS["stored_as"], SETTINGS["lr"]
SMOKE = SETTINGS | {
    "seeds": [0],
    "sizes": mnist_vit.SMOKE["sizes"],
    "steps": 2,
    "pixels": [0, 4],
}

data_bytes = mnist_vit.data_bytes


def push(digits, pixels):
    """Return `Digits` moved to the right by whole pixels; what leaves the picture is lost.

    >>> import torch
    >>> one = Digits(torch.tensor([[[[1.0, 2.0, 3.0]]]]), torch.tensor([1]))
    >>> push(one, 1).images.flatten().tolist()
    [0.0, 1.0, 2.0]
    """
    width = digits.images.size(-1)
    return Digits(F.pad(digits.images, (pixels, 0))[..., :width], digits.labels)


def flat_cnn(n_classes=10):
    """Return `small_cnn` whose last layer reads all 3 x 3 positions instead of their mean.

    images (B, 1, 28, 28) -> logits (B, n_classes).

    >>> import torch
    >>> flat_cnn()(torch.zeros(2, 1, 28, 28)).shape
    torch.Size([2, 10])
    """
    *convolutions, _mean, flatten, classifier = small_cnn(n_classes)
    return nn.Sequential(*convolutions, flatten, nn.Linear(9 * classifier.in_features, n_classes))


def run(settings, progress=True):
    """Train each model with each seed; a row for each model, seed and push."""
    build = {
        "ViT": lambda: mnist_vit.build(settings),
        "CNN": small_cnn,
        "CNN without the mean": flat_cnn,
    }
    splits = load_mnist()
    rows = []
    for name, lr in settings["rates"].items():
        for seed in settings["seeds"]:
            set_seed(seed)
            model = build[name]()
            learn(model, splits.train, settings | {"seed": seed, "lr": lr}, progress)
            rows += [
                {
                    "model": name,
                    "seed": seed,
                    "pixels": pixels,
                    "accuracy": accuracy(model, push(splits.test, pixels)),
                }
                for pixels in settings["pixels"]
            ]
    return {"rows": rows}

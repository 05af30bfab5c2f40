"""Chapter 07: what the choices of a ViT do to its reading of digits, each changed alone.

The checkpoint's ViT with one thing changed at a time: how the whole picture is read off ([CLS] or
the mean of the patches), how it is cut, and how a patch learns where it stands; for relative
positions also how fast their numbers move. All get the same steps, a third of the checkpoint's;
three seeds each. Choices are made on the validation part.
"""

from torch import nn
from torch.nn.utils.parametrize import register_parametrization

from tutorial_lib.datasets import load_mnist
from tutorial_lib.models.vit import POSITIONS
from tutorial_lib.recipes import mnist_vit
from tutorial_lib.recipes.mnist_vit import build, learn_and_measure
from tutorial_lib.training import set_seed

CHOICES = {
    "pooling": {"cls": {"pooling": "cls"}, "mean": {"pooling": "mean"}},
    "patches": {
        "4": {"patch_size": 4, "overlap": 0},
        "7": {"patch_size": 7, "overlap": 0},
        "7, 3 shared": {"patch_size": 7, "overlap": 3},
    },
    "positions": {scheme: {"positions": scheme} for scheme in POSITIONS},
    "relative, faster": {
        f"{times} times": {"positions": "relative", "times": times} for times in (1, 10, 30)
    },
}
SETTINGS = mnist_vit.SETTINGS | {
    "seeds": [0, 1, 2],
    "steps": 650,
    "choices": {choice: list(values) for choice, values in CHOICES.items()},
}
del SETTINGS["seed"], SETTINGS["stored_as"]
SMOKE = SETTINGS | {"seeds": [0], "sizes": mnist_vit.SMOKE["sizes"], "steps": 2}


data_bytes = mnist_vit.data_bytes


def run(settings, progress=True):
    """Train each ViT with each seed and return the rows; what two choices share is trained once."""
    measured, rows = {}, []
    for choice, values in settings["choices"].items():
        for value in values:
            sizes = settings["sizes"] | CHOICES[choice][value]
            for seed in settings["seeds"]:
                key = (*sorted(_complete(sizes).items()), seed)
                if key not in measured:
                    about = settings | {"sizes": sizes, "seed": seed}
                    measured[key] = train_and_measure(about, progress)
                rows.append({"choice": choice, "value": value, "seed": seed} | measured[key])
    return {"rows": rows}


def train_and_measure(settings, progress=True):
    """Train one ViT on the training part and return its accuracies, sizes and processor time."""
    sizes = dict(settings["sizes"])
    times = sizes.pop("times", 1)
    set_seed(settings["seed"])
    model = build(settings | {"sizes": sizes})
    if times != 1:
        register_parametrization(model.relative, "weight", Times(times))
    row = learn_and_measure(model, load_mnist().train, settings, progress)
    return {"patches": model.config.n_patches} | row


class Times(nn.Module):
    """Let a parameter learn n times as fast: what is trained is an nth of it.

    AdamW's steps have one size, however large the gradient; here a step counts n times.

    >>> layer = register_parametrization(nn.Linear(1, 1), "weight", Times(10))
    >>> bool(layer.weight == 10 * layer.parametrizations.weight.original)
    True
    """

    def __init__(self, n):
        super().__init__()
        self.n = n

    def forward(self, stored):
        """Return the parameter that the layer uses."""
        return self.n * stored

    def right_inverse(self, weight):
        """Return what is stored for it."""
        return weight / self.n


def _complete(sizes):
    return {"pooling": "cls", "positions": "learned", "times": 1} | sizes

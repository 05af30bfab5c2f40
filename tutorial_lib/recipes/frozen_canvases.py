"""Chapter 09: DINOv2, which was never shown a canvas of digits, and a light head on its map.

DINOv2 reads each canvas once, enlarged so that 14 x 14 patches of 14 pixels fill it, and stays as
it is; only the head that makes a class for each pixel of its vectors learns. The control that must
fail: the same head on the same network with random weights. The head's learning rate is chosen by
the validation part with a seed of its own.
"""

import torch
import torch.nn.functional as F
from tqdm.auto import tqdm

from tutorial_lib.datasets import dinov2_folder, load_mnist
from tutorial_lib.datasets.wheels import DINOV2_SHA256
from tutorial_lib.models import DINOv2
from tutorial_lib.recipes import mnist_vit
from tutorial_lib.recipes.canvases import (
    N_CLASSES,
    MapHead,
    draw_canvases,
    mean_iou,
)
from tutorial_lib.recipes.canvases import (
    SETTINGS as CANVASES,
)
from tutorial_lib.recipes.frozen_features import as_photographs
from tutorial_lib.recipes.masks_and_students import tell
from tutorial_lib.training import set_seed

PATCH = 4  # pixels of a canvas, 14 where it is enlarged
SETTINGS = {
    "seeds": [0, 1, 2],
    "models": ["DINOv2", "random weights"],
    "side": 196,  # pixels of what is read: 14 x 14 patches
    "n_canvases": {"train": 1_500, "validation": 200, "test": 400},
    "rates": [1e-3, 4e-3],
    "choice_seed": 10,
    "steps": 1_500,
    "batch_size": 16,
    "digits": CANVASES["digits"],
}
SMOKE = SETTINGS | {
    "seeds": [0],
    "n_canvases": {"train": 4, "validation": 2, "test": 2},
    "rates": [1e-3],
    "steps": 2,
    "batch_size": 2,
}


def canvases(digits, n, settings):
    """Return n canvases of a part of the digits and their labels, as `draw_canvases` does."""
    return draw_canvases(digits, n, *settings["digits"], torch.Generator().manual_seed(0))


@torch.no_grad()
def maps(model, images, settings, progress=True):
    """Return what a DINOv2 makes of canvases, (N, D, rows, columns)."""
    found = []
    for some in tqdm(images.split(25), desc="reading canvases", disable=not progress):
        patches = model.features(as_photographs(some, settings["side"]))[1]  # (B, rows, columns, D)
        found.append(patches.permute(0, 3, 1, 2))
    return torch.cat(found)


def said(head, features):
    """Return the most likely class of each pixel, (N, 56, 56)."""
    with torch.no_grad():
        return torch.cat([head([some]).argmax(dim=1) for some in features.split(50)])


def learn(features, labels, seed, lr, settings):
    """Return a MapHead that has learned to make labels (N, 56, 56) of features (N, D, 14, 14)."""
    set_seed(seed)
    head = MapHead((features.size(1),), N_CLASSES, PATCH)
    weights = torch.full((N_CLASSES,), 4.0)
    weights[-1] = 1.0  # most of a canvas is empty
    optimizer = torch.optim.AdamW(head.parameters(), lr=lr)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, lr, settings["steps"])
    for _ in range(settings["steps"]):
        rows = torch.randint(len(labels), (settings["batch_size"],))
        loss = F.cross_entropy(head([features[rows]]), labels[rows], weights)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return head.eval()


def run(settings, progress=True):
    """Read the canvases with each model, choose the head's rate, then train it with each seed."""
    splits, rows, choices = load_mnist(), [], []
    drawn = {
        part: canvases(getattr(splits, part), n, settings)
        for part, n in settings["n_canvases"].items()
    }
    for name in settings["models"]:
        model = DINOv2.from_pretrained(dinov2_folder())
        if name == "random weights":
            set_seed(settings["choice_seed"])
            model = DINOv2(model.config).eval()
        seen = {
            part: maps(model, images, settings, progress) for part, (images, _) in drawn.items()
        }

        def score(part, seed, lr, seen=seen):
            head = learn(seen["train"], drawn["train"][1], seed, lr, settings)
            return round(mean_iou(said(head, seen[part]), drawn[part][1]), 4)

        tried = []
        for lr in settings["rates"]:
            found = score("validation", settings["choice_seed"], lr)
            tried.append({"model": name, "lr": lr, "mean_iou": found})
            tell(tried[-1], progress)
        choices += tried
        best = max(tried, key=lambda row: row["mean_iou"])["lr"]
        for seed in settings["seeds"]:
            found = score("test", seed, best)
            rows.append({"model": name, "seed": seed, "lr": best, "mean_iou": found})
            tell(rows[-1], progress)
    return {"rows": rows, "choices": choices}


def data_bytes():
    """Return the digits and the hash of DINOv2's file, as bytes."""
    return mnist_vit.data_bytes() + DINOV2_SHA256.encode()

"""Chapter 07: a ViT that learned digits of 28 pixels goes on with digits of 42 pixels.

The same patch size makes 6 x 6 patches of what were 4 x 4, and the learned positions do not fit any
more. They are interpolated, as ViT's authors did (Dosovitskiy et al. 2020, section 3.2), or begun
anew; everything else is kept. Both then train on, a little.
"""

import copy

import torch
from torch.nn import functional as F

from tutorial_lib.datasets import load_mnist
from tutorial_lib.datasets.mnist import Digits
from tutorial_lib.models import ViT, ViTConfig
from tutorial_lib.recipes import mnist_vit, train_on_cpu
from tutorial_lib.recipes.mnist_vit import DigitBatches, accuracy, digit_loss
from tutorial_lib.training import set_seed

SETTINGS = mnist_vit.SETTINGS | {
    "seeds": [0, 1, 2],
    "sizes": mnist_vit.SETTINGS["sizes"] | {"overlap": 0},
    "steps": 1_000,
    "larger": 42,
    "fine_tuning": {"steps": 200, "measured_every": 25, "lr": 1e-3, "move": 3.0},
}
del SETTINGS["seed"], SETTINGS["stored_as"]
SMOKE = SETTINGS | {
    "seeds": [0],
    "sizes": SETTINGS["sizes"] | {"d_model": 8, "n_layers": 1, "n_heads": 2},
    "steps": 2,
    "fine_tuning": SETTINGS["fine_tuning"] | {"steps": 2, "measured_every": 1},
}

data_bytes = mnist_vit.data_bytes


def enlarge(digits, side):
    """Return `Digits` of side x side pixels."""
    images = F.interpolate(digits.images, (side, side), mode="bilinear", align_corners=False)
    return Digits(images, digits.labels)


def for_larger_pictures(model, image_size, positions):
    """Return a copy of a ViT with learned positions that reads larger pictures.

    positions: "interpolated" between the learned ones, or "new", as before any training; the
    vector of [CLS] is kept.

    >>> small = ViT(ViTConfig(image_size=4, patch_size=2, d_model=8, n_layers=1, n_heads=2))
    >>> for_larger_pictures(small, 6, "interpolated").position_embedding().shape
    torch.Size([10, 8])
    """
    sizes = {**vars(model.config), "image_size": image_size}
    large = ViT(ViTConfig(**sizes)).train(model.training)
    state = copy.deepcopy(model.state_dict())
    table = state.pop("position_embedding.weight")  # (1 + N, D)
    own = large.position_embedding.weight.detach()
    if positions == "interpolated":
        old, new = model.config.patches_a_side, large.config.patches_a_side
        grid = table[1:].T.reshape(1, -1, old, old)  # (1, D, rows, columns)
        grid = F.interpolate(grid, (new, new), mode="bilinear", align_corners=False)
        cells = grid.flatten(2)[0].T  # (N', D)
    else:
        cells = own[1:]
    state["position_embedding.weight"] = torch.cat([table[:1], cells])
    large.load_state_dict(state)
    return large


def run(settings, progress=True):
    """`rows`: the test accuracy at 42 pixels after each few steps; `small`: that at 28."""
    splits = load_mnist()
    side, tuning = settings["larger"], settings["fine_tuning"]
    train, test = enlarge(splits.train, side), enlarge(splits.test, side)
    small, rows = [], []
    for seed in settings["seeds"]:
        about = settings | {"seed": seed}
        set_seed(seed)
        model = mnist_vit.build(about)
        mnist_vit.learn(model, splits.train, about, progress)
        small.append({"seed": seed, "accuracy": accuracy(model, splits.test)})
        for positions in ("interpolated", "new"):
            set_seed(seed)
            large = for_larger_pictures(model, side, positions)
            start = accuracy(large.eval(), test)
            history = train_on_cpu(
                large.train(),
                DigitBatches(train, about | tuning),
                digit_loss,
                about | tuning,
                progress,
                evaluate=lambda model: {"accuracy": accuracy(model, test)},
                evaluate_every=tuning["measured_every"],
            )
            steps, reached = history.column("accuracy")
            rows += [
                {"positions": positions, "seed": seed, "step": int(step), "accuracy": value}
                for step, value in zip([0, *steps], [start, *reached], strict=True)
            ]
    return {"rows": rows, "small": small}

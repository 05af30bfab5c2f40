"""Chapter 09: can a trained Swin look through larger windows without learning anew?

Swin and Swin v2 learn to say of each pixel of a canvas of 28 x 28 pixels which digit it belongs to,
with windows of 7 positions. Then they read canvases of 56 x 56: with these windows, or with windows
of 14. Of the larger steps Swin knows nothing: its table is interpolated. Swin v2 asks the network
that it has learned in place of a table. The control that must fail: what was learned for the steps
is set to zero.
"""

import torch
from torch import nn

from tutorial_lib.datasets import load_mnist
from tutorial_lib.models import Swin, SwinConfig, SwinV2, SwinV2Config, count_parameters
from tutorial_lib.models.windows import ShiftedWindows
from tutorial_lib.recipes import canvases
from tutorial_lib.recipes.canvases import (
    N_CLASSES,
    SIDE,
    CanvasBatches,
    MapHead,
    canvas_loss,
    mean_iou,
    measured_canvases,
    predicted,
)
from tutorial_lib.recipes.masks_and_students import tell, train
from tutorial_lib.training import set_seed

READ = 28  # pixels along a side of what is learned from
SETTINGS = {
    "seeds": [0, 1, 2],
    "models": ["Swin", "Swin v2"],
    "cpu_seconds": 150,  # of a training, on one thread
    "sizes": {
        "patch_size": 2,
        "channels": 1,
        "window": 7,
        "d_model": 32,
        "depths": [2, 2],
        "n_heads": [2, 4],
    },
    "wider": 14,
    "lr": 4e-3,
    "batch_size": 32,
    "digits": canvases.SETTINGS["digits"],
    "measured": 400,  # canvases
}
SMOKE = SETTINGS | {
    "seeds": [0],
    "cpu_seconds": 0.05,
    "sizes": SETTINGS["sizes"] | {"d_model": 8, "depths": [1, 1], "n_heads": [1, 2]},
    "batch_size": 2,
    "measured": 4,
}

data_bytes = canvases.data_bytes


class DenseWindows(nn.Module):
    """A Swin or SwinV2 as body, which returns maps, and a class for each pixel."""

    def __init__(self, body):
        super().__init__()
        self.body = body
        self.head = MapHead(body.config.widths, N_CLASSES, body.config.patch_size)

    def forward(self, images):
        """Return logits (B, 11, height, width) for images (B, 1, height, width)."""
        return self.head(self.body.features(images))

    def with_window(self, window):
        """Return the same model for canvases of 56 x 56, with windows of this side."""
        wider = DenseWindows(self.body.with_window(window, image_size=SIDE))
        wider.head = self.head
        return wider.eval()


class CroppedBatches:
    """Endless batches of a random 28 x 28 pixels of canvases; every `iter` starts from the seed."""

    def __init__(self, digits, settings, seed):
        self.canvases, self.seed = CanvasBatches(digits, settings, seed), seed

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed)
        for images, labels in self.canvases:
            top, left = torch.randint(0, SIDE - READ + 1, (2,), generator=generator).tolist()
            part = (..., slice(top, top + READ), slice(left, left + READ))
            yield images[part], labels[part]


def build(name, settings, seed):
    """Return an untrained DenseWindows of a name, with weights that fit its width."""
    set_seed(seed)
    sizes = settings["sizes"] | {"image_size": READ, "n_classes": None}
    body = Swin(SwinConfig(**sizes)) if name == "Swin" else SwinV2(SwinV2Config(**sizes))
    model = DenseWindows(body)
    for module in model.modules():
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=module.in_features**-0.5)
    # Black windows would be all zeros, and each LayerNorm make their gradient 316 times larger.
    nn.init.normal_(body.patch_embedding.projection.bias, std=0.5)
    return model


def without_steps(model):
    """Let a DenseWindows add nothing to its scores for the step from a query to a key."""
    for module in model.modules():
        if isinstance(module, ShiftedWindows):
            module.positions = Nothing()
    return model


class Nothing(nn.Module):
    """Positions that add nothing."""

    def forward(self):
        """Return None."""


def run(settings, progress=True):
    """Train each model with each seed, and measure it in four ways: mean IoU on test canvases."""
    splits, rows = load_mnist(), []
    images, labels = measured_canvases(splits.test, settings)
    part = (..., slice(READ // 2, READ // 2 + READ), slice(READ // 2, READ // 2 + READ))
    for name in settings["models"]:
        for seed in settings["seeds"]:
            model = build(name, settings, seed)
            batches = CroppedBatches(splits.train, settings, seed)
            took = train(model, batches, canvas_loss, settings["cpu_seconds"], settings["lr"], seed)
            kept = model.with_window(settings["sizes"]["window"])
            wider = model.with_window(settings["wider"])
            scores = {
                "as_trained": mean_iou(predicted(model, images[part]), labels[part]),
                "kept": mean_iou(predicted(kept, images), labels),
                "wider": mean_iou(predicted(wider, images), labels),
                "without_steps": mean_iou(predicted(without_steps(wider), images), labels),
            }
            about = {"model": name, "seed": seed, "parameters": count_parameters(model)}
            rows.append(about | took | {way: round(score, 4) for way, score in scores.items()})
            tell(rows[-1], progress)
    return {"rows": rows}

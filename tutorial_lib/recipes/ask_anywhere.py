"""Chapter 09: a Perceiver that reads a digit of 14 x 14 pixels and is asked for any point of it.

It reads each pixel with its place. In training it is asked for points anywhere in the picture of
28 x 28 pixels that there is in truth: halfway between two pixels is half of each.
"""

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.datasets import load_mnist
from tutorial_lib.models import Perceiver, PerceiverConfig
from tutorial_lib.positions import fourier_features, grid_positions
from tutorial_lib.recipes import mnist_vit, train_on_cpu
from tutorial_lib.recipes.mnist_vit import disturb
from tutorial_lib.training import Muon, set_seed

READ, TRUE = 14, 28  # pixels along a side: of what is read, and of the pictures there are
MEASURED = 300  # pictures of the test part
BANDS = 12  # of the places that are asked for; those of pixels that are read have half as many
SETTINGS = {
    "seed": 0,
    "sizes": {
        "n_latents": 32,
        "d_latent": 96,
        "n_layers": 2,
        "n_rounds": 2,
        "n_heads": 4,
        "n_read_heads": 4,
        "d_read_qk": 96,
        "d_query_qk": 96,
        "d_output": 1,
    },
    "steps": 6_000,
    "batch_size": 32,
    "asked": 128,  # points of each picture
    "lr": 3e-3,
    "stored_as": "float16",
}
SMOKE = SETTINGS | {
    "sizes": SETTINGS["sizes"] | {"n_latents": 4, "d_latent": 8, "d_read_qk": 8, "d_query_qk": 8},
    "steps": 2,
}

data_bytes = mnist_vit.data_bytes


def shrink(images):
    """Return what is read of images (B, 1, 28, 28): means of 2 x 2 pixels, (B, 1, 14, 14)."""
    return F.avg_pool2d(images, TRUE // READ)


def inputs(small):
    """Return the pixels of small (B, 1, 14, 14) with their places, (B, 196, C)."""
    places = fourier_features(grid_positions(READ, READ), BANDS // 2, READ)
    return torch.cat([small.flatten(1)[..., None], places.expand(len(small), -1, -1)], dim=-1)


def queries(positions):
    """Return the queries (..., Q) for points (..., 2) of the picture, from -1 to 1."""
    return fourier_features(positions, BANDS, TRUE)


def ask(model, small, side=TRUE):
    """Return the answers for side x side points of small (B, 1, 14, 14): (B, 1, side, side)."""
    with torch.no_grad():
        answers = model(inputs(small), queries(grid_positions(side, side)))  # (B, side², 1)
    return answers.clamp(0, 1).view(len(small), 1, side, side)


def build(settings):
    """Return the untrained Perceiver, with weights that fit its width and latents that differ."""
    widths = {
        "d_input": inputs(torch.zeros(1, 1, READ, READ)).size(-1),
        "d_query": queries(torch.zeros(2)).size(-1),
    }
    model = Perceiver(PerceiverConfig(**widths, **settings["sizes"]))
    for module in model.modules():
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=module.in_features**-0.5)
    nn.init.normal_(model.latents)
    return model


def values_at(images, points):
    """Return the greys of images (B, 1, 28, 28) at points (K, 2), interpolated linearly: (B, K).

    >>> images = torch.zeros(1, 1, 28, 28)
    >>> images[..., 14] = 1  # a column just right of the middle
    >>> values_at(images, torch.tensor([[0.0, 0.0]]))
    tensor([[0.5000]])
    """
    across_then_down = points.flip(-1).expand(len(images), 1, -1, -1)
    found = F.grid_sample(images, across_then_down, padding_mode="border", align_corners=False)
    return found[:, 0, 0]


class PointBatches:
    """Endless batches (small, points, values) of the digits; every `iter` starts from the seed.

    small (B, 1, 14, 14), points (K, 2) from -1 to 1, values (B, K): the true grey there.
    """

    def __init__(self, images, settings):
        self.images, self.settings = images, settings

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.settings["seed"])
        while True:
            order = torch.randperm(len(self.images), generator=generator)
            for rows in order.split(self.settings["batch_size"]):
                images = disturb(self.images[rows], generator=generator)
                points = 2 * torch.rand(self.settings["asked"], 2, generator=generator) - 1
                yield shrink(images), points, values_at(images, points)


def point_loss(model, batch):
    """Return the mean squared error of the answers for a batch of PointBatches."""
    small, points, values = batch
    return F.mse_loss(model(inputs(small), queries(points))[..., 0], values)


def train(settings, progress=True):
    """Train on the 3,500 pictures of the training part."""
    set_seed(settings["seed"])
    model = build(settings)
    batches = PointBatches(load_mnist().train.images, settings)
    train_on_cpu(model, batches, point_loss, settings, progress, optimizer=Muon)
    model.eval()
    return model


def evaluate(model):
    """Return the mean squared errors on unseen digits at 28 x 28 pixels.

    Beside the model's, bicubic interpolation of what it reads, and the mean training picture. And
    `back_at_28`: asked for 112 x 112 points, their means over 4 x 4 against the truth.
    """
    splits = load_mnist()
    images = splits.test.images[:MEASURED]
    small = shrink(images)
    larger = torch.cat([ask(model, some, 4 * TRUE) for some in small.split(50)])
    bicubic = F.interpolate(small, (TRUE, TRUE), mode="bicubic", align_corners=False)
    errors = {
        "asked_at_28": ask(model, small),
        "bicubic": bicubic.clamp(0, 1),
        "mean_picture": splits.train.images.mean(dim=0).expand_as(images),
        "back_at_28": F.avg_pool2d(larger, 4),
    }
    return {name: F.mse_loss(found, images).item() for name, found in errors.items()}

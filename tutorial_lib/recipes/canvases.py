"""Chapter 09: which digit is each pixel of? Swin, two ViTs and a CNN on canvases of several digits.

Each gets the same seconds of one CPU core, the same canvases and the same optimizer; the learning
rate of each is chosen by the validation part with a seed of its own. Swin and the CNN have maps of
the same three sizes and the same light head on top; a ViT says from each patch what its pixels are.
The control that must fail: "pixels alone", a network that sees a pixel and its eight neighbours.
"""

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.datasets import load_mnist
from tutorial_lib.models import Swin, SwinConfig, ViT, ViTConfig, count_parameters
from tutorial_lib.models.patches import join_patches
from tutorial_lib.recipes import mnist_vit
from tutorial_lib.recipes.masks_and_students import tell, train
from tutorial_lib.recipes.mnist_vit import disturb
from tutorial_lib.training import set_seed

SIDE, N_CLASSES = 56, 11  # pixels; ten digits and no ink
INK = 0.4  # a pixel as dark as this belongs to a digit
WIDTHS = (32, 64, 128)  # of the maps of 28, 14 and 7 positions a side
SETTINGS = {
    "seeds": [0, 1, 2],
    "models": ["Swin", "ViT, patches of 4", "ViT, patches of 7", "CNN", "pixels alone"],
    "cpu_seconds": 300,  # of a training, on one thread
    "rates": [2e-3, 4e-3],
    "choice": {"seed": 10, "cpu_seconds": 60},
    "batch_size": 16,
    "digits": [3, 5],  # fewest and most of a canvas
    "vit": {"d_model": 96, "n_layers": 4, "n_heads": 4},
    "measured": 400,  # canvases
    "drawn": 4,  # of them, with what the first seed's models say
}
SMOKE = SETTINGS | {
    "seeds": [0],
    "cpu_seconds": 0.05,
    "rates": [1e-3],
    "choice": {"seed": 10, "cpu_seconds": 0.05},
    "batch_size": 2,
    "vit": {"d_model": 8, "n_layers": 1, "n_heads": 2},
    "measured": 4,
    "drawn": 1,
}

data_bytes = mnist_vit.data_bytes


# --- what is seen -----------------------------------------------------------------------------


def draw_canvases(digits, n, fewest, most, generator):
    """Return canvases (n, 1, 56, 56) with several of the `Digits` each, and labels (n, 56, 56).

    A label is the digit whose ink is darkest at a pixel, 10 where there is none. Digits may overlap
    and lie up to 6 pixels over the edge.
    """
    canvases, labels = torch.zeros(n, 1, SIDE, SIDE), torch.full((n, SIDE, SIDE), N_CLASSES - 1)
    counts = torch.randint(fewest, most + 1, (n,), generator=generator)
    for canvas, label, count in zip(canvases, labels, counts.tolist(), strict=True):
        for _ in range(count):
            at = torch.randint(len(digits), (), generator=generator).item()
            top, left = torch.randint(-6, SIDE - 21, (2,), generator=generator).tolist()
            ink = F.pad(digits.images[at, 0], (left, SIDE - 28 - left, top, SIDE - 28 - top))
            label[(ink > canvas[0]) & (ink > INK)] = digits.labels[at]
            torch.maximum(canvas[0], ink, out=canvas[0])
    return canvases, labels


class CanvasBatches:
    """Endless batches of new canvases; every `iter` starts from the seed."""

    def __init__(self, digits, settings, seed):
        self.digits, self.settings, self.seed = digits, settings, seed

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed)
        while True:
            changed = disturb(self.digits.images, move=0, generator=generator)
            digits = type(self.digits)(changed, self.digits.labels)
            for _ in range(200):
                size = self.settings["batch_size"]
                yield draw_canvases(digits, size, *self.settings["digits"], generator)


# --- what is trained --------------------------------------------------------------------------


class MapHead(nn.Module):
    """Maps of several sizes, brought to the finest and added: a class for each pixel.

    maps: a list of (B, D, height, width), finest first, of these widths; patch: the pixels along a
    side of the finest one's positions. Returns logits (B, classes, patch · height, patch · width).
    """

    def __init__(self, widths, n_classes, patch, d_model=64):
        super().__init__()
        self.n_classes = n_classes
        self.maps = nn.ModuleList(nn.Linear(width, d_model) for width in widths)
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, n_classes * patch**2)

    def forward(self, maps):
        """Return the logits."""
        size = maps[0].shape[2:]
        x = 0
        for layer, found in zip(self.maps, maps, strict=True):
            found = layer(found.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)  # (B, D, h, w)
            x = x + F.interpolate(found, size, mode="bilinear", align_corners=False)
        x = F.gelu(self.norm(x.permute(0, 2, 3, 1)))  # (B, height, width, D)
        return join_patches(self.output(x).flatten(1, 2), self.n_classes, *size)


class DenseSwin(nn.Module):
    """A Swin with a MapHead."""

    def __init__(self):
        super().__init__()
        sizes = {"image_size": SIDE, "patch_size": 2, "channels": 1, "window": 7}
        sizes |= {"d_model": WIDTHS[0], "depths": (2, 2, 2), "n_heads": (2, 4, 8)}
        self.body = Swin(SwinConfig(**sizes, n_classes=None))
        self.head = MapHead(WIDTHS, N_CLASSES, patch=2)

    def forward(self, images):
        """Return logits (B, 11, 56, 56)."""
        return self.head(self.body.features(images))


class DenseViT(nn.Module):
    """A ViT whose every patch says what its pixels are."""

    def __init__(self, patch, sizes):
        super().__init__()
        sizes = sizes | {"image_size": SIDE, "patch_size": patch, "channels": 1}
        config = ViTConfig(**sizes, pooling="mean", positions="learned_grid", n_classes=None)
        self.body = ViT(config)
        self.head = nn.Linear(config.d_model, N_CLASSES * patch**2)

    def forward(self, images):
        """Return logits (B, 11, 56, 56)."""
        side = self.body.config.patches_a_side
        return join_patches(self.head(self.body.hidden_states(images)[-1]), N_CLASSES, side, side)


class DenseCNN(nn.Module):
    """Convolutions with maps of Swin's sizes and widths, and the same head."""

    def __init__(self):
        super().__init__()
        self.stages, width = nn.ModuleList(), 1
        for wider in WIDTHS:
            self.stages.append(nn.Sequential(*_convolve(width, wider, 2), *_convolve(wider, wider)))
            width = wider
        self.head = MapHead(WIDTHS, N_CLASSES, patch=2)

    def forward(self, images):
        """Return logits (B, 11, 56, 56)."""
        x, maps = images, []
        for stage in self.stages:
            x = stage(x)
            maps.append(x)
        return self.head(maps)


def _convolve(width, wider, stride=1):
    convolution = nn.Conv2d(width, wider, 3, stride, padding=1, bias=False)
    return convolution, nn.BatchNorm2d(wider), nn.ReLU()


def build(name, settings, seed):
    """Return an untrained model of a name."""
    set_seed(seed)
    if name == "CNN":
        return DenseCNN()
    if name == "pixels alone":
        return nn.Sequential(*_convolve(1, 64), nn.Conv2d(64, N_CLASSES, 1))
    return _begun(DenseSwin() if name == "Swin" else DenseViT(int(name[-1]), settings["vit"]))


def _begun(model):
    """Give the layers weights that fit their width: 0.02 is for models ten times as wide."""
    for module in model.modules():
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=module.in_features**-0.5)
    return model


def canvas_loss(model, batch):
    """Return the cross-entropy of the pixels for a batch (canvases, labels), in nats.

    A pixel with ink counts four times: most of a canvas is empty.
    """
    canvases, labels = batch
    weights = torch.full((N_CLASSES,), 4.0, device=labels.device)
    weights[-1] = 1.0
    return F.cross_entropy(model(canvases), labels, weights)


# --- what is measured -------------------------------------------------------------------------


def measured_canvases(digits, settings=SETTINGS):
    """Return the canvases and labels of a part of the digits that models are measured on."""
    generator = torch.Generator().manual_seed(0)
    return draw_canvases(digits, settings["measured"], *settings["digits"], generator)


def predicted(model, canvases):
    """Return the most likely class of each pixel, (N, 56, 56)."""
    with torch.no_grad():
        return torch.cat([model(some).argmax(dim=1) for some in canvases.split(50)])


def mean_iou(found, labels):
    """Return the mean over the classes of intersection over union, for (N, height, width) each.

    >>> labels = torch.tensor([[[0, 10], [10, 10]]])
    >>> round(mean_iou(torch.tensor([[[0, 0], [10, 10]]]), labels), 3)  # 1 of 2, and 2 of 3
    0.583
    """
    shares = []
    for digit in range(N_CLASSES):
        said, true = found == digit, labels == digit
        union = (said | true).sum().item()
        if union:
            shares.append((said & true).sum().item() / union)
    return sum(shares) / len(shares)


def _row(name, digits, measured, seed, lr, seconds, settings):
    """Return the row of a training, and the model."""
    model = build(name, settings, seed)
    took = train(model, CanvasBatches(digits, settings, seed), canvas_loss, seconds, lr, seed)
    canvases, labels = measured
    score = mean_iou(predicted(model, canvases), labels)
    row = {"model": name, "seed": seed, "lr": lr, "parameters": count_parameters(model)}
    return row | took | {"mean_iou": round(score, 4)}, model


def in_letters(labels):
    """Return the rows of labels (56, 56) as text, a digit each and a dot where there is no ink."""
    return ["".join("0123456789."[label] for label in row) for row in labels.tolist()]


def run(settings, progress=True):
    """Choose each model's learning rate, then train and measure it with each seed.

    `choices` has a row for each model and rate tried, `rows` one for each model and seed; `drawn`
    has what the models of the first seed say of some canvases of the test part, as `in_letters`.
    """
    splits, choice = load_mnist(), settings["choice"]
    validation = measured_canvases(splits.validation, settings)
    test = measured_canvases(splits.test, settings)
    choices, rows, drawn = [], [], {}
    for name in settings["models"]:
        tried = []
        for lr in settings["rates"]:
            about = (choice["seed"], lr, choice["cpu_seconds"], settings)
            tried.append(_row(name, splits.train, validation, *about)[0])
            tell(tried[-1], progress)
        best = max(tried, key=lambda row: row["mean_iou"])["lr"]
        choices += tried
        for seed in settings["seeds"]:
            about = (seed, best, settings["cpu_seconds"], settings)
            row, model = _row(name, splits.train, test, *about)
            rows.append(row)
            tell(row, progress)
            if seed == settings["seeds"][0]:
                some = predicted(model, test[0][: settings["drawn"]])
                drawn[name] = [in_letters(labels) for labels in some]
    return {"rows": rows, "choices": choices, "drawn": drawn}

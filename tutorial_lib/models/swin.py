"""Swin: a ViT that looks within windows, which shift, and whose map shrinks (Liu et al. 2021)."""

from copy import deepcopy
from dataclasses import dataclass, replace
from typing import ClassVar

import torch.nn.functional as F
from torch import nn

from tutorial_lib.attention import MultiHeadAttention
from tutorial_lib.errors import ShapeError
from tutorial_lib.files import hub, load_tensors
from tutorial_lib.models.base import Model, initialise
from tutorial_lib.models.blocks import FeedForward
from tutorial_lib.models.checks import (
    check_heads,
    check_image_dtype,
    check_rates,
    check_tensor,
    check_whole_number,
    check_whole_numbers,
    is_number,
)
from tutorial_lib.models.foreign.swin import names_of_swin, read_swin_config
from tutorial_lib.models.patches import PatchEmbedding
from tutorial_lib.models.windows import PatchMerging, ShiftedWindows
from tutorial_lib.positions import RelativeGrid

__all__ = ["Swin", "SwinConfig"]

TINY = {"d_model": 96, "depths": (2, 2, 6, 2), "n_heads": (3, 6, 12, 24)}
PUBLISHED = {
    "tiny": TINY,
    "small": TINY | {"depths": (2, 2, 18, 2)},
    "base": {"d_model": 128, "depths": (2, 2, 18, 2), "n_heads": (4, 8, 16, 32)},
    "large": {"d_model": 192, "depths": (2, 2, 18, 2), "n_heads": (6, 12, 24, 48)},
}


@dataclass(frozen=True)
class SwinConfig:
    """The sizes of a Swin, which has len(depths) stages.

    image_size: pixels along each side of the pictures it is made for (it reads others, too).
    d_model: the width of the first stage; each later one is twice as wide, on a map of half the
    height and width. depths: the layers of each stage; n_heads: the heads of each. window: the
    side of a window, in positions of the map; where the map is smaller, the window is, too.
    d_ff_ratio: the width of the feed-forward network over that of its stage. n_classes None: no
    classifier.
    Raises ShapeError when a size is not positive, depths and n_heads differ in length, the heads do
    not divide the width or no position is left for a stage; ValueError for another dropout, eps or
    activation.

    >>> SwinConfig.published("tiny").widths
    (96, 192, 384, 768)
    """

    image_size: int = 224
    patch_size: int = 4
    channels: int = 3
    d_model: int = 96
    depths: tuple[int, ...] = (2, 2, 6, 2)
    n_heads: tuple[int, ...] = (3, 6, 12, 24)
    window: int = 7
    d_ff_ratio: float = 4.0
    dropout: float = 0.0
    eps: float = 1e-5
    activation: str = "gelu"
    n_classes: int | None = 1000

    def __post_init__(self):
        for name in ("depths", "n_heads"):  # files hold lists
            object.__setattr__(self, name, tuple(getattr(self, name)))
            for size in getattr(self, name):
                check_whole_number(f"each of {name}", size)
        sizes = ("image_size", "patch_size", "channels", "d_model", "window", "n_classes")
        check_whole_numbers(self, sizes)
        if not self.depths or len(self.depths) != len(self.n_heads):
            raise ShapeError(
                f"depths and n_heads must have one entry a stage, got {self.depths} and "
                f"{self.n_heads}"
            )
        for width, n_heads in zip(self.widths, self.n_heads, strict=True):
            check_heads(width, n_heads)
        if not self.map_sides[-1]:
            raise ShapeError(
                f"a picture of {self.image_size} pixels has no position left for stage "
                f"{len(self.depths)} of patches of {self.patch_size}"
            )
        if not is_number(self.d_ff_ratio) or self.d_ff_ratio <= 0:
            raise ValueError(f"d_ff_ratio must be a number above 0, got {self.d_ff_ratio!r}")
        check_rates(self)

    @property
    def n_layers(self):
        """How many layers all stages have together."""
        return sum(self.depths)

    @property
    def widths(self):
        """The width D of each stage."""
        return tuple(self.d_model * 2**stage for stage in range(len(self.depths)))

    @property
    def map_sides(self):
        """How many positions each stage has along a side of a picture of image_size, rounded down.

        Released code counts so. An odd side is padded when it is halved, so that the map itself may
        have one more.
        """
        first = self.image_size // self.patch_size
        return tuple(first // 2**stage for stage in range(len(self.depths)))

    @property
    def windows(self):
        """The side of a window in each stage."""
        return tuple(min(self.window, side) for side in self.map_sides)

    @classmethod
    def published(cls, name, **changes):
        """Return "tiny", "small", "base" or "large": 28, 50, 88 and 197 M parameters.

        Raises ValueError for another name.
        """
        if name not in PUBLISHED:
            raise ValueError(f"published are {', '.join(PUBLISHED)}, got {name!r}")
        return cls(**(PUBLISHED[name] | changes))

    def build(self):
        """Return a Swin of these sizes with random weights."""
        return Swin(self)


class SwinBlock(nn.Module):
    """x + windows(norm(x)), then x + feed_forward(norm(x)), on a map x (B, height, width, D).

    windows is a ShiftedWindows.
    """

    def __init__(self, windows, d_model, config):
        super().__init__()
        self.windows = windows
        self.windows_norm = nn.LayerNorm(d_model, config.eps)
        d_ff = int(config.d_ff_ratio * d_model)
        self.feed_forward = FeedForward(d_model, d_ff, config.activation)
        self.feed_forward_norm = nn.LayerNorm(d_model, config.eps)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x):
        """Return (B, height, width, D) from x of this shape."""
        x = x + self.dropout(self.windows(self.windows_norm(x)))
        return x + self.dropout(self.feed_forward(self.feed_forward_norm(x)))


class SwinStage(nn.Module):
    """The layers that work on one map; in every second one the windows are shifted by a half."""

    def __init__(self, blocks, merging):
        super().__init__()
        self.blocks = nn.ModuleList(blocks)
        self.merging = merging  # to the next stage's map; None in the last

    def forward(self, x):
        """Return (B, height, width, D) from x of this shape."""
        for block in self.blocks:
            x = block(x)
        return x


class Swin(Model):
    """Patches on a map, stages of layers that look within windows, the map halved in between.

    images (B, C, height, width) of any size, floating point like the weights; what patches do not
    fill is padded with zeros. Returns logits (B, classes).

    Raises ShapeError when images have another shape or dtype, MissingHeadError when there is no
    classifier.

    >>> import torch
    >>> sizes = {"image_size": 16, "patch_size": 2, "d_model": 8, "window": 2, "n_classes": 10}
    >>> model = Swin(SwinConfig(**sizes, depths=(2, 2), n_heads=(1, 2)))
    >>> model(torch.zeros(1, 3, 16, 16)).shape
    torch.Size([1, 10])
    >>> [tuple(map_.shape) for map_ in model.features(torch.zeros(1, 3, 16, 16))]
    [(1, 8, 8, 8), (1, 16, 4, 4)]
    """

    config_class: ClassVar = SwinConfig
    head_fields: ClassVar = ("n_classes",)
    heads: ClassVar = ("classifier.",)
    merges_then_norms: ClassVar = False

    def __init__(self, config):
        super().__init__(config)
        sizes = (config.patch_size, config.channels, config.d_model)
        self.patch_embedding = PatchEmbedding(*sizes, class_token=False)
        self.embedding_norm = nn.LayerNorm(config.d_model)
        self.dropout = nn.Dropout(config.dropout)
        self.stages = nn.ModuleList(self.stage(config, n) for n in range(len(config.depths)))
        width = config.widths[-1]
        self.final_norm = nn.LayerNorm(width, config.eps)
        n_classes = config.n_classes
        self.classifier = None if n_classes is None else nn.Linear(width, n_classes)
        self.apply(initialise)

    def stage(self, config, n):
        """Return stage n."""
        last = n == len(config.depths) - 1
        merging = None if last else PatchMerging(config.widths[n], self.merges_then_norms)
        return SwinStage((self.block(config, n, at % 2) for at in range(config.depths[n])), merging)

    def block(self, config, n, shifted):
        """Return a layer of stage n."""
        width, n_heads, window = config.widths[n], config.n_heads[n], config.windows[n]
        attention = MultiHeadAttention(width, n_heads, config.dropout)
        positions = RelativeGrid(n_heads, window, window)
        shift = window // 2 if shifted else 0
        return SwinBlock(ShiftedWindows(attention, positions, window, shift), width, config)

    def forward(self, images):
        """Return the logits of the classes, (B, classes)."""
        return self.logits(self.last_map(images))

    def features(self, images):
        """Return the map of every stage, finest first: a list of (B, D, height, width)."""
        x, maps = self.embed(images), []  # (B, height, width, D)
        for stage in self.stages:
            x = stage(x)
            maps.append(x.permute(0, 3, 1, 2))  # channels first, as convolutions read them
            x = x if stage.merging is None else stage.merging(x)
        return maps

    def last_map(self, images):
        """Return the last stage's map after the final norm, (B, height, width, D)."""
        return self.final_norm(self.features(images)[-1].permute(0, 2, 3, 1))

    def logits(self, last_map):
        """Return the logits (B, classes): a linear map of the mean over the last map."""
        classifier = self._part("classifier", "classifier", "n_classes=2")
        return classifier(last_map.mean(dim=(1, 2)))  # (B, D) -> (B, classes)

    def embed(self, images):
        """Return the vectors of the patches on their map, (B, height, width, D)."""
        check_tensor("images", images)
        if images.dim() != 4 or images.size(1) != self.config.channels or not images.numel():
            raise ShapeError(
                f"images must have shape (B, {self.config.channels}, height, width), "
                f"got {tuple(images.shape)}"
            )
        check_image_dtype(images, self.patch_embedding.projection.weight.dtype)
        patch, (height, width) = self.config.patch_size, images.shape[2:]
        images = F.pad(images, (0, -width % patch, 0, -height % patch))
        x = self.embedding_norm(self.patch_embedding(images))  # (B, N, D)
        return self.dropout(x.unflatten(1, (-1, images.size(3) // patch)))

    def with_window(self, window, image_size=None):
        """Return a copy with windows of another side, which reads the same without training.

        image_size: that of the pictures it is for, None: as now. The learned numbers of the steps
        are interpolated (bicubic), as Liu et al. do.
        """
        image_size = image_size or self.config.image_size
        config = replace(self.config, window=window, image_size=image_size)
        model = type(self)(config).to(next(self.parameters())).train(self.training)
        weights = self.state_dict()
        for name, wanted in model.state_dict().items():
            if weights[name].shape != wanted.shape:
                size = wanted.shape[1:]
                weights[name] = F.interpolate(weights[name][None], size, mode="bicubic")[0]
        model.load_state_dict(deepcopy(weights))
        return model

    @classmethod
    def from_pretrained(cls, name_or_folder, revision=None):
        """Return a Swin in eval mode from a folder or the hub.

        "microsoft/swin-tiny-patch4-window7-224" is one that the hub has.
        Raises MissingDataError when a file is not there; DamagedFileError when it is damaged, is
        another kind of model, or its tensors are not exactly those the configuration asks for.
        """
        folder = hub.resolve(name_or_folder, revision)
        sizes = read_swin_config(folder / "config.json")
        tensors = load_tensors(folder)
        head = tensors.get("classifier.bias")
        sizes["n_classes"] = None if head is None else head.numel()
        return cls.filled(folder, sizes, tensors, names_of_swin)

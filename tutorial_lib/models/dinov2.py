"""DINOv2: a ViT that learned from 142 million pictures without a label (Oquab et al. 2023).

What differs from `ViT`: each sub-layer's output is scaled number by number before it is added
(LayerScale), pictures may have any size that patches fill, and there is no classifier: the model
gives the vectors themselves. What it learned from, one network imitating another's view of the
same picture, is not part of it.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.errors import MissingDataError, ShapeError
from tutorial_lib.files import hub, load_tensors
from tutorial_lib.models.base import Model, initialise
from tutorial_lib.models.blocks import Block
from tutorial_lib.models.checks import check_image_dtype, check_sizes, check_tensor, is_number
from tutorial_lib.models.foreign.dinov2 import (
    FOREIGN_NAMES,
    read_dinov2_config,
    read_dinov2_onnx,
)
from tutorial_lib.models.patches import PatchEmbedding, check_cut, check_side
from tutorial_lib.positions import PositionVectors

__all__ = ["DINOv2", "DINOv2Config", "PictureFeatures", "normalised"]

# Mean and spread of red, green and blue in ImageNet's pictures, which the model learned with.
MEAN = (0.485, 0.456, 0.406)
SPREAD = (0.229, 0.224, 0.225)


@dataclass(frozen=True)
class DINOv2Config:
    """The sizes of a DINOv2; d_ff None: 4 d_model.

    image_size: pixels along each side of the pictures that its positions were learned on; it
    reads others too. layer_scale: what each number of the LayerScales starts with.
    Raises ShapeError when a size is not positive, the heads do not divide the width or the
    patches do not fill the picture; ValueError for another dropout, eps, layer_scale or name.

    >>> DINOv2Config.small().patches_a_side
    37
    """

    image_size: int = 518
    patch_size: int = 14
    channels: int = 3
    d_model: int = 384
    n_layers: int = 12
    n_heads: int = 6
    d_ff: int | None = None
    dropout: float = 0.0
    eps: float = 1e-6
    activation: str = "gelu"
    layer_scale: float = 1e-5

    def __post_init__(self):
        sizes = ("image_size", "patch_size", "channels", "d_model", "n_layers", "n_heads", "d_ff")
        check_sizes(self, sizes)
        check_side(self.image_size, self.patch_size)
        if not is_number(self.layer_scale) or not math.isfinite(self.layer_scale):
            raise ValueError(f"layer_scale must be a number, got {self.layer_scale!r}")

    @property
    def patches_a_side(self):
        """How many patches there are in a row, and in a column, of the pictures it learned on."""
        return self.image_size // self.patch_size

    @classmethod
    def small(cls, **changes):
        """ViT-S/14: 22.1 M parameters."""
        return cls(**changes)

    @classmethod
    def base(cls, **changes):
        """ViT-B/14: 86.6 M parameters."""
        return cls(**({"d_model": 768, "n_heads": 12} | changes))

    @classmethod
    def large(cls, **changes):
        """ViT-L/14: 304.4 M parameters."""
        return cls(**({"d_model": 1024, "n_layers": 24, "n_heads": 16} | changes))

    def build(self):
        """Return a DINOv2 of these sizes with random weights."""
        return DINOv2(self)


class LayerScale(nn.Module):
    """A learned factor for each number of what a sub-layer adds (Touvron et al. 2021, CaiT, eq. 2).

    It starts small, so that a deep stack starts close to passing its input through.

    >>> LayerScale(d_model=2, start=0.5)(torch.tensor([[[2.0, 4.0]]]))
    tensor([[[1., 2.]]], grad_fn=<MulBackward0>)
    """

    def __init__(self, d_model, start=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.full((d_model,), float(start)))

    def forward(self, x):
        """Return x (B, T, D), each of its D numbers times its factor."""
        return x * self.weight


class ScaledBlock(Block):
    """The layer of a ViT, x + f(LayerNorm(x)), with a LayerScale on what it adds.

    >>> block = ScaledBlock(d_model=4, n_heads=2, layer_scale=0.0)
    >>> x = torch.randn(1, 3, 4)
    >>> block(x).equal(x)
    True
    """

    def __init__(
        self,
        d_model,
        n_heads,
        d_ff=None,
        activation="gelu",
        eps=1e-6,
        dropout=0.0,
        layer_scale=1e-5,
    ):
        super().__init__(
            d_model, n_heads, d_ff, norm="pre", activation=activation, eps=eps, dropout=dropout
        )
        self.attention_scale = LayerScale(d_model, layer_scale)
        self.feed_forward_scale = LayerScale(d_model, layer_scale)

    def forward(self, x):
        """Return (B, T, D) from x (B, T, D)."""
        found = self.attention(self.attention_norm(x))  # (B, T, D)
        x = x + self.attention_scale(self.dropout(found))
        made = self.feed_forward(self.feed_forward_norm(x))  # (B, T, D)
        return x + self.feed_forward_scale(self.dropout(made))


class StretchedPositions(PositionVectors):
    """One learned vector for [CLS] and for each cell of a square grid, stretched to other grids.

    Between the learned vectors it interpolates, with cubic curves through four neighbours in each
    direction, as enlarging a photograph does.

    >>> StretchedPositions(side=4, d_model=8)(2, 6).shape
    torch.Size([13, 8])
    """

    def __init__(self, side, d_model):
        super().__init__()
        self.side = side
        self.weight = nn.Parameter(torch.empty(1 + side**2, d_model))
        nn.init.normal_(self.weight, std=0.02)

    def forward(self, n_rows, n_columns):
        """Return the vectors (1 + n_rows · n_columns, D) of [CLS] and all cells, row by row."""
        if (n_rows, n_columns) == (self.side, self.side):
            return self.weight
        learned = self.weight[1:].T.view(1, -1, self.side, self.side)  # (1, D, side, side)
        size = (n_rows, n_columns)
        grid = F.interpolate(learned.float(), size, mode="bicubic", align_corners=False)
        cells = grid[0].flatten(1).T.to(self.weight.dtype)  # (rows · columns, D)
        return torch.cat([self.weight[:1], cells])


class PictureFeatures(NamedTuple):
    """What DINOv2 makes of pictures: [CLS] (B, D), and patches on their grid (B, rows, columns, D).

    >>> PictureFeatures(torch.zeros(1, 8), torch.zeros(1, 2, 3, 8)).patches[0, 1, 2].shape
    torch.Size([8])
    """

    cls: torch.Tensor
    patches: torch.Tensor


class DINOv2(Model):
    """Patches as vectors with positions, then L layers, as in a ViT; returns their vectors.

    images (B, C, height, width), floating point like the weights, both sides multiples of the
    patch, scaled as `normalised` does. Returns last hidden states (B, T, D): [CLS], then the
    patches row by row, after the final LayerNorm.

    Raises ShapeError when images have another shape or dtype.

    >>> sizes = {"image_size": 4, "patch_size": 2, "d_model": 8, "n_layers": 2, "n_heads": 2}
    >>> model = DINOv2(DINOv2Config(**sizes))
    >>> model(torch.zeros(1, 3, 4, 6)).shape
    torch.Size([1, 7, 8])
    """

    config_class: ClassVar = DINOv2Config

    def __init__(self, config):
        super().__init__(config)
        self.patch_embedding = PatchEmbedding(config.patch_size, config.channels, config.d_model)
        self.position_embedding = StretchedPositions(config.patches_a_side, config.d_model)
        self.dropout = nn.Dropout(config.dropout)
        self.blocks = nn.ModuleList(
            ScaledBlock(
                config.d_model,
                config.n_heads,
                config.d_ff,
                config.activation,
                config.eps,
                config.dropout,
                config.layer_scale,
            )
            for _ in range(config.n_layers)
        )
        self.final_norm = nn.LayerNorm(config.d_model, config.eps)
        self.apply(initialise)

    def forward(self, images):
        """Return the last hidden states (B, T, D)."""
        x = self.embed(images)  # (B, T, D): [CLS] and the patches
        for block in self.blocks:
            x = block(x)  # (B, T, D)
        return self.final_norm(x)

    def embed(self, images):
        """Return what the first layer reads, (B, T, D): patch vectors plus position vectors."""
        check_tensor("images", images)
        check_cut(images, self.config.patch_size)
        if images.size(1) != self.config.channels:
            wanted = f"(B, {self.config.channels}, height, width)"
            raise ShapeError(f"images must have shape {wanted}, got {tuple(images.shape)}")
        check_image_dtype(images, self.patch_embedding.projection.weight.dtype)
        x = self.patch_embedding(images)  # (B, T, D)
        return self.dropout(x + self.position_embedding(*self.grid(images)))

    def hidden_states(self, images):
        """Return what enters the first layer and what leaves each: L + 1 of (B, T, D).

        The last one has passed the final LayerNorm.
        """
        states = [self.embed(images)]
        for block in self.blocks:
            states.append(block(states[-1]))
        return [*states[:-1], self.final_norm(states[-1])]

    def features(self, images):
        """Return the PictureFeatures of images: the last hidden states, taken apart."""
        hidden = self(images)  # (B, T, D)
        n_rows, n_columns = self.grid(images)
        return PictureFeatures(hidden[:, 0], hidden[:, 1:].unflatten(1, (n_rows, n_columns)))

    def grid(self, images):
        """Return how many rows and columns of patches images (B, C, height, width) have."""
        return images.size(2) // self.config.patch_size, images.size(3) // self.config.patch_size

    @classmethod
    def from_pretrained(cls, name_or_folder, revision=None):
        """Return a DINOv2 in eval mode from a folder or the hub ("facebook/dinov2-small").

        A folder holds config.json and safetensors, or one ONNX file that was exported from
        `transformers`, as `tutorial_lib.datasets.dinov2_folder()` does. Of that one only the
        backbone is read, which its author trained further to find regions of interest; the head
        that finds them is left alone.
        Raises MissingDataError when a file is not there; DamagedFileError when it is damaged, is
        another kind of model, or its tensors are not exactly those the configuration asks for.
        """
        folder = hub.resolve(name_or_folder, revision)
        if (folder / "config.json").is_file():
            sizes = read_dinov2_config(folder / "config.json")
            return cls.filled(folder, sizes, load_tensors(folder), FOREIGN_NAMES)
        graphs = sorted(folder.glob("*.onnx"))
        if len(graphs) != 1:
            raise MissingDataError(
                f"{folder} holds neither config.json nor one .onnx file, but {len(graphs)} of them"
            )
        return cls.filled(graphs[0], *read_dinov2_onnx(graphs[0]), FOREIGN_NAMES)


def normalised(images):
    """Return images (..., 3, height, width) from 0 to 1 as DINOv2 reads them: centred and scaled.

    Raises ShapeError when they do not have three colours.

    >>> normalised(torch.full((3, 1, 1), 0.5)).flatten().round(decimals=2)
    tensor([0.0700, 0.2000, 0.4200])
    """
    check_tensor("images", images)
    if images.dim() < 3 or images.size(-3) != len(MEAN) or not images.is_floating_point():
        raise ShapeError(
            "images must be floating point of shape (..., 3, height, width), got "
            f"{images.dtype} {tuple(images.shape)}"
        )
    mean, spread = (images.new_tensor(values)[:, None, None] for values in (MEAN, SPREAD))
    return (images - mean) / spread

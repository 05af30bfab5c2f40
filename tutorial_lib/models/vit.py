"""ViT: an encoder that reads a picture as a sequence of patches (Dosovitskiy et al. 2020)."""

from dataclasses import dataclass
from typing import ClassVar

from torch import nn

from tutorial_lib.files import hub, load_tensors
from tutorial_lib.models.base import Model, initialise
from tutorial_lib.models.blocks import Block
from tutorial_lib.models.checks import check_choice, check_images, check_sizes
from tutorial_lib.models.foreign.vit import FOREIGN_NAMES, read_vit_config
from tutorial_lib.models.masked_patches import MaskedPatches
from tutorial_lib.models.patches import (
    MaskablePatchEmbedding,
    PatchEmbedding,
    check_side,
    patches_a_side,
)
from tutorial_lib.positions import (
    LearnedGrid,
    LearnedPositions,
    RelativeGrid,
    SinusoidalGrid,
    SinusoidalPositions,
)

__all__ = ["ViT", "ViTConfig"]

POSITIONS = ("none", "sinusoidal", "sinusoidal_grid", "learned", "learned_grid", "relative")


@dataclass(frozen=True)
class ViTConfig:
    """The sizes of a ViT; d_ff None: 4 d_model.

    image_size: pixels along each side; overlap: pixels that neighbouring patches share.
    pooling: "cls", or "mean" over the patches (then there is no [CLS]).
    positions: "none"; "sinusoidal" or "learned", by number in the row (the paper's is "learned");
    "sinusoidal_grid" or "learned_grid", by row and column; "relative", a number for each step
    between two patches, the same in every layer.
    n_classes None: no classifier. n_patch_classes: the classes of a hidden patch (512 for 3 bits a
    colour), None: no such head. pooler: a layer with tanh over [CLS], as some files have.
    Raises ShapeError when a size is not positive, the heads do not divide the width or the
    patches do not fill the picture; ValueError for other names, another dropout or eps.

    >>> ViTConfig.base().n_patches
    196
    """

    image_size: int = 224
    patch_size: int = 16
    channels: int = 3
    d_model: int = 768
    n_layers: int = 12
    n_heads: int = 12
    d_ff: int | None = None
    dropout: float = 0.0
    eps: float = 1e-6
    activation: str = "gelu"
    overlap: int = 0
    pooling: str = "cls"
    positions: str = "learned"
    n_classes: int | None = 1000
    n_patch_classes: int | None = None
    pooler: bool = False

    def __post_init__(self):
        sizes = ("image_size", "patch_size", "channels", "d_model", "n_layers", "n_heads", "d_ff")
        check_sizes(self, (*sizes, "n_classes", "n_patch_classes"))
        check_side(self.image_size, self.patch_size, self.overlap)
        check_choice("pooling", self.pooling, ("cls", "mean"))
        check_choice("positions", self.positions, POSITIONS)
        if self.pooler and self.pooling == "mean":
            raise ValueError('the pooler reads [CLS], which pooling="mean" leaves out')

    @property
    def patches_a_side(self):
        """How many patches there are in a row, and in a column."""
        return patches_a_side(self.image_size, self.patch_size, self.overlap)

    @property
    def n_patches(self):
        """How many patches a picture has."""
        return self.patches_a_side**2

    @classmethod
    def base(cls, **changes):
        """ViT-Base: 86.6 M parameters with patches of 16."""
        return cls(**changes)

    @classmethod
    def large(cls, **changes):
        """ViT-Large: 304.3 M parameters with patches of 16, 306.5 M with 32 (307 published)."""
        return cls(**({"d_model": 1024, "n_layers": 24, "n_heads": 16} | changes))

    @classmethod
    def huge(cls, **changes):
        """ViT-Huge: 632.0 M parameters with patches of 14."""
        sizes = {"d_model": 1280, "n_layers": 32, "n_heads": 16, "patch_size": 14}
        return cls(**(sizes | changes))

    def build(self):
        """Return a ViT of these sizes with random weights."""
        return ViT(self)


class ViT(MaskedPatches, Model):
    """Patches as vectors with positions, then L layers in which every patch looks at every other.

    images (B, C, height, width), floating point like the weights. Returns logits (B, classes).

    Raises ShapeError when images have another shape or dtype, MissingHeadError when the head that
    is asked for was not built.

    >>> import torch
    >>> sizes = {"image_size": 4, "patch_size": 2, "d_model": 8, "n_layers": 2, "n_heads": 2}
    >>> ViT(ViTConfig(**sizes, n_classes=10))(torch.zeros(1, 3, 4, 4)).shape
    torch.Size([1, 10])
    """

    config_class: ClassVar = ViTConfig
    head_fields: ClassVar = ("n_classes", "n_patch_classes", "pooler")
    heads: ClassVar = ("classifier.", "patch_head.", "patch_embedding.mask", "pooler.")

    def __init__(self, config):
        super().__init__(config)
        self.patch_embedding = _patch_embedding(config)
        self.position_embedding = _position_vectors(config)
        self.relative = _relative_positions(config)
        self.dropout = nn.Dropout(config.dropout)
        self.blocks = nn.ModuleList(
            Block(
                config.d_model,
                config.n_heads,
                config.d_ff,
                norm="pre",
                activation=config.activation,
                eps=config.eps,
                dropout=config.dropout,
            )
            for _ in range(config.n_layers)
        )
        self.final_norm = nn.LayerNorm(config.d_model, config.eps)
        self.pooler = nn.Linear(config.d_model, config.d_model) if config.pooler else None
        self.classifier = _linear(config.d_model, config.n_classes)
        self.patch_head = _linear(config.d_model, config.n_patch_classes)
        self.apply(initialise)

    def forward(self, images):
        """Return the logits of the classes, (B, classes)."""
        x = self.embed(images)  # (B, T, D): [CLS] and the patches
        bias = self.score_bias()  # None, or (H, T, T)
        for block in self.blocks:
            x = block(x, bias=bias)  # (B, T, D)
        return self.logits(self.final_norm(x))  # (B, classes)

    def embed(self, images, **masking):
        """Return what the first layer reads, (B, T, D): patch vectors plus position vectors.

        masking: masked and source, as `masked_patch_logits` takes them.
        """
        check_images(images, self.config, self.patch_embedding.projection.weight.dtype)
        x = self.patch_embedding(images, **masking)  # (B, T, D)
        if self.position_embedding is not None:
            x = x + self.position_embedding()  # (T, D), the same for every picture
        return self.dropout(x)

    def logits(self, hidden):
        """Return the logits of the classes (B, classes) from last hidden states (B, T, D)."""
        classifier = self._part("classifier", "classifier", "n_classes=2")
        whole = hidden[:, 0] if self.config.pooling == "cls" else hidden.mean(dim=1)  # (B, D)
        return classifier(whole)

    def hidden_states(self, images, masked=None, source=None):
        """Return what enters the first layer and what leaves each: L + 1 of (B, T, D).

        The last one has passed the final LayerNorm. masked and source as `masked_patch_logits`.
        """
        states = [self.embed(images, **self.check_masking(masked, source))]
        bias = self.score_bias()
        for block in self.blocks:
            states.append(block(states[-1], bias=bias))
        return [*states[:-1], self.final_norm(states[-1])]

    def score_bias(self):
        """Return what relative positions add to the scores of each layer, (H, T, T), or None."""
        return None if self.relative is None else self.relative()

    def pooled(self, hidden):
        """Return the vector of [CLS] through the pooler, (B, D).

        Raises MissingHeadError when this model has no pooler.
        """
        return self._part("pooler", "pooler", "pooler=True")(hidden[:, 0]).tanh()

    @classmethod
    def from_pretrained(cls, name_or_folder, revision=None):
        """Return a ViT in eval mode from a folder or the hub ("google/vit-base-patch16-224").

        Raises MissingDataError when a file is not there; DamagedFileError when it is damaged, is
        another kind of model, or its tensors are not exactly those the configuration asks for.
        """
        folder = hub.resolve(name_or_folder, revision)
        sizes = read_vit_config(folder / "config.json")
        tensors = load_tensors(folder)
        bare = {FOREIGN_NAMES.bare(name): tensor for name, tensor in tensors.items()}
        sizes["n_classes"] = bare["classifier.bias"].numel() if "classifier.bias" in bare else None
        sizes["pooler"] = "pooler.dense.weight" in bare
        return cls.filled(folder, sizes, tensors, FOREIGN_NAMES)


def _linear(d_model, n_classes):
    return None if n_classes is None else nn.Linear(d_model, n_classes)


def _patch_embedding(config):
    kind = PatchEmbedding if config.n_patch_classes is None else MaskablePatchEmbedding
    sizes = (config.patch_size, config.channels, config.d_model, config.overlap)
    return kind(*sizes, class_token=config.pooling == "cls")


def _position_vectors(config):
    side, n_extra = config.patches_a_side, int(config.pooling == "cls")
    length = n_extra + config.n_patches
    if config.positions == "sinusoidal":
        return SinusoidalPositions(length, config.d_model)
    if config.positions == "sinusoidal_grid":
        return SinusoidalGrid(side, side, config.d_model, n_extra)
    if config.positions == "learned":
        return LearnedPositions(length, config.d_model)
    if config.positions == "learned_grid":
        return LearnedGrid(side, side, config.d_model, n_extra)
    return None


def _relative_positions(config):
    if config.positions != "relative":
        return None
    side, n_extra = config.patches_a_side, int(config.pooling == "cls")
    return RelativeGrid(config.n_heads, side, side, n_extra)

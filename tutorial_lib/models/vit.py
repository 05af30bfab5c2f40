"""ViT: an encoder that reads a picture as a sequence of patches (Dosovitskiy et al. 2020)."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import nn

from tutorial_lib.errors import ShapeError
from tutorial_lib.files import hub, load_tensors
from tutorial_lib.models.base import Model, initialise
from tutorial_lib.models.blocks import EncoderBlock
from tutorial_lib.models.checks import check_choice, check_ids, check_sizes, check_tensor
from tutorial_lib.models.foreign.vit import FOREIGN_NAMES, read_vit_config
from tutorial_lib.models.patches import PatchEmbedding, patches_a_side
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
    """The sizes of a ViT; d_ff None becomes 4 d_model (`replace` keeps it: say d_ff=None again).

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
        sizes = ["image_size", "patch_size", "channels", "d_model", "n_layers", "n_heads", "d_ff"]
        heads = ("n_classes", "n_patch_classes")
        sizes += [name for name in heads if getattr(self, name) is not None]
        check_sizes(self, sizes)
        check_choice("pooling", self.pooling, ("cls", "mean"))
        check_choice("positions", self.positions, POSITIONS)
        self.n_patches  # noqa: B018 (raises when they do not fit)
        if self.pooler and self.pooling == "mean":
            raise ValueError('the pooler reads [CLS], which pooling="mean" leaves out')

    @property
    def patches_a_side(self):
        """How many patches stand in a row, and in a column."""
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


class ViT(Model):
    """Patches as vectors with their places, then L layers in which all look at all.

    images (B, C, height, width), floating point like the weights. Returns logits (B, classes).

    Raises ShapeError when images have another shape or dtype, MissingDataError when the head that
    is asked for was not built.

    >>> sizes = {"image_size": 4, "patch_size": 2, "d_model": 8, "n_layers": 2, "n_heads": 2}
    >>> ViT(ViTConfig(**sizes, n_classes=10))(torch.zeros(1, 3, 4, 4)).shape
    torch.Size([1, 10])
    """

    config_class: ClassVar = ViTConfig
    head_fields: ClassVar = ("n_classes", "n_patch_classes", "pooler")
    heads: ClassVar = ("classifier.", "patch_head.", "patch_embedding.mask", "pooler.")

    def __init__(self, config):
        super().__init__(config)
        self.patch_embedding = PatchEmbedding(
            config.patch_size,
            config.channels,
            config.d_model,
            config.overlap,
            class_token=config.pooling == "cls",
            maskable=config.n_patch_classes is not None,
        )
        self.position_embedding = _position_vectors(config)
        self.relative = _relative_positions(config)
        self.dropout = nn.Dropout(config.dropout)
        self.blocks = nn.ModuleList(
            EncoderBlock(
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
        self.classifier, self.patch_head = (
            nn.Linear(config.d_model, n) if n else None
            for n in (config.n_classes, config.n_patch_classes)
        )
        self.apply(initialise)

    def forward(self, images):
        """Return the logits of the classes, (B, classes)."""
        return self.logits(self.hidden_states(images)[-1])

    def hidden_states(self, images, hidden=None, source=None):
        """Return what enters the first layer and what leaves each: L + 1 of (B, T, D).

        The last one has passed the final LayerNorm. hidden and source as `masked_patch_logits`.
        """
        bias = None if self.relative is None else self.relative()  # (H, T, T)
        states = [self.embed(images, hidden, source)]
        for block in self.blocks:
            states.append(block(states[-1], bias=bias))
        return [*states[:-1], self.final_norm(states[-1])]

    def embed(self, images, hidden=None, source=None):
        """Return what the first layer reads, (B, T, D): patch vectors plus position vectors.

        hidden and source as `masked_patch_logits`.
        """
        config = self.config
        check_tensor("images", images)
        wanted = (config.channels, config.image_size, config.image_size)
        if images.dim() != 4 or tuple(images.shape[1:]) != wanted:
            raise ShapeError(
                f"images must have shape (B, {', '.join(map(str, wanted))}), "
                f"got {tuple(images.shape)}"
            )
        dtype = self.patch_embedding.projection.weight.dtype
        other = images.is_floating_point() and images.dtype != dtype
        if other and not torch.is_autocast_enabled(images.device.type):  # it converts both
            raise ShapeError(
                f"images must be {dtype} like the weights of this ViT, got {images.dtype}"
            )
        if hidden is not None:
            self._check_hidden(hidden)
        if source is not None:
            check_ids("source", source, config.n_patches)
        x = self.patch_embedding(images, hidden, source)  # (B, T, D)
        if self.position_embedding is not None:
            x = x + self.position_embedding()  # (T, D), the same for every picture
        return self.dropout(x)

    def logits(self, hidden):
        """Return the logits of the classes (B, classes) from last hidden states (B, T, D)."""
        classifier = self._part("classifier", "classifier", "n_classes=2")
        whole = hidden[:, 0] if self.config.pooling == "cls" else hidden.mean(dim=1)
        return classifier(whole)

    def masked_patch_logits(self, images, hidden, source=None):
        """Return what each patch may be, (B, N, patch classes), after hiding some.

        hidden (B, N) bool, True where the mask vector stands; source (B, N), the patch whose
        vector stands at each place, its own by default (Dosovitskiy et al. 2020, B.1.2).
        Raises MissingDataError when this model has no such head, ShapeError when one of them has
        another shape or dtype, VocabularyError for a source that is no patch.
        """
        head = self._patch_head()
        last = self.hidden_states(images, hidden, source)[-1]
        return head(last[:, int(self.config.pooling == "cls") :])

    def pooled(self, hidden):
        """Return the vector of [CLS] through the pooler, (B, D).

        Raises MissingDataError when this model has no pooler.
        """
        return self._part("pooler", "pooler", "pooler=True")(hidden[:, 0]).tanh()

    def _patch_head(self):
        return self._part("patch_head", "head for hidden patches", "n_patch_classes=512")

    def _check_hidden(self, hidden):
        self._patch_head()  # without it there is no mask vector either
        check_tensor("hidden", hidden)
        if hidden.dtype != torch.bool:
            raise ShapeError(
                f"hidden must be torch.bool, True where the mask vector stands; got {hidden.dtype}"
            )

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

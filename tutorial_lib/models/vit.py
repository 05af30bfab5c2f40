"""ViT: an encoder that reads a picture as a sequence of patches (Dosovitskiy et al. 2020)."""

from typing import ClassVar

import torch
from torch import nn

from tutorial_lib import hub
from tutorial_lib.blocks import EncoderBlock
from tutorial_lib.errors import ShapeError
from tutorial_lib.models.base import Model, initialise
from tutorial_lib.models.checks import check_ids, check_tensor
from tutorial_lib.models.vit_config import ViTConfig
from tutorial_lib.models.vit_files import FOREIGN_NAMES, read_vit_config
from tutorial_lib.patches import PatchEmbedding
from tutorial_lib.positions import (
    LearnedGrid,
    LearnedPositions,
    RelativeGrid,
    SinusoidalGrid,
    SinusoidalPositions,
)
from tutorial_lib.weights import load_tensors

__all__ = ["ViT", "ViTConfig"]


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

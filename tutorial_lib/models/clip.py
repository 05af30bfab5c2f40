"""CLIP: two encoders, one space, where a picture lies near its caption (Radford et al. 2021)."""

import math
from dataclasses import dataclass
from typing import ClassVar

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.errors import VocabularyError
from tutorial_lib.files import hub, load_tensors
from tutorial_lib.models.base import Model, initialise
from tutorial_lib.models.blocks import Block
from tutorial_lib.models.checks import (
    check_choice,
    check_heads,
    check_ids,
    check_images,
    check_rates,
    check_whole_numbers,
    right_padding,
)
from tutorial_lib.models.foreign.clip import FOREIGN_NAMES, read_clip_config
from tutorial_lib.models.patches import PatchEmbedding, check_side, patches_a_side
from tutorial_lib.positions import LearnedPositions

__all__ = ["CLIP", "CLIPConfig"]

PUBLISHED = {
    "B/32": {"patch_size": 32},
    "B/16": {"patch_size": 16},
    "L/14": {"patch_size": 14, "d_image": 1024, "n_image_layers": 24, "n_image_heads": 16}
    | {"d_model": 768, "n_heads": 12, "d_joint": 768},
}
FIRST_TEMPERATURE = 0.07
LARGEST_SCALE = 100.0  # so the temperature stays above 0.01 (Radford et al. 2021, section 2.5)


@dataclass(frozen=True)
class CLIPConfig:
    """The sizes of a CLIP; d_ff and d_image_ff None: four times the width.

    Of the pictures: image_size, patch_size, channels, and d_image, n_image_layers, n_image_heads,
    d_image_ff of the ViT that reads them. Of the texts: vocab_size, context, and d_model, n_layers,
    n_heads, d_ff of the causal layers that read them. d_joint: the width of the common space.
    end_id: the token that ends a text, whose state stands for the whole text; None: the token with
    the highest id, as the first published files mean it.
    Raises ShapeError when a size is not positive, heads do not divide a width or the patches do not
    fill the picture; ValueError for another dropout, eps or activation, and an end_id outside the
    vocabulary.

    >>> CLIPConfig.published("L/14").n_image_layers
    24
    """

    image_size: int = 224
    patch_size: int = 32
    channels: int = 3
    d_image: int = 768
    n_image_layers: int = 12
    n_image_heads: int = 12
    d_image_ff: int | None = None
    vocab_size: int = 49_408
    context: int = 77
    d_model: int = 512
    n_layers: int = 12
    n_heads: int = 8
    d_ff: int | None = None
    d_joint: int = 512
    end_id: int | None = None
    dropout: float = 0.0
    eps: float = 1e-5
    activation: str = "quick_gelu"

    def __post_init__(self):
        sizes = ("image_size", "patch_size", "channels", "vocab_size", "context", "d_joint")
        image = ("d_image", "n_image_layers", "n_image_heads", "d_image_ff")
        check_whole_numbers(self, (*sizes, *image, "d_model", "n_layers", "n_heads", "d_ff"))
        check_heads(self.d_image, self.n_image_heads)
        check_heads(self.d_model, self.n_heads)
        check_side(self.image_size, self.patch_size, 0)
        check_rates(self)
        if self.end_id is not None and not 0 <= self.end_id < self.vocab_size:
            raise ValueError(f"end_id must be from 0 to {self.vocab_size - 1}, got {self.end_id}")

    @property
    def n_patches(self):
        """How many patches a picture has."""
        return patches_a_side(self.image_size, self.patch_size, 0) ** 2

    @classmethod
    def published(cls, size="B/32", **changes):
        """Return "B/32", "B/16" or "L/14": 151, 150 and 428 M parameters.

        Raises ValueError for another size.
        """
        check_choice("size", size, PUBLISHED)
        return cls(**(PUBLISHED[size] | changes))

    def build(self):
        """Return a CLIP of these sizes with random weights."""
        return CLIP(self)


class ImageEncoder(nn.Module):
    """A ViT that normalises its patches once more before the first layer, and has no classifier.

    images (B, C, height, width) -> hidden states (B, T, D): [CLS], then the patches.
    """

    def __init__(self, config):
        super().__init__()
        width = config.d_image
        self.patch_embedding = PatchEmbedding(
            config.patch_size, config.channels, width, linear_bias=False
        )
        self.position_embedding = LearnedPositions(1 + config.n_patches, width)
        self.embedding_norm = nn.LayerNorm(width, config.eps)
        self.dropout = nn.Dropout(config.dropout)
        self.blocks = _layers(
            config, config.n_image_layers, width, config.n_image_heads, config.d_image_ff
        )
        self.final_norm = nn.LayerNorm(width, config.eps)

    def forward(self, images):
        """Return the last hidden states (B, T, D)."""
        x = self.patch_embedding(images)  # (B, T, D)
        x = self.dropout(self.embedding_norm(x + self.position_embedding()))
        for block in self.blocks:
            x = block(x)  # (B, T, D)
        return self.final_norm(x)


class TextEncoder(nn.Module):
    """The layers of a GPT-2 without its output: each token sees itself and what stands before it.

    ids (B, T), mask (B, T) with padding on the right -> hidden states (B, T, D).
    """

    def __init__(self, config):
        super().__init__()
        width = config.d_model
        self.token_embedding = nn.Embedding(config.vocab_size, width)
        self.position_embedding = LearnedPositions(config.context, width)
        self.dropout = nn.Dropout(config.dropout)
        self.blocks = _layers(
            config, config.n_layers, width, config.n_heads, config.d_ff, causal=True
        )
        self.final_norm = nn.LayerNorm(width, config.eps)

    def forward(self, ids, mask=None):
        """Return the last hidden states (B, T, D)."""
        x = self.token_embedding(ids) + self.position_embedding(ids.size(1))  # (B, T, D)
        x = self.dropout(x)
        mask = None if mask is None else right_padding(mask, ids)  # (B, 1, 1, T)
        for block in self.blocks:
            x = block(x, mask)  # (B, T, D)
        return self.final_norm(x)


class CLIP(Model):
    """A picture and its caption as two vectors of one space; their cosine says how well they fit.

    images (B, C, height, width), floating point like the weights; ids (N, T) whole numbers below
    vocab_size, each text with its end token; mask (N, T), True = a real token, padding on the
    right. Returns logits (B, N), images x texts: cosines times a learned scale, which is 1 over the
    temperature. Row i through a softmax says which text belongs to picture i; column j, which
    picture to text j.

    Raises ShapeError (shape or dtype), VocabularyError (id, or a text without its end token),
    ContextError (too long), MaskError (a text that begins with padding, or is empty).

    >>> sizes = {"image_size": 4, "patch_size": 2, "d_image": 8, "n_image_layers": 1}
    >>> sizes |= {"n_image_heads": 2, "vocab_size": 9, "context": 5, "d_model": 4, "n_layers": 1}
    >>> model = CLIP(CLIPConfig(**sizes, n_heads=2, d_joint=6, end_id=8))
    >>> model(torch.zeros(3, 3, 4, 4), torch.tensor([[1, 5, 8], [2, 8, 8]])).shape
    torch.Size([3, 2])
    """

    config_class: ClassVar = CLIPConfig
    layer_counts: ClassVar = ("n_layers", "n_image_layers")

    def __init__(self, config):
        super().__init__(config)
        self.image_encoder = ImageEncoder(config)
        self.text_encoder = TextEncoder(config)
        self.image_projection = nn.Linear(config.d_image, config.d_joint, bias=False)
        self.text_projection = nn.Linear(config.d_model, config.d_joint, bias=False)
        self.log_scale = nn.Parameter(torch.tensor(math.log(1 / FIRST_TEMPERATURE)))
        self.apply(initialise)
        for projection in (self.image_projection, self.text_projection):
            nn.init.normal_(projection.weight, std=projection.in_features**-0.5)

    def forward(self, images, ids, mask=None):
        """Return the logits, images x texts: (B, N)."""
        return self.scale() * self.image_vectors(images) @ self.text_vectors(ids, mask).T

    def image_vectors(self, images):
        """Return one vector of length 1 a picture, (B, d_joint): made from [CLS]."""
        check_images(images, self.config, self.image_projection.weight.dtype)
        hidden = self.image_encoder(images)  # (B, T, D)
        return F.normalize(self.image_projection(hidden[:, 0]), dim=-1)

    def text_vectors(self, ids, mask=None):
        """Return one vector of length 1 a text, (N, d_joint): made from its end token.

        The layers look back only, so the end token is the first that has seen the whole text.
        """
        check_ids("ids", ids, self.config.vocab_size)
        hidden = self.text_encoder(ids, mask)  # (N, T, D)
        end = end_of_text(ids, self.config.end_id, mask)  # (N,)
        whole = hidden[torch.arange(len(ids), device=ids.device), end]  # (N, D)
        return F.normalize(self.text_projection(whole), dim=-1)

    def scale(self):
        """Return what the cosines are multiplied by: 1 over the temperature, at most 100."""
        largest = math.log(LARGEST_SCALE)
        if self.training:
            with torch.no_grad():  # the number itself: beyond the bound it would have no gradient
                self.log_scale.clamp_(max=largest)
        return self.log_scale.clamp(max=largest).exp()

    @classmethod
    def from_pretrained(cls, name_or_folder, revision=None):
        """Return a CLIP in eval mode from a folder or the hub ("openai/clip-vit-base-patch32").

        The course has no tokenizer for it: its ids come from CLIP's own, a lower-cased BPE whose
        tokens mark the end of a word; pictures are resized to image_size and normalised as the
        model's preprocessor_config.json says.
        Raises MissingDataError when a file is not there; DamagedFileError when it is damaged, is
        another kind of model, or its tensors are not exactly those the configuration asks for.
        """
        folder = hub.resolve(name_or_folder, revision)
        sizes = read_clip_config(folder / "config.json")
        return cls.filled(folder, sizes, load_tensors(folder), FOREIGN_NAMES)


def end_of_text(ids, end_id=None, mask=None):
    """Return where each text of ids (N, T) ends, (N,): its first end token, or its highest id.

    Raises VocabularyError for a text without an end token, or with mask without one that is real.

    >>> end_of_text(torch.tensor([[1, 5, 8, 8], [1, 8, 0, 0]]), end_id=8)
    tensor([2, 1])
    """
    if end_id is None:
        return ids.argmax(dim=1)
    ends = ids == end_id if mask is None else (ids == end_id) & mask
    missing = (~ends.any(dim=1)).nonzero().flatten().tolist()
    if missing:
        raise VocabularyError(
            f"text {missing[0]} has no end token: each row of ids needs the id {end_id} once"
        )
    return ends.int().argmax(dim=1)


def _layers(config, n_layers, width, n_heads, d_ff, causal=False):
    options = {"norm": "pre", "activation": config.activation, "eps": config.eps}
    return nn.ModuleList(
        Block(width, n_heads, d_ff, dropout=config.dropout, causal=causal, **options)
        for _ in range(n_layers)
    )

"""A search for pictures: two small heads bring the vectors of two frozen encoders together."""

import math
from dataclasses import dataclass
from typing import ClassVar

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.errors import MissingHeadError, ShapeError
from tutorial_lib.models.base import Model
from tutorial_lib.models.checks import (
    check_choice,
    check_tensor,
    check_whole_number,
    check_whole_numbers,
    is_number,
)
from tutorial_lib.models.clip import FIRST_TEMPERATURE, LARGEST_SCALE
from tutorial_lib.models.rounded_vectors import RoundedVectors

__all__ = ["PictureFinder", "PictureFinderConfig", "TwoHeads"]

PARTS = ("train", "validation", "test")


def head(d_in, d_hidden, d_joint, dropout=0.0):
    """Return a map from an encoder's vectors (..., d_in) to the common space (..., d_joint).

    The vectors are brought to one scale first. d_hidden None: the map is linear; else it has one
    hidden layer.
    """
    start = [nn.LayerNorm(d_in, elementwise_affine=False), nn.Dropout(dropout)]
    if d_hidden is None:
        return nn.Sequential(*start, nn.Linear(d_in, d_joint))
    return nn.Sequential(*start, nn.Linear(d_in, d_hidden), nn.GELU(), nn.Linear(d_hidden, d_joint))


class TwoHeads(nn.Module):
    """What CLIP learns when both of its encoders are given and stay as they are.

    texts (N, d_text) and images (B, d_image), vectors of frozen encoders -> logits (B, N), images x
    texts: cosines in the common space times a learned scale of at most 100. texts_stay: the common
    space is the one of the texts, which get no head; only the pictures' head learns.

    Raises ShapeError when a size is not positive, vectors have another width, or texts shall stay
    in a space of another width than d_joint.

    >>> TwoHeads(d_text=4, d_image=6, d_joint=3)(torch.zeros(2, 4), torch.zeros(5, 6)).shape
    torch.Size([5, 2])
    """

    def __init__(self, d_text, d_image, d_joint, d_hidden=None, dropout=0.0, texts_stay=False):
        super().__init__()
        for name, size in (("d_text", d_text), ("d_image", d_image), ("d_joint", d_joint)):
            check_whole_number(name, size)
        if texts_stay and d_joint != d_text:
            raise ShapeError(
                f"texts can stay only where d_joint is d_text, got {d_joint} and {d_text}"
            )
        self.d_text, self.d_image = d_text, d_image
        self.text_head = nn.Identity() if texts_stay else head(d_text, d_hidden, d_joint, dropout)
        self.image_head = head(d_image, d_hidden, d_joint, dropout)
        self.log_scale = nn.Parameter(torch.tensor(math.log(1 / FIRST_TEMPERATURE)))

    def forward(self, texts, images):
        """Return the logits, images x texts: (B, N)."""
        scale = self.log_scale.clamp(max=math.log(LARGEST_SCALE)).exp()
        return scale * self.image_vectors(images) @ self.text_vectors(texts).T

    def text_vectors(self, texts):
        """Return texts in the common space, vectors of length 1: (N, d_joint) of (N, d_text)."""
        _check_width("texts", texts, self.d_text)
        return F.normalize(self.text_head(texts), dim=-1)

    def image_vectors(self, images):
        """Return pictures in the common space, vectors of length 1: (B, d_joint)."""
        _check_width("images", images, self.d_image)
        return F.normalize(self.image_head(images), dim=-1)


@dataclass(frozen=True)
class PictureFinderConfig:
    """The sizes of a PictureFinder.

    d_text, d_image: of the two encoders' vectors; d_joint: of the common space; d_hidden: of the
    heads' hidden layers, None: they are linear; texts_stay: the texts get no head. n_train,
    n_validation, n_test: how many pictures of each part it knows.
    """

    d_text: int = 384
    d_image: int = 384
    d_joint: int = 256
    d_hidden: int | None = None
    dropout: float = 0.0
    texts_stay: bool = False
    n_train: int = 1
    n_validation: int = 1
    n_test: int = 1

    def __post_init__(self):
        counts = ("n_train", "n_validation", "n_test")
        check_whole_numbers(self, ("d_text", "d_image", "d_joint", "d_hidden", *counts))
        if not (is_number(self.dropout) and 0 <= self.dropout < 1):
            raise ValueError(f"dropout must lie between 0 and 1, got {self.dropout!r}")

    def build(self):
        """Return a PictureFinder of these sizes with random heads and no vectors yet."""
        return PictureFinder(self)


class PictureFinder(Model):
    """TwoHeads, and the vectors that the encoders made of pictures and of their names.

    The vectors, of a training, a validation and a test part one after the other, are rounded to
    one byte a number: the encoder of pictures need not be there. To find pictures for a text the
    encoder of texts must be: `reading_with` hands it over.

    >>> finder = PictureFinderConfig(d_text=4, d_image=6, d_joint=3, n_test=5).build()
    >>> finder.stored("test")[1].shape
    torch.Size([5, 6])
    """

    config_class: ClassVar = PictureFinderConfig
    layer_counts: ClassVar = ()

    def __init__(self, config):
        super().__init__(config)
        n = config.n_train + config.n_validation + config.n_test
        sizes = ("d_text", "d_image", "d_joint", "d_hidden", "dropout", "texts_stay")
        self.two_heads = TwoHeads(**{name: getattr(config, name) for name in sizes})
        self.names = RoundedVectors(n, config.d_text)
        self.pictures = RoundedVectors(n, config.d_image)
        self.reader = None  # the encoder of texts and its tokenizer: a tuple, so it is not stored

    @torch.no_grad()
    def fill(self, names, pictures):
        """Keep these vectors, rounded: names (n, d_text) and pictures (n, d_image), all parts."""
        self.names.load_state_dict(RoundedVectors.of(names).state_dict())
        self.pictures.load_state_dict(RoundedVectors.of(pictures).state_dict())
        return self

    def stored(self, part="test"):
        """Return what the encoders made of a part: of its names (n, d_text), of its pictures.

        Raises ValueError for another part.
        """
        rows = self._rows(part)
        return self.names.vectors(rows), self.pictures.vectors(rows)

    def reading_with(self, minilm, tokenizer):
        """Return this finder, which from now on reads texts with a BERT and its tokenizer.

        Raises ShapeError when its vectors have another width.
        """
        if minilm.config.d_model != self.config.d_text:
            raise ShapeError(
                f"the heads read vectors of {self.config.d_text} numbers, this BERT makes "
                f"{minilm.config.d_model}"
            )
        self.reader = (minilm.eval(), tokenizer)
        return self

    @torch.no_grad()
    def find(self, text, k=10, part="test"):
        """Return the k pictures of a part that fit a text best: their numbers and their cosines.

        Both are tensors (k,), the best first; fewer when the part has fewer pictures. Any text will
        do, in any language or none; of a long one the beginning counts.
        Raises ValueError when text is no string or has nothing to read, or k is below 1;
        MissingHeadError before `reading_with`.
        """
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k}")
        texts = self.two_heads.text_vectors(self.read(text))  # (1, d_joint)
        images = self.two_heads.image_vectors(self.stored(part)[1])  # (n, d_joint)
        scores, found = (images @ texts[0]).topk(min(k, len(images)))
        return found, scores

    @torch.no_grad()
    def read(self, text):
        """Return what the encoder of texts makes of a text, (1, d_text); errors as `find`."""
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"expected a text to look for, a word at least, got {text!r:.50}")
        if self.reader is None:
            raise MissingHeadError(
                "this finder cannot read yet: reading_with(minilm, tokenizer) hands it an encoder"
            )
        minilm, tokenizer = self.reader
        ids = tokenizer.encode(text).ids
        longest = minilm.config.context
        if len(ids) > longest:
            ids = [*ids[: longest - 1], ids[-1]]  # the last one says that the text ends
        return minilm.sentence_vectors(torch.tensor([ids]))

    def _rows(self, part):
        check_choice("part", part, PARTS)
        counts = [getattr(self.config, f"n_{name}") for name in PARTS]
        at = PARTS.index(part)
        return slice(sum(counts[:at]), sum(counts[: at + 1]))


def _check_width(name, vectors, width):
    check_tensor(name, vectors)
    if vectors.dim() != 2 or vectors.size(1) != width:
        raise ShapeError(f"{name} must have shape (N, {width}), got {tuple(vectors.shape)}")

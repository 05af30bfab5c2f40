"""Text to picture as writing: a GPT reads a caption and goes on with the codes of a picture.

A code book turns a picture into a short text of codes (`vq`), and a GPT continues a caption with
these, row by row: the two steps of DALL-E (Ramesh et al. 2021).
"""

from dataclasses import dataclass
from typing import ClassVar

import torch
import torch.nn.functional as F
from einops import rearrange

from tutorial_lib.decoding import sampling
from tutorial_lib.errors import ContextError, ShapeError, VocabularyError
from tutorial_lib.models.base import Model
from tutorial_lib.models.checks import check_ids, check_whole_numbers
from tutorial_lib.models.gpt import GPT, GPTConfig
from tutorial_lib.models.vq import VQAutoencoder, VQConfig

_VQ = ("image_size", "halvings", "d_hidden", "n_residual", "n_codes", "width")


@dataclass(frozen=True)
class PictureWriterConfig:
    """The sizes of a PictureWriter: those of its VQAutoencoder and of its GPT.

    vocab_size: of the captions' tokens, the first of which is padding; caption_length: how many
    tokens of a caption there are, with padding. Raises as VQConfig and GPTConfig do.

    >>> PictureWriterConfig(vocab_size=9).n_cells
    64
    """

    vocab_size: int
    caption_length: int = 16
    image_size: int = 32
    halvings: int = 2
    d_hidden: int = 48
    n_residual: int = 1
    n_codes: int = 256
    width: int = 32
    d_model: int = 96
    n_layers: int = 3
    n_heads: int = 4

    def __post_init__(self):
        check_whole_numbers(self, ("vocab_size", "caption_length"))
        self.of_autoencoder()
        self.of_gpt()

    @property
    def n_cells(self):
        """How many codes a picture has."""
        return (self.image_size // 2**self.halvings) ** 2

    def of_autoencoder(self):
        """Return the VQConfig."""
        return VQConfig(**{name: getattr(self, name) for name in _VQ})

    def of_gpt(self):
        """Return the GPTConfig: one vocabulary, tokens first and then codes."""
        sizes = {name: getattr(self, name) for name in ("d_model", "n_layers", "n_heads")}
        # The last code is never read, only written.
        context = self.caption_length + self.n_cells - 1
        return GPTConfig(vocab_size=self.vocab_size + self.n_codes, context=context, **sizes)

    def build(self):
        """Return a PictureWriter of these sizes with random weights."""
        return PictureWriter(self)


class PictureWriter(Model):
    """Captions to pictures: `write` draws codes, `paint` makes a picture of them.

    captions (B, caption_length): ids padded with 0 on the right, as `padded` makes them; codes
    (B, side, side), as the autoencoder makes them. Called with both it returns the logits of each
    code (B, n_cells, n_codes), given the caption and the codes before it.

    Raises ShapeError and VocabularyError for captions or codes that do not fit the sizes.

    >>> sizes = {"image_size": 8, "d_hidden": 4, "n_codes": 5, "width": 3}
    >>> writer = PictureWriterConfig(vocab_size=9, d_model=8, n_heads=2, **sizes).build().eval()
    >>> codes = writer.write(writer.padded([[3, 1, 4]]), seed=0)
    >>> codes.shape, writer.paint(codes).shape
    (torch.Size([1, 2, 2]), torch.Size([1, 3, 8, 8]))
    """

    config_class: ClassVar = PictureWriterConfig
    layer_counts: ClassVar = ("halvings", "n_residual", "n_layers")

    def __init__(self, config):
        super().__init__(config)
        self.autoencoder = VQAutoencoder(config.of_autoencoder())
        self.gpt = GPT(config.of_gpt())

    def padded(self, captions):
        """Return lists of ids as a tensor (B, caption_length), padded with 0 on the right.

        Raises ShapeError for an empty caption, ContextError for one that is too long.
        """
        length = self.config.caption_length
        for ids in captions:
            if not len(ids):
                raise ShapeError("a caption has one token or more, got an empty one")
            if len(ids) > length:
                raise ContextError(f"a caption has at most {length} tokens, got {len(ids)}")
        rows = [[*ids, *[0] * (length - len(ids))] for ids in captions]
        return torch.tensor(rows).reshape(len(rows), length)

    def forward(self, captions, codes):
        """Return the logits (B, n_cells, n_codes) of codes (B, side, side) after captions."""
        self._check(captions)
        side = self.config.of_autoencoder().side
        if codes.dim() != 3 or codes.shape != (len(captions), side, side):
            raise ShapeError(
                f"expected codes ({len(captions)}, {side}, {side}), got {tuple(codes.shape)}"
            )
        check_ids("codes", codes.flatten(1), self.config.n_codes)
        written = rearrange(codes, "batch y x -> batch (y x)") + self.config.vocab_size
        read = torch.cat([captions, written[:, :-1]], dim=1)  # (B, T)
        hidden = self.gpt.read(read)[:, self.config.caption_length - 1 :]  # (B, n_cells, D)
        # Only codes can follow, so only their vectors are compared.
        return F.linear(hidden, self.gpt.output_vectors[self.config.vocab_size :])

    def nats(self, captions, codes):
        """Return how surprising each picture's codes are, in nats a code: (B,)."""
        logits = self(captions, codes)
        each = F.cross_entropy(logits.transpose(1, 2), codes.flatten(1), reduction="none")
        return each.mean(dim=1)

    def loss(self, captions, codes):
        """Return what training of the GPT makes small: the mean of `nats`."""
        return self.nats(captions, codes).mean()

    @torch.no_grad()
    def write(self, captions, seed=None, heat=1.0, among=None):
        """Return codes (B, side, side), drawn one after another for captions.

        heat and among: the temperature, and how many of the likeliest codes are drawn from (None:
        all). The same seed gives the same draws; None uses PyTorch's own random numbers.
        """
        self._check(captions)
        generator = None if seed is None else torch.Generator().manual_seed(seed)
        n_words = self.config.vocab_size
        cache = self.gpt.new_cache(len(captions))
        read, written = captions, []
        for _ in range(self.config.n_cells):
            logits = self.gpt(read, cache=cache, last_only=True)[:, -1, n_words:]  # (B, n_codes)
            logits = sampling.temperature(logits, heat)
            if among is not None:
                logits = sampling.top_k(logits, among)
            code = sampling.sample(logits, generator)  # (B,)
            written.append(code)
            read = code[:, None] + n_words
        side = self.config.of_autoencoder().side
        return rearrange(torch.stack(written, dim=1), "batch (y x) -> batch y x", x=side)

    def paint(self, codes):
        """Return the pictures (B, C, height, width) of codes (B, side, side)."""
        return self.autoencoder.decode(codes)

    def _check(self, captions):
        length = self.config.caption_length
        check_ids("captions", captions, self.config.vocab_size)
        if captions.dim() != 2 or captions.size(1) != length:
            raise ShapeError(f"expected captions (B, {length}), got {tuple(captions.shape)}")
        if (captions[:, 0] == 0).any():
            raise VocabularyError("a caption begins with a token, not with padding (0)")

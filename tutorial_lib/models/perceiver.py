"""Perceiver and Perceiver IO: a few latents that read anything, and answer any query.

Jaegle et al. (2021) introduced the latents, Jaegle et al. (2022) the queries.
"""

from dataclasses import dataclass
from typing import ClassVar

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.attention import CrossAttention, token_mask
from tutorial_lib.errors import ShapeError
from tutorial_lib.files import hub, load_tensors
from tutorial_lib.models.base import Model, initialise
from tutorial_lib.models.blocks import FeedForward
from tutorial_lib.models.checks import (
    check_heads,
    check_ids,
    check_rates,
    check_same_shape,
    check_tensor,
    check_whole_numbers,
)
from tutorial_lib.models.foreign.perceiver import FOREIGN_NAMES, read_perceiver_config
from tutorial_lib.positions import LearnedPositions

__all__ = ["Perceiver", "PerceiverConfig"]

LANGUAGE = {"vocab_size": 262, "context": 2048, "d_input": 768, "n_latents": 256, "d_latent": 1280}
LANGUAGE |= {"n_layers": 26, "n_heads": 8, "d_qk": 256, "n_read_heads": 8, "d_read_qk": 256}
LANGUAGE |= {"d_read_value": 1280, "d_query": 768, "n_query_heads": 8, "d_query_qk": 256}


@dataclass(frozen=True)
class PerceiverConfig:
    """The sizes of a Perceiver.

    d_input: the width C of what is read. n_latents latents, d_latent wide, read it once, then go
    n_rounds times through the same n_layers layers with n_heads heads; d_qk: the width in which
    these compare, None: d_latent; d_ff_ratio: that of their feed-forward networks over d_latent.
    n_read_heads, d_read_qk, d_read_value (None: C, and d_read_qk), read_d_ff_ratio: of the reading.
    vocab_size and context: for ids in place of vectors, with learned positions; then the answers
    are logits. d_query: the width of the queries, None: nothing can be asked. n_query_heads and
    d_query_qk (None: d_query): of the answering. d_output: a linear map of the answers, None: none.
    n_classes: a classifier of the latents' mean.
    Raises ShapeError when a size is not positive or heads do not divide d_latent (for other widths
    `build` does); ValueError for another dropout, eps or activation, for a vocabulary without
    context or queries, and for a d_output without queries.

    >>> PerceiverConfig.language().n_latents
    256
    """

    d_input: int
    n_latents: int = 64
    d_latent: int = 128
    n_layers: int = 4
    n_rounds: int = 1
    n_heads: int = 4
    d_qk: int | None = None
    d_ff_ratio: int = 1
    n_read_heads: int = 1
    d_read_qk: int | None = None
    d_read_value: int | None = None
    read_d_ff_ratio: int = 1
    vocab_size: int | None = None
    context: int | None = None
    d_query: int | None = None
    n_query_heads: int = 1
    d_query_qk: int | None = None
    d_output: int | None = None
    n_classes: int | None = None
    dropout: float = 0.0
    eps: float = 1e-5
    activation: str = "gelu"

    def __post_init__(self):
        sizes = ("d_input", "n_latents", "d_latent", "n_layers", "n_rounds", "n_heads")
        sizes += ("d_qk", "d_ff_ratio", "n_read_heads", "d_read_qk", "d_read_value")
        sizes += ("read_d_ff_ratio", "vocab_size", "context", "d_query", "n_query_heads")
        sizes += ("d_query_qk", "d_output", "n_classes")
        check_whole_numbers(self, sizes)
        check_rates(self)
        check_heads(self.d_latent, self.n_heads)
        if self.vocab_size and not (self.context and self.d_query == self.d_input):
            raise ValueError(
                "a Perceiver that reads ids needs context, and d_query as wide as d_input"
            )

        if self.d_output and not self.d_query:
            raise ValueError("d_output is a map of what queries are answered: it needs d_query")

    @classmethod
    def language(cls, **changes):
        """The byte-level language model of Perceiver IO: 201 M parameters published."""
        return cls(**(LANGUAGE | changes))

    def build(self):
        """Return a Perceiver of these sizes with random weights."""
        return Perceiver(self)


class PerceiverLayer(nn.Module):
    """Attention, then a feed-forward network, each added to x (B, T, D) after its LayerNorm.

    attention is a CrossAttention; d_context: the width of what is asked, None: x itself. d_ff_ratio
    as in the config. keeps_query: whether what was gathered is added to x or takes its place.
    """

    def __init__(self, attention, d_model, config, d_context=None, d_ff_ratio=1, keeps_query=True):
        super().__init__()
        self.keeps_query = keeps_query
        self.attention = attention
        self.attention_norm = nn.LayerNorm(d_model, config.eps)
        self.context_norm = None if d_context is None else nn.LayerNorm(d_context, config.eps)
        self.feed_forward = FeedForward(d_model, d_ff_ratio * d_model, config.activation)
        self.feed_forward_norm = nn.LayerNorm(d_model, config.eps)

    def forward(self, x, context=None, mask=None):
        """Return (B, T, D) from x of this shape and what it looks at, (B, S, C)."""
        if context is not None:
            context = self.context_norm(context)
        found = self.attention(self.attention_norm(x), context, mask)
        x = x + found if self.keeps_query else found
        return x + self.feed_forward(self.feed_forward_norm(x))


class Perceiver(Model):
    """Learned latents read the inputs, think among themselves, and answer queries.

    inputs: vectors (B, M, C) of any kind, or ids (B, M) where the config has a vocabulary. mask
    (B, M), True = a real input. queries (B, O, Q) or (O, Q), one for each output that is wanted.
    Returns the answers (B, O, d_output); for ids, whose queries are learned, the logits of the
    vocabulary (B, M, V); without queries, the logits (B, classes) or else the latents (B, N, D).

    Raises ShapeError when an input does not fit, VocabularyError for an id that is not in the
    vocabulary, MaskError when nothing may be read, MissingHeadError when queries are given to a
    model that cannot be asked.

    >>> config = PerceiverConfig(d_input=5, n_latents=3, d_latent=8, d_query=4, d_output=2)
    >>> model = Perceiver(config)
    >>> model(torch.zeros(1, 100, 5), queries=torch.zeros(7, 4)).shape
    torch.Size([1, 7, 2])
    """

    config_class: ClassVar = PerceiverConfig
    head_fields: ClassVar = ("n_classes", "d_query", "d_output")
    heads: ClassVar = ("classifier.", "ask.", "answer.")

    def __init__(self, config):
        super().__init__(config)
        c = config
        self.token_embedding = self.positions = self.queries = self.bias = None
        if c.vocab_size:
            self.token_embedding = nn.Embedding(c.vocab_size, c.d_input)
            self.positions = LearnedPositions(c.context, c.d_input)
            self.queries = LearnedPositions(c.context, c.d_query)
            self.bias = nn.Parameter(torch.zeros(c.vocab_size))
        self.latents = nn.Parameter(torch.randn(c.n_latents, c.d_latent) * 0.02)
        widths = (c.d_latent, c.n_read_heads, c.d_input, c.d_read_qk or c.d_input, c.d_read_value)
        reading = CrossAttention(*widths, c.dropout)
        self.read = PerceiverLayer(reading, c.d_latent, c, c.d_input, c.read_d_ff_ratio)
        self.blocks = nn.ModuleList(_thinking(c) for _ in range(c.n_layers))
        self.ask = _asking(c)
        self.answer = None if c.d_output is None else nn.Linear(c.d_query, c.d_output)
        self.classifier = None if c.n_classes is None else nn.Linear(c.d_latent, c.n_classes)
        self.apply(initialise)

    def forward(self, inputs, queries=None, mask=None):
        """Return answers (B, O, d_output), logits (B, classes) or latents (B, N, D)."""
        latents = self.encode(inputs, mask)  # (B, N, D)
        if queries is None and self.queries is not None:
            queries = self.queries(inputs.size(1))  # (M, C), one for each id
        if queries is not None:
            return self.decode(latents, queries)
        if self.classifier is None:
            return latents
        return self.classifier(latents.mean(dim=1))  # (B, classes)

    def encode(self, inputs, mask=None):
        """Return the latents after reading the inputs, (B, N, D)."""
        x = self.vectors(inputs)  # (B, M, C)
        if mask is not None:
            check_same_shape("mask", mask, x[..., 0], "the inputs")
            mask = token_mask(mask)  # (B, 1, 1, M)
        latents = self.read(self.latents.expand(len(x), -1, -1), x, mask)  # (B, N, D)
        for _ in range(self.config.n_rounds):
            for block in self.blocks:
                latents = block(latents)
        return latents

    def vectors(self, inputs):
        """Return what is read, (B, M, C): the inputs, or vectors and positions of their ids."""
        check_tensor("inputs", inputs)
        if self.token_embedding is None or inputs.is_floating_point():
            self._check_vectors("inputs", inputs, (3,), self.config.d_input, "(B, M, {0})")
            return inputs
        check_ids("inputs", inputs, self.config.vocab_size)
        return self.token_embedding(inputs) + self.positions(inputs.size(1))

    def decode(self, latents, queries):
        """Return what the latents (B, N, D) answer to queries (B, O, Q) or (O, Q)."""
        ask = self._part("ask", "queries", "d_query=32")
        check_tensor("queries", queries)
        shape = "(B, O, {0}) or (O, {0})"
        self._check_vectors("queries", queries, (2, 3), self.config.d_query, shape)
        if queries.dim() == 3 and len(queries) not in (1, len(latents)):
            raise ShapeError(
                f"queries must be those of one input or of all {len(latents)}, got {len(queries)}"
            )
        answers = ask(queries.expand(len(latents), -1, -1), latents)  # (B, O, Q)
        if self.answer is not None:
            return self.answer(answers)  # (B, O, d_output)
        if self.bias is None:
            return answers
        return F.linear(answers, self.token_embedding.weight, self.bias)  # (B, O, V)

    def _check_vectors(self, name, x, dims, width, shape):
        dtype = self.latents.dtype
        if x.dim() not in dims or x.size(-1) != width or not x.numel() or x.dtype != dtype:
            raise ShapeError(
                f"{name} must be {dtype}, not empty, of shape {shape.format(width)}, "
                f"got {x.dtype} {tuple(x.shape)}"
            )

    @classmethod
    def from_pretrained(cls, name_or_folder, revision=None):
        """Return a Perceiver of bytes in eval mode from a folder or the hub.

        "deepmind/language-perceiver" is one that the hub has. Raises MissingDataError when a file
        is not there; DamagedFileError when it is damaged, is another kind of model, or its tensors
        are not exactly those the configuration asks for.
        """
        folder = hub.resolve(name_or_folder, revision)
        sizes = read_perceiver_config(folder / "config.json")
        return cls.filled(folder, sizes, load_tensors(folder), FOREIGN_NAMES)


def _thinking(config):
    widths = (config.d_latent, config.n_heads, None, config.d_qk, config.d_latent)
    attention = CrossAttention(*widths, config.dropout, stack="encoder")
    return PerceiverLayer(attention, config.d_latent, config, None, config.d_ff_ratio)


def _asking(config):
    if config.d_query is None:
        return None
    widths = (config.d_query, config.n_query_heads, config.d_latent, config.d_query_qk)
    attention = CrossAttention(*widths, config.d_query, config.dropout)
    return PerceiverLayer(attention, config.d_query, config, config.d_latent, keeps_query=False)

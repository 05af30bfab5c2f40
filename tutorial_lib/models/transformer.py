"""The Transformer: an encoder that reads and a decoder that writes (Vaswani et al. 2017).

There is no `from_pretrained`: the authors published no weights, and the translators that others
did publish (Marian's, for instance) differ from the paper in their positions and output layer.
`load` reads what this course has trained.
"""

from dataclasses import dataclass
from typing import ClassVar

import torch.nn.functional as F
from torch import nn

from tutorial_lib.attention import ModelCache, token_mask
from tutorial_lib.errors import ShapeError
from tutorial_lib.models.base import Model
from tutorial_lib.models.blocks import Block, DecoderBlock
from tutorial_lib.models.checks import (
    check_choice,
    check_ids,
    check_same_shape,
    check_sizes,
    right_padding,
)
from tutorial_lib.positions import SinusoidalPositions


@dataclass(frozen=True)
class TransformerConfig:
    """The sizes of a Transformer; n_decoder_layers None: n_layers, d_ff None: 4 d_model.

    target_vocab_size None: both languages share one vocabulary and one table of vectors, as in
    the paper. The output layer is tied to the target's table either way.
    context: the most tokens of a source or a target. Sinusoids would allow any number; it bounds
    the table of positions and the size of a cache.
    norm: "post" (the paper), or "pre" with one more LayerNorm after each stack.
    Raises ShapeError when a size is not positive or the heads do not divide the width,
    ValueError for another norm, dropout, eps or activation.

    >>> TransformerConfig.big().d_model
    1024
    """

    source_vocab_size: int = 37_000
    target_vocab_size: int | None = None
    context: int = 512
    d_model: int = 512
    n_layers: int = 6
    n_decoder_layers: int | None = None
    n_heads: int = 8
    d_ff: int | None = None
    dropout: float = 0.0
    eps: float = 1e-5
    activation: str = "relu"
    norm: str = "post"

    def __post_init__(self):
        sizes = ("source_vocab_size", "target_vocab_size", "context", "d_model", "n_heads", "d_ff")
        check_sizes(self, (*sizes, "n_layers", "n_decoder_layers"))
        check_choice("norm", self.norm, ("pre", "post"))

    @property
    def shared_vocabulary(self):
        """Whether source and target use the same ids and vectors."""
        return self.target_vocab_size is None

    @property
    def vocab_size(self):
        """The number of ids that the decoder reads and writes."""
        return self.source_vocab_size if self.shared_vocabulary else self.target_vocab_size

    @classmethod
    def base(cls, **changes):
        """The paper's base model: 63.1 M parameters (65 published; dropout there 0.1)."""
        return cls(**changes)

    @classmethod
    def big(cls, **changes):
        """The paper's big model: 214.2 M parameters (213 published; dropout there 0.3)."""
        return cls(**({"d_model": 1024, "n_heads": 16} | changes))

    def build(self):
        """Return a Transformer of these sizes with random weights."""
        return Transformer(self)


class Transformer(Model):
    """An encoder reads the source, a decoder looks at it and at what it has written so far.

    source (B, S) and target (B, T) are ids; the target begins with a start token. source_mask
    (B, S) and target_mask (B, T): True = a real token; the target's padding stands on the right.
    Returns the logits of the token after each of target, (B, T, V).

    Raises ShapeError (shape or dtype), VocabularyError (id), ContextError (too long),
    MaskError (a source that is all padding, a target that begins with padding).

    >>> import torch
    >>> config = TransformerConfig(source_vocab_size=9, d_model=4, n_layers=2, n_heads=2)
    >>> model = Transformer(config)
    >>> model(torch.tensor([[1, 5, 2]]), torch.tensor([[0, 4]])).shape
    torch.Size([1, 2, 9])
    """

    config_class: ClassVar = TransformerConfig

    def __init__(self, config):
        super().__init__(config)
        self.source_embedding = ScaledEmbedding(config.source_vocab_size, config.d_model)
        self.source_positions = SinusoidalPositions(config.context, config.d_model)
        self.target_embedding = ScaledEmbedding(config.vocab_size, config.d_model)
        self.target_positions = SinusoidalPositions(config.context, config.d_model)
        if config.shared_vocabulary:
            self.target_embedding.weight = self.source_embedding.weight
        self.dropout = nn.Dropout(config.dropout)
        sizes = (config.d_model, config.n_heads, config.d_ff)
        options = {name: getattr(config, name) for name in ("norm", "activation", "eps", "dropout")}
        self.encoder_blocks = nn.ModuleList(
            Block(*sizes, **options) for _ in range(config.n_layers)
        )
        self.decoder_blocks = nn.ModuleList(
            DecoderBlock(*sizes, **options)
            for _ in range(config.n_decoder_layers or config.n_layers)
        )
        self.encoder_norm = final_norm(config)
        self.decoder_norm = final_norm(config)
        self.apply(_initialise)

    def forward(self, source, target, source_mask=None, target_mask=None):
        """Return the logits of the token after each of target, (B, T, V)."""
        memory = self.encode(source, source_mask)
        return self.decode(target, memory, source_mask, target_mask)

    def encode(self, source, source_mask=None):
        """Return what the encoder makes of source (B, S): its memory, (B, S, D)."""
        return self.encoder_states(source, source_mask)[-1]

    def decode(
        self, target, memory, source_mask=None, target_mask=None, cache=None, last_only=False
    ):
        """Return the logits of the token after each of target, (B, T, V).

        memory (B, S, D) is `encode`'s. With a cache from `new_cache`, target holds the tokens
        after those it has read, target_mask covers both, and the keys and values of the memory
        are those of the first call. last_only: the logits of the last position alone, (B, 1, V).
        """
        y = self.decoder_states(target, memory, source_mask, target_mask, cache)[-1]  # (B, T, D)
        return self.logits(y[:, -1:] if last_only else y)  # (B, T, V) or (B, 1, V)

    def logits(self, hidden):
        """Return how likely each token is next, before the softmax: (B, T, V) from (B, T, D)."""
        return F.linear(hidden, self.target_embedding.weight)

    def hidden_states(self, source, target, source_mask=None, target_mask=None):
        """Return what enters the first layer and what leaves each, in the encoder and the decoder.

        Two lists: L + 1 of (B, S, D), and as many as the decoder has layers, and one more, of
        (B, T, D). In each the last one has passed the final LayerNorm, where there is one.
        """
        encoder = self.encoder_states(source, source_mask)
        return encoder, self.decoder_states(target, encoder[-1], source_mask, target_mask)

    def encoder_states(self, source, source_mask=None):
        """Return the hidden states of the encoder, as `hidden_states` does."""
        check_ids("source", source, self.config.source_vocab_size)
        if source_mask is not None:
            check_same_shape("source_mask", source_mask, source, "source")
            source_mask = token_mask(source_mask)  # (B, 1, 1, S)
        states = [self.embed_source(source)]  # (B, S, D)
        bias = self.encoder_bias(source.size(1))
        for block in self.encoder_blocks:
            states.append(block(states[-1], source_mask, bias))
        return [*states[:-1], self.encoder_norm(states[-1])]

    def decoder_states(self, target, memory, source_mask=None, target_mask=None, cache=None):
        """Return the hidden states of the decoder, as `hidden_states` does; arguments as decode."""
        n_read = 0 if cache is None else len(cache)
        self._check_decoder(target, memory, source_mask, n_read)
        if source_mask is not None:
            source_mask = token_mask(source_mask)  # (B, 1, 1, S)
        if target_mask is not None:
            target_mask = right_padding(target_mask, target, n_read)  # (B, 1, 1, T)
        if cache is not None and cache.cross is None:
            sizes = memory.shape[:2]
            cache.cross = self.layer_caches(len(self.decoder_blocks), *sizes)
        states = [self.embed_target(target, n_read)]  # (B, T, D)
        bias = self.decoder_bias(target.size(1), n_read)
        for n, block in enumerate(self.decoder_blocks):
            caches = (None, None) if cache is None else (cache.layers[n], cache.cross[n])
            states.append(block(states[-1], memory, target_mask, source_mask, caches, bias))
        return [*states[:-1], self.decoder_norm(states[-1])]

    def embed_source(self, source):
        """Return what the encoder's first layer reads, (B, S, D)."""
        x = self.source_embedding(source) + self.source_positions(source.size(1))
        return self.dropout(x)

    def embed_target(self, target, n_read):
        """Return what the decoder's first layer reads, (B, T, D); n_read tokens came before."""
        y = self.target_embedding(target) + self.target_positions(target.size(1), n_read)
        return self.dropout(y)

    def encoder_bias(self, n_tokens):
        """Return what is added to the encoder's scores, (H, S, S): nothing here; T5's distances."""

    def decoder_bias(self, n_new, n_read):
        """Return what is added to the decoder's scores, (H, T, n_read + T): as `encoder_bias`."""

    def new_cache(self, batch=1, context=None):
        """Return an empty ModelCache for `batch` targets of up to `context` tokens."""
        context = context or self.config.context
        return ModelCache(self.layer_caches(len(self.decoder_blocks), batch, context))

    def _check_decoder(self, target, memory, source_mask, n_read):
        check_ids("target", target, self.config.vocab_size)
        wanted = (target.size(0), self.config.d_model)
        if memory.dim() != 3 or (memory.size(0), memory.size(2)) != wanted:
            raise ShapeError(
                f"a target of shape {tuple(target.shape)} needs the memory of a source with shape "
                f"({wanted[0]}, S, {wanted[1]}), got {tuple(memory.shape)}"
            )
        if source_mask is not None:
            check_same_shape("source_mask", source_mask, memory[..., 0], "source")


class ScaledEmbedding(nn.Embedding):
    """A table of vectors, multiplied by sqrt(D) when they are read (section 3.4).

    The same table, not multiplied, gives the logits; small there, the vectors are as large as the
    positions here.
    """

    def forward(self, ids):
        """Return the vectors (..., D) of ids (...)."""
        return super().forward(ids) * self.embedding_dim**0.5


def final_norm(config):
    """Return the LayerNorm after a stack: in pre-norm, what its layers add is never normalised."""
    return nn.LayerNorm(config.d_model, config.eps) if config.norm == "pre" else nn.Identity()


def _initialise(module):
    if isinstance(module, nn.Embedding):
        nn.init.normal_(module.weight, std=module.embedding_dim**-0.5)
    elif isinstance(module, nn.Linear):
        nn.init.xavier_uniform_(module.weight)
        nn.init.zeros_(module.bias)

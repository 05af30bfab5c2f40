"""BART: a Transformer that learns by mending damaged text (Lewis et al. 2019).

A diff on `transformer`: learned positions, a norm on what the layers read, GELU, one vocabulary.
What is new is what it is asked to do (`objectives.corruption`).
"""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import nn

from tutorial_lib.files import hub, load_tensors
from tutorial_lib.models.base import Model, initialise
from tutorial_lib.models.blocks import Block, DecoderBlock
from tutorial_lib.models.checks import check_pad_id, check_sizes
from tutorial_lib.models.foreign.bart import NAMES, read_bart_config
from tutorial_lib.models.transformer import Transformer
from tutorial_lib.positions import LearnedPositions
from tutorial_lib.positions.vectors import check_length

_UNUSED = 2  # rows of the position tables: where the padding's position stood in an older program


@dataclass(frozen=True)
class BARTConfig:
    """The sizes of a BART; those of BART-base where you give none.

    context: the most tokens of a source or a target. pad_id is what the files say; masks say what
    is padding.
    Raises ShapeError when a size is not positive or the heads do not divide the width,
    ValueError for another dropout, eps, activation or pad_id.

    >>> BARTConfig.large().n_layers
    12
    """

    vocab_size: int = 50_265
    context: int = 1_024
    d_model: int = 768
    n_layers: int = 6
    n_decoder_layers: int | None = None
    n_heads: int = 12
    d_ff: int | None = None
    dropout: float = 0.0
    eps: float = 1e-5
    activation: str = "gelu"
    pad_id: int = 1

    def __post_init__(self):
        sizes = ("vocab_size", "context", "d_model", "n_layers", "n_decoder_layers", "n_heads")
        check_sizes(self, (*sizes, "d_ff"))
        check_pad_id(self)

    @property
    def source_vocab_size(self):
        """The number of ids that the encoder reads: the same as the decoder's."""
        return self.vocab_size

    @classmethod
    def base(cls, **changes):
        """BART-base: 6 + 6 layers, 139 M parameters."""
        return cls(**changes)

    @classmethod
    def large(cls, **changes):
        """BART-large: 12 + 12 layers, 406 M parameters."""
        return cls(**({"d_model": 1_024, "n_layers": 12, "n_heads": 16} | changes))

    def build(self):
        """Return a BART of these sizes with random weights."""
        return BART(self)


class BART(Transformer):
    """A Transformer with learned positions and GELU; called as its parent is.

    source (B, S) and target (B, T) are ids of one vocabulary; the target begins with a start
    token, which in the published models is the end token.

    >>> config = BARTConfig(vocab_size=9, context=8, d_model=4, n_layers=2, n_heads=2)
    >>> BART(config)(torch.tensor([[1, 5, 2]]), torch.tensor([[0, 4]])).shape
    torch.Size([1, 2, 9])
    """

    config_class: ClassVar = BARTConfig

    def __init__(self, config):
        Model.__init__(self, config)  # not Transformer's: most of its parts are others here
        self.source_embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.target_embedding = self.source_embedding
        self.source_positions = LearnedPositions(config.context + _UNUSED, config.d_model)
        self.target_positions = LearnedPositions(config.context + _UNUSED, config.d_model)
        self.source_norm = nn.LayerNorm(config.d_model, config.eps)
        self.target_norm = nn.LayerNorm(config.d_model, config.eps)
        sizes = (config.d_model, config.n_heads, config.d_ff, "post", config.activation)
        options = {"eps": config.eps, "dropout": config.dropout}
        self.encoder_blocks = nn.ModuleList(
            Block(*sizes, **options) for _ in range(config.n_layers)
        )
        self.decoder_blocks = nn.ModuleList(
            DecoderBlock(*sizes, **options)
            for _ in range(config.n_decoder_layers or config.n_layers)
        )
        self.encoder_norm = self.decoder_norm = nn.Identity()
        self.dropout = nn.Dropout(config.dropout)
        # Added to the logits; in the published models it is 0 and does not learn.
        self.register_buffer("output_bias", torch.zeros(config.vocab_size))
        self.apply(initialise)

    def embed_source(self, source):
        """Return what the encoder's first layer reads, (B, S, D): two vectors, normalised."""
        check_length(source.size(1), self.config.context)
        x = self.source_embedding(source) + self.source_positions(source.size(1), _UNUSED)
        return self.dropout(self.source_norm(x))

    def embed_target(self, target, n_read):
        """Return what the decoder's first layer reads, (B, T, D): two vectors, normalised."""
        check_length(n_read + target.size(1), self.config.context)
        y = self.target_embedding(target)
        y = y + self.target_positions(target.size(1), _UNUSED + n_read)
        return self.dropout(self.target_norm(y))

    def logits(self, hidden):
        """Return how likely each token is next, before the softmax: (B, T, V) from (B, T, D)."""
        return super().logits(hidden) + self.output_bias

    @classmethod
    def from_pretrained(cls, name_or_folder, revision=None):
        """Return a BART in eval mode from a folder with config.json and safetensors, or the hub.

        Raises MissingDataError when a file is not there; DamagedFileError when it is damaged, is
        another kind of model, or its tensors are not exactly those the configuration asks for.
        """
        folder = hub.resolve(name_or_folder, revision)
        sizes = read_bart_config(folder / "config.json")
        return cls.filled(folder, sizes, load_tensors(folder), NAMES)

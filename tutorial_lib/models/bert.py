"""BERT: an encoder that reads in both directions (Devlin et al. 2018)."""

from dataclasses import dataclass
from typing import ClassVar

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.attention import token_mask
from tutorial_lib.files import hub, load_tensors
from tutorial_lib.models.base import Model, initialise
from tutorial_lib.models.bert_heads import BERTHeads, mean_pool
from tutorial_lib.models.blocks import Block
from tutorial_lib.models.checks import check_choice, check_ids, check_same_shape, check_sizes
from tutorial_lib.models.foreign.bert import FOREIGN
from tutorial_lib.positions import LearnedPositions


@dataclass(frozen=True)
class BERTConfig:
    """The sizes of a BERT; d_ff None: 4 d_model.

    Optional parts: the pooler (a layer with tanh over [CLS]); the heads of pre-training, mlm and
    nsp; the heads of tasks: n_classes for whole texts (read from the pooler, or with
    pooling="mean" from the mean of the tokens), n_labels for each token, span for an answer in
    the text.
    Raises ShapeError when a size is not positive or the heads do not divide the width, ValueError
    for another dropout, eps, activation or pooling, and when a part needs another one.

    >>> BERTConfig.large().n_layers
    24
    """

    vocab_size: int = 30_522
    context: int = 512
    d_model: int = 768
    n_layers: int = 12
    n_heads: int = 12
    d_ff: int | None = None
    dropout: float = 0.0
    n_segments: int = 2
    eps: float = 1e-12
    activation: str = "gelu"
    pooler: bool = False
    mlm: bool = False
    nsp: bool = False
    n_classes: int | None = None
    n_labels: int | None = None
    span: bool = False
    pooling: str = "cls"

    def __post_init__(self):
        sizes = ("vocab_size", "context", "d_model", "n_layers", "n_heads", "d_ff", "n_segments")
        check_sizes(self, (*sizes, "n_classes", "n_labels"))
        check_choice("pooling", self.pooling, ("cls", "mean"))
        needs_pooler = self.nsp or (self.n_classes and self.pooling == "cls")
        if needs_pooler and not self.pooler:
            raise ValueError(
                'the NSP head, and n_classes with pooling="cls", read the pooler: give pooler=True'
            )

    @classmethod
    def base(cls, **changes):
        """BERT-base: 12 layers, 110 M parameters."""
        return cls(**({"pooler": True} | changes))

    @classmethod
    def large(cls, **changes):
        """BERT-large: 24 layers, 335 M parameters."""
        sizes = {"d_model": 1024, "n_layers": 24, "n_heads": 16, "pooler": True}
        return cls(**(sizes | changes))

    def build(self):
        """Return a BERT of these sizes with random weights."""
        return BERT(self)


class BERT(BERTHeads, Model):
    """Token, segment and position vectors, then L layers that look both ways.

    ids (B, T) whole numbers below vocab_size; segments (B, T), 0 for the first sentence and 1
    for the second, all 0 by default; mask (B, T), True = a real token, all True by default.
    Returns the last hidden states (B, T, D).

    Raises ShapeError (shape or dtype), VocabularyError (id), ContextError (too long),
    MaskError (a sequence that is all padding).

    >>> model = BERT(BERTConfig(vocab_size=9, context=8, d_model=4, n_layers=2, n_heads=2))
    >>> model(torch.tensor([[1, 5, 2]])).shape
    torch.Size([1, 3, 4])
    """

    config_class: ClassVar = BERTConfig
    foreign: ClassVar = FOREIGN

    def __init__(self, config):
        super().__init__(config)
        self.build_embeddings(config, config.d_model)
        self.dropout = nn.Dropout(config.dropout)
        self.blocks = self.build_layers(config)
        self.build_heads(config)
        self.apply(initialise)

    def build_embeddings(self, config, width):
        """Make the three tables that are added, and their norm, of this width."""
        self.token_embedding = nn.Embedding(config.vocab_size, width)
        self.segment_embedding = nn.Embedding(config.n_segments, width)
        self.position_embedding = LearnedPositions(config.context, width)
        self.embedding_norm = nn.LayerNorm(width, config.eps)

    def build_layers(self, config):
        """Make the L layers."""
        return nn.ModuleList(self.build_layer(config) for _ in range(config.n_layers))

    def build_layer(self, config):
        """Make one layer, each sum followed by its norm."""
        return Block(
            config.d_model,
            config.n_heads,
            config.d_ff,
            norm="post",
            activation=config.activation,
            eps=config.eps,
            dropout=config.dropout,
        )

    def layers(self):
        """Return the L layers in the order in which they are applied."""
        return self.blocks

    def forward(self, ids, segments=None, mask=None):
        """Return the last hidden states (B, T, D)."""
        return self.hidden_states(ids, segments, mask)[-1]

    def hidden_states(self, ids, segments=None, mask=None):
        """Return the hidden states before the first layer and after each: L + 1 of (B, T, D)."""
        x = self.embed(ids, segments)
        if mask is not None:
            check_same_shape("mask", mask, ids)
            mask = token_mask(mask)  # (B, 1, 1, T)
        states = [x]
        for block in self.layers():
            states.append(block(states[-1], mask))
        return states

    def embed(self, ids, segments=None):
        """Return what the first layer reads, (B, T, D): three vectors added and normalised."""
        check_ids("ids", ids, self.config.vocab_size)
        if segments is None:
            segments = torch.zeros_like(ids)
        check_ids("segments", segments, self.config.n_segments)
        check_same_shape("segments", segments, ids)
        x = self.token_embedding(ids) + self.segment_embedding(segments)  # (B, T, D)
        x = x + self.position_vectors(ids)
        return self.dropout(self.embedding_norm(x))

    def position_vectors(self, ids):
        """Return the vectors of the positions, (T, D): the same for every sequence."""
        return self.position_embedding(ids.size(1))

    def sentence_vectors(self, ids, segments=None, mask=None):
        """Return one vector of length 1 a sequence, (B, D): the mean over its real tokens.

        The scalar product of two is their cosine (Reimers and Gurevych 2019).
        """
        return F.normalize(mean_pool(self(ids, segments, mask), mask), dim=-1)

    @classmethod
    def from_pretrained(cls, name_or_folder, revision=None):
        """Return a BERT in eval mode from a folder with config.json and safetensors, or the hub.

        It has the heads that the file has.

        Raises MissingDataError when a file is not there; DamagedFileError when it is damaged, is
        another kind of model, or its tensors are not exactly those the configuration asks for.
        """
        folder = hub.resolve(name_or_folder, revision)
        sizes = cls.foreign.read_config(folder / "config.json")
        tensors = load_tensors(folder)
        parts = cls.foreign.heads_in(tensors, sizes.pop("architectures"))
        return cls.filled(folder, sizes | parts, tensors, cls.foreign.names)

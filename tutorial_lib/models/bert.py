"""BERT: an encoder that reads in both directions (Devlin et al. 2018)."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib import hub
from tutorial_lib.blocks import EncoderBlock
from tutorial_lib.errors import MissingDataError, ShapeError, VocabularyError
from tutorial_lib.masks import token_mask
from tutorial_lib.models.bert_files import FOREIGN_NAMES, read_config
from tutorial_lib.positions import LearnedPositions
from tutorial_lib.weights import Unfilled, load_into, load_tensors


@dataclass(frozen=True)
class BERTConfig:
    """The sizes of a BERT; d_ff defaults to 4 d_model.

    Raises ShapeError when a size is not positive or the heads do not divide the width.

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

    def __post_init__(self):
        sizes = ("vocab_size", "context", "d_model", "n_layers", "n_heads", "d_ff", "n_segments")
        for name in sizes:
            size = getattr(self, name)
            if name == "d_ff" and size is None:
                object.__setattr__(self, "d_ff", 4 * self.d_model)
            elif not isinstance(size, int) or size < 1:
                raise ShapeError(f"{name} must be a whole number of at least 1, got {size!r}")
        if self.d_model % self.n_heads:
            raise ShapeError(f"{self.n_heads} heads do not divide d_model {self.d_model} evenly")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout must lie between 0 and 1, got {self.dropout}")

    @classmethod
    def base(cls, **changes):
        """BERT-base: 12 layers, 110 M parameters."""
        return cls(pooler=True, **changes)

    @classmethod
    def large(cls, **changes):
        """BERT-large: 24 layers, 335 M parameters."""
        return cls(d_model=1024, n_layers=24, n_heads=16, pooler=True, **changes)

    def build(self):
        """Return a BERT of these sizes with random weights."""
        return BERT(self)


class BERT(nn.Module):
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

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.token_embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.segment_embedding = nn.Embedding(config.n_segments, config.d_model)
        self.position_embedding = LearnedPositions(config.context, config.d_model)
        self.embedding_norm = nn.LayerNorm(config.d_model, config.eps)
        self.dropout = nn.Dropout(config.dropout)
        self.blocks = nn.ModuleList(
            EncoderBlock(
                config.d_model,
                config.n_heads,
                config.d_ff,
                norm="post",
                activation=config.activation,
                eps=config.eps,
                dropout=config.dropout,
            )
            for _ in range(config.n_layers)
        )
        self.pooler = nn.Linear(config.d_model, config.d_model) if config.pooler else None
        self.apply(_initialise)

    def forward(self, ids, segments=None, mask=None):
        """Return the last hidden states (B, T, D)."""
        return self.hidden_states(ids, segments, mask)[-1]

    def hidden_states(self, ids, segments=None, mask=None):
        """Return the hidden states before the first layer and after each: L + 1 of (B, T, D)."""
        x = self.embed(ids, segments)
        if mask is not None:
            _same_shape("mask", mask, ids)
            mask = token_mask(mask)  # (B, 1, 1, T)
        states = [x]
        for block in self.blocks:
            states.append(block(states[-1], mask))
        return states

    def embed(self, ids, segments=None):
        """Return what the first layer reads, (B, T, D): three vectors added and normalised."""
        _check_ids("ids", ids, self.config.vocab_size)
        if segments is None:
            segments = torch.zeros_like(ids)
        _check_ids("segments", segments, self.config.n_segments)
        _same_shape("segments", segments, ids)
        x = self.token_embedding(ids) + self.segment_embedding(segments)  # (B, T, D)
        x = x + self.position_embedding(ids.size(1))  # (T, D), the same for every sequence
        return self.dropout(self.embedding_norm(x))

    def pooled(self, hidden):
        """Return the vector of the first token, [CLS], through the pooler: (B, D).

        Raises MissingDataError when this model has no pooler.
        """
        if self.pooler is None:
            raise MissingDataError("this BERT has no pooler: its file held none, or pooler=False")
        return self.pooler(hidden[:, 0]).tanh()

    def sentence_vectors(self, ids, segments=None, mask=None):
        """Return one vector of length 1 a sequence, (B, D): the mean over its real tokens.

        The scalar product of two is their cosine (Reimers and Gurevych 2019).
        """
        return F.normalize(mean_pool(self(ids, segments, mask), mask), dim=-1)

    @classmethod
    def from_pretrained(cls, name_or_folder, revision=None):
        """Return a BERT in eval mode from a folder with config.json and safetensors, or the hub.

        Raises MissingDataError when a file is not there; DamagedFileError when it is damaged, is
        another kind of model, or its tensors are not exactly those the configuration asks for.
        """
        folder = hub.resolve(name_or_folder, revision)
        sizes = read_config(folder / "config.json")
        tensors = load_tensors(folder)
        has_pooler = any(FOREIGN_NAMES.bare(name).startswith("pooler.") for name in tensors)
        config = BERTConfig(**sizes, pooler=has_pooler)
        with Unfilled():
            model = cls(config)
        load_into(model, tensors, FOREIGN_NAMES)
        return model.eval()


def mean_pool(hidden, mask=None):
    """Return the mean of hidden (B, T, D) over the real tokens, (B, D).

    mask (B, T), True = a real token. Raises MaskError when a sequence has none.

    >>> mean_pool(torch.tensor([[[1.0], [3.0], [9.0]]]), torch.tensor([[True, True, False]]))
    tensor([[2.]])
    """
    if mask is None:
        return hidden.mean(dim=1)
    real = token_mask(mask)[:, 0, 0, :, None]  # (B, T, 1)
    return (hidden * real).sum(dim=1) / real.sum(dim=1)


def _initialise(module):
    # The paper's: small normal weights, zero biases.
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=0.02)
    if isinstance(module, nn.Linear):
        nn.init.zeros_(module.bias)


def _check_ids(name, ids, size):
    if ids.dtype not in (torch.int64, torch.int32) or ids.dim() != 2 or ids.numel() == 0:
        raise ShapeError(
            f"{name} must be torch.long of shape (B, T), at least one token each; "
            f"got {ids.dtype} {tuple(ids.shape)}"
        )
    low, high = (int(value) for value in ids.aminmax())
    if low < 0 or high >= size:
        raise VocabularyError(
            f"{name} must lie between 0 and {size - 1}, got {low if low < 0 else high}"
        )


def _same_shape(name, tensor, ids):
    if tensor.shape != ids.shape:
        raise ShapeError(
            f"{name} must have the shape of ids, {tuple(ids.shape)}, got {tuple(tensor.shape)}"
        )

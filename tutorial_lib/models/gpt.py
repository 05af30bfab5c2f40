"""GPT: layers that only look back, and can therefore continue a text (Radford et al. 2018, 2019).

Read on in `blocks`, where its layer is, and in `attention`, where the layer looks back. The page
`tutorial_lib.pages.gpt` has the same model in one file.
"""

from dataclasses import dataclass
from typing import ClassVar

import torch.nn.functional as F
from torch import nn

from tutorial_lib.attention import ModelCache
from tutorial_lib.files import hub, load_tensors
from tutorial_lib.models.base import Model, initialise, shrink_residuals
from tutorial_lib.models.blocks import ACTIVATIONS, Block
from tutorial_lib.models.checks import check_choice, check_ids, check_sizes, right_padding
from tutorial_lib.models.foreign.gpt import FOREIGN_NAMES, read_gpt_config
from tutorial_lib.models.gpt_sizes import GPT1, GPT2, GPT3, REPAIRED
from tutorial_lib.positions import LearnedPositions


@dataclass(frozen=True)
class GPTConfig:
    """The sizes of a GPT; d_ff None: 4 d_model.

    norm: "pre" (GPT-2, GPT-3), with one more LayerNorm at the end, or "post" (GPT-1).
    Raises ShapeError when a size is not positive or the heads do not divide the width,
    ValueError for another norm, dropout, eps or activation.

    >>> GPTConfig.gpt2("XL").n_layers
    48
    """

    vocab_size: int = 50_257
    context: int = 1024
    d_model: int = 768
    n_layers: int = 12
    n_heads: int = 12
    d_ff: int | None = None
    dropout: float = 0.0
    eps: float = 1e-5
    activation: str = "gelu_tanh"
    norm: str = "pre"

    norms: ClassVar = ("pre", "post")
    activations: ClassVar = tuple(ACTIVATIONS)

    def __post_init__(self):
        sizes = ("vocab_size", "context", "d_model", "n_layers", "n_heads", "d_ff")
        check_sizes(self, sizes, self.activations)
        check_choice("norm", self.norm, self.norms)

    @classmethod
    def gpt1(cls, **changes):
        """GPT-1: 116.5 M parameters (117 published), post-norm."""
        sizes = {"vocab_size": 40_478, "context": 512, "norm": "post"}
        return cls(**(_row(GPT1) | sizes | changes))

    @classmethod
    def gpt2(cls, size="small", **changes):
        """GPT-2: "small", "medium", "large" or "XL"; 124 M to 1,558 M parameters."""
        check_choice("size", size, GPT2)
        return cls(**(_row(GPT2[size]) | changes))

    @classmethod
    def gpt3(cls, size="175B", **changes):
        """GPT-3: "small", "medium", "large", "XL", "2.7B", "6.7B", "13B" or "175B".

        XL has 16 heads and 13B a width of 5,120: the published rows cannot be built
        (`gpt_sizes`). Every layer attends to all tokens; GPT-3's own alternate with sparse ones,
        which changes no parameter.
        """
        check_choice("size", size, GPT3)
        return cls(**(_row(GPT3[size]) | {"context": 2048} | REPAIRED.get(size, {}) | changes))

    def build(self):
        """Return a GPT of these sizes with random weights."""
        return GPT(self)


class GPT(Model):
    """Token and position vectors, then L layers that only look back; gives the next token's logits.

    ids (B, T) whole numbers below vocab_size; mask (B, T), True = a real token, padding on the
    right; cache as `new_cache` makes it. Returns logits (B, T, V), read off with the token
    vectors themselves (tied weights).

    Raises ShapeError (shape or dtype), VocabularyError (id), ContextError (too long),
    MaskError (a sequence that begins with padding).

    >>> import torch
    >>> model = GPT(GPTConfig(vocab_size=9, context=8, d_model=4, n_layers=2, n_heads=2))
    >>> model(torch.tensor([[1, 5, 2]])).shape
    torch.Size([1, 3, 9])
    """

    config_class: ClassVar = GPTConfig

    def __init__(self, config):
        super().__init__(config)
        self.token_embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.position_embedding = LearnedPositions(config.context, config.d_model)
        self.dropout = nn.Dropout(config.dropout)
        self.blocks = nn.ModuleList(
            Block(
                config.d_model,
                config.n_heads,
                config.d_ff,
                norm=config.norm,
                activation=config.activation,
                eps=config.eps,
                dropout=config.dropout,
                causal=True,
            )
            for _ in range(config.n_layers)
        )
        if config.norm == "pre":  # what the layers added was never normalised
            self.final_norm = nn.LayerNorm(config.d_model, config.eps)
        else:
            self.final_norm = nn.Identity()
        self.apply(initialise)
        if config.norm == "pre":
            shrink_residuals(self.blocks)

    def forward(self, ids, mask=None, cache=None, last_only=False):
        """Return the logits of the token after each of ids, (B, T, V).

        With a cache, ids are the tokens after those it has read, and mask covers both.
        last_only: of the token after the last one alone, (B, 1, V), as generation needs them.
        """
        x = self.read(ids, mask, cache)  # (B, T, D)
        return self.logits(x[:, -1:] if last_only else x)  # (B, T, V), or (B, 1, V)

    def read(self, ids, mask=None, cache=None):
        """Return the last hidden states (B, T, D), which the logits are made from."""
        x = self.embed(ids, start=0 if cache is None else len(cache))  # (B, T, D)
        mask = self._mask(mask, ids, cache)
        for n, block in enumerate(self.blocks):
            x = block(x, mask, cache=None if cache is None else cache.layers[n])  # (B, T, D)
        return self.final_norm(x)

    def hidden_states(self, ids, mask=None):
        """Return what enters the first layer and what leaves each: L + 1 of (B, T, D).

        The last one has passed the final LayerNorm: it is what the logits are read from.
        """
        states = [self.embed(ids)]
        mask = self._mask(mask, ids)
        for block in self.blocks:
            states.append(block(states[-1], mask))
        return [*states[:-1], self.final_norm(states[-1])]

    def embed(self, ids, start=0):
        """Return what the first layer reads, (B, T, D): token vectors plus position vectors."""
        check_ids("ids", ids, self.config.vocab_size)
        x = self.token_embedding(ids) + self.position_embedding(ids.size(1), start)  # (B, T, D)
        return self.dropout(x)

    @property
    def output_vectors(self):
        """What hidden states are multiplied by to give logits, (V, D): the token vectors again."""
        return self.token_embedding.weight

    def logits(self, hidden):
        """Return how likely each token is next, before the softmax: (..., V) from (..., D)."""
        return F.linear(hidden, self.output_vectors)

    def new_cache(self, batch=1, context=None):
        """Return an empty ModelCache for `batch` sequences of up to `context` tokens."""
        context = context or self.config.context
        return ModelCache(self.layer_caches(len(self.blocks), batch, context))

    def _mask(self, mask, ids, cache=None):
        return None if mask is None else right_padding(mask, ids, len(cache or ()))

    @classmethod
    def from_pretrained(cls, name_or_folder, revision=None):
        """Return a GPT-1 or GPT-2 in eval mode from a folder or the hub ("gpt2", "gpt2-xl").

        The folder holds config.json and safetensors. Raises MissingDataError when a file is not
        there; DamagedFileError when it is damaged, is another kind of model, or its tensors are
        not exactly those the configuration asks for.
        """
        folder = hub.resolve(name_or_folder, revision)
        kind, sizes = read_gpt_config(folder / "config.json")
        return cls.filled(folder, sizes, load_tensors(folder), FOREIGN_NAMES[kind])


def _row(published):
    return {name: getattr(published, name) for name in ("n_layers", "d_model", "n_heads")}

"""Llama: a GPT as most open language models are built since 2023 (Touvron et al. 2023).

A diff on `gpt`: RMSNorm in place of LayerNorm, no biases, rotary positions, a feed-forward network
with a gate, and heads that share their keys and values. SmolLM2 is such a model.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

from torch import nn

from tutorial_lib.attention import GroupedQueryAttention
from tutorial_lib.errors import MissingDataError, ShapeError
from tutorial_lib.files import gguf_in, hub, load_tensors, read_gguf
from tutorial_lib.models.base import Model, initialise
from tutorial_lib.models.blocks import Block
from tutorial_lib.models.checks import check_choice, check_ids, check_sizes
from tutorial_lib.models.foreign.llama import (
    gguf_names,
    read_llama_config,
    read_llama_facts,
    safetensors_names,
)
from tutorial_lib.models.gpt import GPT
from tutorial_lib.models.llama_sizes import LLAMA, SMOLLM2
from tutorial_lib.positions.vectors import check_length


@dataclass(frozen=True)
class LlamaConfig:
    """The sizes of a Llama; those of SmolLM2-135M where you give none.

    n_kv_heads: heads of keys and values, each shared by n_heads / n_kv_heads heads of queries;
    base: of the rotary angles, larger for longer texts; tied: whether the logits are read off with
    the token vectors, or with a layer of their own.
    Raises ShapeError when a size is not positive, n_heads does not divide d_model into even widths,
    or n_kv_heads does not divide n_heads; ValueError for another dropout, eps, base or tied.

    >>> LlamaConfig.smollm2("360M").n_kv_heads
    5
    """

    vocab_size: int = 49_152
    context: int = 8192
    d_model: int = 576
    n_layers: int = 30
    n_heads: int = 9
    n_kv_heads: int = 3
    d_ff: int = 1536
    base: float = 100_000.0
    eps: float = 1e-5
    dropout: float = 0.0
    tied: bool = True

    def __post_init__(self):
        sizes = ("vocab_size", "context", "d_model", "n_layers", "n_heads", "n_kv_heads", "d_ff")
        check_sizes(self, sizes, activations=())
        if self.n_heads % self.n_kv_heads:
            raise ShapeError(
                f"{self.n_kv_heads} heads of keys and values cannot be shared evenly by "
                f"{self.n_heads} heads"
            )
        if self.d_model // self.n_heads % 2:
            raise ShapeError(
                f"rotary positions turn pairs: d_model / n_heads must be even, "
                f"got {self.d_model} / {self.n_heads}"
            )
        number = isinstance(self.base, int | float) and not isinstance(self.base, bool)
        if not (number and 0 < self.base < math.inf):
            raise ValueError(f"base must be a number above 0, got {self.base!r}")
        if not isinstance(self.tied, bool):
            raise ValueError(f"tied must be True or False, got {self.tied!r}")

    @classmethod
    def smollm2(cls, size="135M", **changes):
        """SmolLM2 (Ben Allal et al. 2025): "135M", "360M" or "1.7B"."""
        check_choice("size", size, SMOLLM2)
        return cls(**(_row(SMOLLM2[size]) | changes))

    @classmethod
    def llama(cls, size="7B", **changes):
        """The first Llama (Touvron et al. 2023): "7B", "13B", "33B" or "65B"."""
        check_choice("size", size, LLAMA)
        sizes = {"vocab_size": 32_000, "context": 2048, "eps": 1e-6, "tied": False}
        return cls(**(_row(LLAMA[size]) | sizes | changes))

    def build(self):
        """Return a Llama of these sizes with random weights."""
        return Llama(self)


class SwiGLU(nn.Module):
    """A feed-forward network with a gate: (SiLU(x W_g) * x W_h) W_o (Shazeer 2020, eq. 6).

    (B, T, D) -> twice (B, T, d_ff) -> (B, T, D), without biases. SiLU(z) = z sigmoid(z), also
    called Swish: what comes out of the gate says how much of each hidden number goes on. Three
    matrices in place of two: with d_ff = 8/3 D they are as large as two with the usual 4 D.

    >>> import torch
    >>> SwiGLU(d_model=4, d_ff=6)(torch.zeros(1, 3, 4)).shape
    torch.Size([1, 3, 4])
    """

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.activation = nn.SiLU()
        self.hidden = nn.Linear(d_model, d_ff, bias=False)
        self.output = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        """Return (B, T, D) from x (B, T, D)."""
        return self.output(self.activation(self.gate(x)) * self.hidden(x))


class LlamaBlock(Block):
    """The layer of a GPT with other parts: RMSNorm, grouped queries that turn, SwiGLU, no biases.

    >>> import torch
    >>> config = LlamaConfig(d_model=8, n_heads=4, n_kv_heads=2, d_ff=6)
    >>> LlamaBlock(config)(torch.zeros(1, 3, 8)).shape
    torch.Size([1, 3, 8])
    """

    def __init__(self, config):
        nn.Module.__init__(self)  # not Block's: each of its parts is another one here
        self.norm = "pre"
        self.attention_norm = nn.RMSNorm(config.d_model, config.eps)
        self.attention = GroupedQueryAttention(
            config.d_model,
            config.n_heads,
            config.n_kv_heads,
            config.dropout,
            linear_bias=False,
            causal=True,
            base=config.base,
        )
        self.feed_forward_norm = nn.RMSNorm(config.d_model, config.eps)
        self.feed_forward = SwiGLU(config.d_model, config.d_ff)
        self.dropout = nn.Dropout(config.dropout)


class Llama(GPT):
    """A GPT without position vectors, of `LlamaBlock`s; everything else is its parent's.

    Its cache holds n_kv_heads heads a layer: SmolLM2's is a third of what nine would need.

    >>> import torch
    >>> sizes = {"vocab_size": 9, "context": 8, "d_model": 8, "n_layers": 2, "d_ff": 6}
    >>> model = Llama(LlamaConfig(**sizes, n_heads=4, n_kv_heads=2))
    >>> model(torch.tensor([[1, 5, 2]])).shape
    torch.Size([1, 3, 9])
    """

    config_class: ClassVar = LlamaConfig

    def __init__(self, config):
        Model.__init__(self, config)  # not GPT's: it would build layers only to throw them away
        self.token_embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.dropout = nn.Dropout(config.dropout)
        self.blocks = nn.ModuleList(LlamaBlock(config) for _ in range(config.n_layers))
        self.final_norm = nn.RMSNorm(config.d_model, config.eps)
        self.output_layer = None
        if not config.tied:
            self.output_layer = nn.Linear(config.d_model, config.vocab_size, bias=False)
        self.apply(initialise)

    def embed(self, ids, start=0):
        """Return what the first layer reads, (B, T, D): the token vectors alone."""
        check_ids("ids", ids, self.config.vocab_size)
        check_length(start + ids.size(1), self.config.context)
        return self.dropout(self.token_embedding(ids))

    @property
    def output_vectors(self):
        """What hidden states are multiplied by to give logits, (V, D)."""
        return (self.output_layer or self.token_embedding).weight

    def logits(self, hidden):
        """Return how likely each token is next, before the softmax: (..., V) from (..., D)."""
        return self.output_layer(hidden) if self.output_layer else super().logits(hidden)

    @classmethod
    def from_pretrained(cls, name_or_folder, revision=None):
        """Return a Llama in eval mode, in float32, from a folder or the hub, with a progress bar.

        The folder holds config.json and safetensors, or one GGUF, whose packed numbers are unpacked
        one tensor after the other; from the hub come config.json and safetensors.
        Raises MissingDataError when a file is not there; DamagedFileError when it is damaged, is
        another kind of model, or its tensors are not exactly those its sizes ask for.
        """
        folder = hub.resolve(name_or_folder, revision)
        config = folder / "config.json"
        if config.is_file():
            sizes, tensors, names = (
                read_llama_config(config),
                load_tensors(folder),
                safetensors_names,
            )
        else:
            path = gguf_in(folder)
            if path is None:
                raise MissingDataError(f"{folder} holds neither {config.name} nor a .gguf file")
            file = read_gguf(path)
            sizes, tensors, names = read_llama_facts(file), file.tensors, gguf_names
        return cls.filled(folder, sizes, tensors, names, progress=f"reading {cls.__name__}")


def _row(published):
    names = ("n_layers", "d_model", "n_heads", "n_kv_heads", "d_ff", "base")
    return {name: getattr(published, name) for name in names}

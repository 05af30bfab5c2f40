"""ModernGPT: a GPT with four changes that came after GPT-3 and that make it learn faster."""

from dataclasses import dataclass
from typing import ClassVar

from torch import nn

from tutorial_lib.attention import RotaryAttention
from tutorial_lib.models.base import Model, initialise
from tutorial_lib.models.blocks import Block
from tutorial_lib.models.checks import check_ids
from tutorial_lib.models.gpt import GPT, GPTConfig
from tutorial_lib.positions.vectors import check_length


@dataclass(frozen=True)
class ModernGPTConfig(GPTConfig):
    """The sizes of a ModernGPT: those of a GPT; norm and activation have one value only.

    >>> ModernGPTConfig(vocab_size=65, d_model=128, n_layers=4, n_heads=4).activation
    'squared_relu'
    """

    activation: str = "squared_relu"

    norms: ClassVar = ("pre",)
    activations: ClassVar = ("squared_relu",)

    def build(self):
        """Return a ModernGPT of these sizes with random weights."""
        return ModernGPT(self)


class SquaredReLU(nn.Module):
    """max(0, x)^2: still zero below zero, and smooth there (So et al. 2021).

    >>> import torch
    >>> SquaredReLU()(torch.tensor([-2.0, 3.0]))
    tensor([0., 9.])
    """

    def forward(self, x):
        """Return a tensor of the same shape."""
        return x.relu().square()


class ModernBlock(Block):
    """The layer of a GPT with rotary positions, RMSNorm and squared ReLU, that starts as nothing.

    Its two output maps are zero at first, so x goes through unchanged and each layer joins in
    when it has something to add (ReZero, Bachlechner et al. 2020, does so with a factor).

    >>> import torch
    >>> x = torch.randn(1, 3, 4)
    >>> ModernBlock(d_model=4, n_heads=2)(x).equal(x)
    True
    """

    def __init__(self, d_model, n_heads, d_ff=None, eps=1e-5, dropout=0.0):
        super().__init__(
            d_model,
            n_heads,
            d_ff,
            norm="pre",
            activation="relu",
            dropout=dropout,
            causal=True,
            attention=RotaryAttention,
        )
        self.attention_norm = nn.RMSNorm(d_model, eps)
        self.feed_forward_norm = nn.RMSNorm(d_model, eps)
        self.feed_forward.activation = SquaredReLU()
        self.apply(initialise)
        nn.init.zeros_(self.attention.output.weight)
        nn.init.zeros_(self.feed_forward.output.weight)


class ModernGPT(GPT):
    """A GPT without position vectors, of `ModernBlock`s; everything else is its parent's.

    Rotary positions (Su et al. 2021), RMSNorm (Zhang and Sennrich 2019), squared ReLU (So et al.
    2021), zero-initialised output maps. Train it with `Muon`.

    >>> import torch
    >>> config = ModernGPTConfig(vocab_size=9, context=8, d_model=4, n_layers=2, n_heads=2)
    >>> ModernGPT(config)(torch.tensor([[1, 5, 2]])).shape
    torch.Size([1, 3, 9])
    """

    config_class: ClassVar = ModernGPTConfig

    def __init__(self, config):
        Model.__init__(self, config)  # not GPT's: it would build layers only to throw them away
        sizes = (config.d_model, config.n_heads, config.d_ff, config.eps, config.dropout)
        self.token_embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.token_embedding.apply(initialise)
        self.dropout = nn.Dropout(config.dropout)
        self.blocks = nn.ModuleList(ModernBlock(*sizes) for _ in range(config.n_layers))
        self.final_norm = nn.RMSNorm(config.d_model, config.eps)

    @classmethod
    def from_pretrained(cls, name_or_folder, revision=None):
        """Refuse: nobody has published a ModernGPT. `load` reads what `save` wrote.

        Raises NotImplementedError.
        """
        raise NotImplementedError(
            "there are no published weights of a ModernGPT: GPT.from_pretrained reads GPT-1 and "
            "GPT-2, ModernGPT.load what ModernGPT.save wrote"
        )

    def embed(self, ids, start=0):
        """Return what the first layer reads, (B, T, D): the token vectors alone."""
        check_ids("ids", ids, self.config.vocab_size)
        check_length(start + ids.size(1), self.config.context)
        return self.dropout(self.token_embedding(ids))

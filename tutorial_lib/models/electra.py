"""ELECTRA: was this token replaced? Every position teaches (Clark et al. 2020)."""

from dataclasses import dataclass, replace
from typing import ClassVar

from torch import nn

from tutorial_lib.errors import ShapeError
from tutorial_lib.models.base import initialise
from tutorial_lib.models.bert import BERT, BERTConfig
from tutorial_lib.models.blocks import ACTIVATIONS
from tutorial_lib.models.checks import check_no_part, check_sizes
from tutorial_lib.models.foreign.bert_family import ELECTRA as FOREIGN


@dataclass(frozen=True)
class ELECTRAConfig(BERTConfig):
    """The sizes of an ELECTRA, discriminator (replaced=True) or generator (mlm=True).

    embedding_size: the width E of the token vectors, None: d_model; replaced: the head that says of
    each token whether it was replaced. No pooler.
    Raises as BERTConfig does, and ValueError for nsp or a pooler.

    >>> ELECTRAConfig.small().embedding_size
    128
    """

    embedding_size: int | None = None
    replaced: bool = False
    pooling: str = "mean"

    def __post_init__(self):
        super().__post_init__()
        check_sizes(self, ("embedding_size",))
        check_no_part(self, "ELECTRA", "nsp", "it was trained without pairs of sentences")
        check_no_part(self, "ELECTRA", "pooler", "its discriminator has none")

    @classmethod
    def small(cls, **changes):
        """ELECTRA-small, the discriminator: 14 M parameters."""
        sizes = {"d_model": 256, "n_heads": 4, "embedding_size": 128, "replaced": True}
        return cls(**(sizes | changes))

    @classmethod
    def base(cls, **changes):
        """ELECTRA-base, the discriminator: 110 M parameters."""
        return cls(**({"replaced": True} | changes))

    @classmethod
    def large(cls, **changes):
        """ELECTRA-large, the discriminator: 335 M parameters."""
        sizes = {"d_model": 1024, "n_layers": 24, "n_heads": 16, "replaced": True}
        return cls(**(sizes | changes))

    def generator(self, share=0.25):
        """Return the config of its generator: this share of the width and of the heads.

        The token vectors keep their width, so that both can use one table.
        Raises ShapeError when the width is no whole number of equal heads.

        >>> ELECTRAConfig.small().generator().d_model
        64
        """
        d_model, n_heads = self.d_model * share, max(1, round(self.n_heads * share))
        if d_model != int(d_model) or int(d_model) % n_heads or d_model < 1:
            raise ShapeError(
                f"{share} of d_model {self.d_model} is {d_model:g}, no width of {n_heads} heads"
            )
        d_ff = None if self.d_ff is None else round(self.d_ff * share)
        width = self.embedding_size or self.d_model
        changes = {"d_model": int(d_model), "n_heads": n_heads, "d_ff": d_ff}
        return replace(self, **changes, embedding_size=width, replaced=False, mlm=True)

    def build(self):
        """Return an ELECTRA of these sizes with random weights."""
        return ELECTRA(self)


class ReplacedHead(nn.Module):
    """Says of each position whether its token was replaced: one more layer, then one number.

    >>> import torch
    >>> ReplacedHead(d_model=4)(torch.zeros(2, 3, 4)).shape
    torch.Size([2, 3])
    """

    def __init__(self, d_model, activation="gelu"):
        super().__init__()
        self.transform = nn.Linear(d_model, d_model)
        self.activation = ACTIVATIONS[activation]()
        self.output = nn.Linear(d_model, 1)

    def forward(self, hidden):
        """Return logits (...,) from hidden (..., D): above 0, replaced."""
        return self.output(self.activation(self.transform(hidden))).squeeze(-1)


class ELECTRA(BERT):
    """A BERT that judges tokens (the discriminator), or fills gaps for it (its generator).

    Called as a BERT. Where embedding_size is not d_model a linear map brings one to the other.

    >>> import torch
    >>> sizes = {"vocab_size": 9, "context": 8, "d_model": 4, "n_layers": 2, "n_heads": 2}
    >>> model = ELECTRA(ELECTRAConfig(**sizes, replaced=True))
    >>> model.replaced_logits(model(torch.tensor([[1, 5, 2]]))).shape
    torch.Size([1, 3])
    """

    config_class: ClassVar = ELECTRAConfig
    foreign: ClassVar = FOREIGN
    mlm_activation: ClassVar = "gelu"
    head_fields: ClassVar = (*BERT.head_fields, "replaced")
    heads: ClassVar = (*BERT.heads, "replaced_head.")

    def __init__(self, config):
        super().__init__(config)
        width, d_model = config.embedding_size or config.d_model, config.d_model
        self.widen = nn.Identity() if width == d_model else nn.Linear(width, d_model)
        self.replaced_head = None
        if config.replaced:
            self.replaced_head = ReplacedHead(d_model, config.activation)
        self.apply(initialise)

    def build_embeddings(self, config, width):
        """Make the tables, E wide."""
        super().build_embeddings(config, config.embedding_size or width)

    def embed(self, ids, segments=None):
        """Return what the first layer reads, (B, T, D), from embeddings (B, T, E)."""
        return self.widen(super().embed(ids, segments))

    def replaced_logits(self, hidden):
        """Return how surely each token was replaced, (B, T) logits, from hidden (B, T, D).

        Raises MissingHeadError when this model has no such head, as a generator has none.
        """
        return self._part("replaced_head", "head for replaced tokens", "replaced=True")(hidden)

    def share_embeddings(self, generator):
        """Let a generator look tokens, segments and positions up in this model's tables.

        Raises ShapeError when its tables have other sizes.
        """
        tables = ("token_embedding", "segment_embedding", "position_embedding")
        for name in tables:
            ours, theirs = getattr(self, name).weight.shape, getattr(generator, name).weight.shape
            if ours != theirs:
                raise ShapeError(
                    f"the {name} is {tuple(ours)} here and {tuple(theirs)} in the generator"
                )
        for name in tables:
            setattr(generator, name, getattr(self, name))

"""ALBERT: narrow token vectors, and one layer's weights for all layers (Lan et al. 2019)."""

from dataclasses import dataclass
from typing import ClassVar

from torch import nn

from tutorial_lib.models.base import initialise
from tutorial_lib.models.bert import BERT, BERTConfig
from tutorial_lib.models.checks import check_no_part, check_sizes
from tutorial_lib.models.foreign.bert_family import ALBERT as FOREIGN


@dataclass(frozen=True)
class ALBERTConfig(BERTConfig):
    """The sizes of an ALBERT: a BERTConfig with embedding_size and order in place of nsp.

    embedding_size: the width E of the token vectors; n_layers: how often the one layer is applied;
    order: the head that says whether two sentences were swapped, which reads the pooler.
    Raises as BERTConfig does, and ValueError for nsp or for order without the pooler.

    >>> ALBERTConfig.xxlarge().d_model
    4096
    """

    vocab_size: int = 30_000
    activation: str = "gelu_tanh"
    embedding_size: int = 128
    order: bool = False

    def __post_init__(self):
        super().__post_init__()
        check_sizes(self, ("embedding_size",))
        check_no_part(self, "ALBERT", "nsp", "order=True asks for the order of sentences instead")
        if self.order and not self.pooler:
            raise ValueError("the order head reads the pooler: give pooler=True")

    @classmethod
    def base(cls, **changes):
        """ALBERT-base: 12 M parameters where BERT-base has 110 M."""
        return cls(**({"pooler": True} | changes))

    @classmethod
    def large(cls, **changes):
        """ALBERT-large: 18 M parameters."""
        return cls.base(**({"d_model": 1024, "n_layers": 24, "n_heads": 16} | changes))

    @classmethod
    def xlarge(cls, **changes):
        """ALBERT-xlarge: 60 M parameters."""
        return cls.base(**({"d_model": 2048, "n_layers": 24, "n_heads": 16} | changes))

    @classmethod
    def xxlarge(cls, **changes):
        """ALBERT-xxlarge: one layer, 4,096 wide; 223 M parameters where the paper prints 235 M."""
        return cls.base(**({"d_model": 4096, "n_heads": 64} | changes))

    def build(self):
        """Return an ALBERT of these sizes with random weights."""
        return ALBERT(self)


class ALBERT(BERT):
    """A BERT that stores one layer and applies it L times, over token vectors of width E.

    Called as a BERT. Factorised: a table (V, E) and a map (E, D) in place of a table (V, D).

    >>> import torch
    >>> sizes = {"vocab_size": 9, "context": 8, "d_model": 4, "n_layers": 6, "n_heads": 2}
    >>> model = ALBERT(ALBERTConfig(**sizes, embedding_size=3))
    >>> model(torch.tensor([[1, 5, 2]])).shape, len(model.blocks)
    (torch.Size([1, 3, 4]), 1)
    """

    config_class: ClassVar = ALBERTConfig
    foreign: ClassVar = FOREIGN
    layer_counts: ClassVar = ()  # a file has one layer, however often it is applied
    head_fields: ClassVar = (*BERT.head_fields, "order")
    heads: ClassVar = (*BERT.heads, "order_head.")

    def __init__(self, config):
        super().__init__(config)
        self.widen = nn.Linear(config.embedding_size, config.d_model)
        self.order_head = nn.Linear(config.d_model, 2) if config.order else None
        self.apply(initialise)

    def build_embeddings(self, config, width):
        """Make the tables, E wide."""
        super().build_embeddings(config, config.embedding_size)

    def build_layers(self, config):
        """Make the one layer."""
        return nn.ModuleList([self.build_layer(config)])

    def layers(self):
        """Return the same layer L times: the weights are shared, the work is not."""
        return [self.blocks[0]] * self.config.n_layers

    def embed(self, ids, segments=None):
        """Return what the first layer reads, (B, T, D), from embeddings (B, T, E)."""
        return self.widen(super().embed(ids, segments))

    def order_logits(self, hidden):
        """Return whether the two sentences are in order, (B, 2) logits, from hidden (B, T, D).

        Class 0 says they are. Raises MissingHeadError when this model has no such head.
        """
        return self._part("order_head", "head for the order", "order=True")(self.pooled(hidden))

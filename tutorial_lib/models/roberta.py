"""RoBERTa: BERT trained differently; the model itself hardly changes (Liu et al. 2019)."""

from dataclasses import dataclass
from typing import ClassVar

from torch import nn

from tutorial_lib.errors import ContextError
from tutorial_lib.models.bert import BERT, BERTConfig
from tutorial_lib.models.checks import check_no_part, check_pad_id
from tutorial_lib.models.foreign.bert_family import ROBERTA


@dataclass(frozen=True)
class RoBERTaConfig(BERTConfig):
    """The sizes of a RoBERTa: a BERTConfig with pad_id, which its positions skip, and no nsp.

    Raises as BERTConfig does, and ValueError for nsp or a pad_id outside the vocabulary.

    >>> RoBERTaConfig.large().n_layers
    24
    """

    vocab_size: int = 50_265
    n_segments: int = 1
    eps: float = 1e-5
    pad_id: int = 1

    def __post_init__(self):
        super().__post_init__()
        check_no_part(self, "RoBERTa", "nsp", "it was trained on masked tokens alone")
        check_pad_id(self)

    @classmethod
    def base(cls, **changes):
        """RoBERTa-base: 12 layers, 125 M parameters."""
        return cls(**({"mlm": True} | changes))

    @classmethod
    def large(cls, **changes):
        """RoBERTa-large: 24 layers, 355 M parameters."""
        return cls(**({"d_model": 1024, "n_layers": 24, "n_heads": 16, "mlm": True} | changes))

    def build(self):
        """Return a RoBERTa of these sizes with random weights."""
        return RoBERTa(self)


class RoBERTa(BERT):
    """A BERT whose positions are counted over real tokens only, from pad_id + 1 on.

    Its program looked positions up in a table that has a row for padding, as the token table has;
    the rows up to that one are never learned. Called as a BERT; there is one segment, 0, and
    padding is recognised by its id: fill up sequences with pad_id.

    >>> import torch
    >>> model = RoBERTa(RoBERTaConfig(vocab_size=9, context=8, d_model=4, n_layers=2, n_heads=2))
    >>> model(torch.tensor([[0, 5, 2]])).shape, model.position_embedding.weight.shape
    (torch.Size([1, 3, 4]), torch.Size([10, 4]))
    """

    config_class: ClassVar = RoBERTaConfig
    foreign: ClassVar = ROBERTA
    mlm_activation: ClassVar = "gelu"

    def build_embeddings(self, config, width):
        """Make the tables, that of the positions with rows up to the padding's on top."""
        super().build_embeddings(config, width)
        self.position_embedding = nn.Embedding(config.context + config.pad_id + 1, width)

    def position_vectors(self, ids):
        """Return the vectors of the positions, (B, T, D): pad_id + 1, + 2, ... for real tokens."""
        if ids.size(1) > self.config.context:
            raise ContextError(
                f"{ids.size(1)} tokens do not fit into a context of {self.config.context}"
            )
        real = ids != self.config.pad_id
        places = real.cumsum(dim=1) * real + self.config.pad_id  # (B, T)
        return self.position_embedding(places)

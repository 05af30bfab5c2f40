"""One attention head that reads a number in words: the model of chapters 02 and 03."""

from dataclasses import asdict, dataclass
from typing import ClassVar

import torch
from torch import nn

from tutorial_lib.attention import attention, padding_mask
from tutorial_lib.models.base import Model
from tutorial_lib.models.checks import check_ids
from tutorial_lib.positions import sinusoidal


@dataclass(frozen=True)
class OneHeadConfig:
    """What a OneHeadReader is built from, as its file says it."""

    vocab_size: int
    d_model: int = 32
    positions: bool = False


class OneHeadReader(Model):
    """One learned question looks at all words at once and reads the hundreds digit.

    The question is the only query (T = 1); keys and values come from the words. Without
    positions the output depends only on which words are there, not on their order. With
    `positions=True` the sinusoids of Vaswani et al. (2017) are added to the word vectors.

    >>> reader = OneHeadReader(vocab_size=30)
    >>> reader(torch.tensor([[3, 2, 0]]), lengths=torch.tensor([2])).shape
    torch.Size([1, 10])
    """

    config_class: ClassVar = OneHeadConfig

    def __init__(self, vocab_size, d_model=32, positions=False):
        super().__init__(OneHeadConfig(vocab_size, d_model, positions))
        self.positions = positions
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.question = nn.Parameter(torch.randn(d_model))
        self.query = nn.Linear(d_model, d_model, bias=False)
        self.key = nn.Linear(d_model, d_model, bias=False)
        self.value = nn.Linear(d_model, d_model, bias=False)
        self.readout = nn.Linear(d_model, 10)

    @classmethod
    def built_from(cls, config):
        """Return a new reader of these sizes."""
        return cls(**asdict(config))

    def forward(self, ids, lengths):
        """Return the scores of the ten digits (B, 10) for words ids (B, S), padded on the right."""
        return self.look(ids, lengths)[0]

    def look(self, ids, lengths):
        """Return the scores (B, 10) and how the question shares its attention out, (B, S).

        Raises ShapeError or VocabularyError for ids, and as `padding_mask` for lengths, a list or
        an integer tensor (B,).
        """
        check_ids("ids", ids, self.embedding.num_embeddings)
        x = self.embedding(ids)  # (B, S, D)
        if self.positions:
            x = x + sinusoidal(*x.shape[1:], device=x.device)
        q = self.query(self.question).expand(len(x), 1, 1, -1)  # (B, 1, 1, K)
        k = self.key(x)[:, None]  # (B, 1, S, K)
        v = self.value(x)[:, None]  # (B, 1, S, K)
        mask = padding_mask(lengths, ids.size(1), x.device)
        mixed, weights = attention(q, k, v, mask=mask)
        return self.readout(mixed[:, 0, 0]), weights[:, 0, 0]

"""XLM: a BERT that reads several languages and is told which (Lample and Conneau 2019)."""

from dataclasses import dataclass
from typing import ClassVar

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.attention import token_mask
from tutorial_lib.errors import VocabularyError
from tutorial_lib.models.bert import BERT, BERTConfig
from tutorial_lib.models.checks import (
    check_ids,
    check_no_part,
    check_same_shape,
    check_sizes,
    is_number,
)
from tutorial_lib.models.foreign.bert_family import XLM as FOREIGN
from tutorial_lib.positions import LearnedPositions


@dataclass(frozen=True)
class XLMConfig(BERTConfig):
    """The sizes of an XLM: a BERTConfig with n_languages, no segments, no nsp and no pooler.

    language_names: their names in order of ids, with spaces between them, "en de"; None: languages
    have ids alone. With n_languages 1 there are no language vectors.
    Raises as BERTConfig does, and ValueError for nsp, a pooler, or names that are not n_languages
    different ones.

    >>> XLMConfig.xlm15().n_languages
    15
    """

    vocab_size: int = 95_000
    d_model: int = 1024
    n_heads: int = 8
    n_segments: int = 1
    pooling: str = "mean"
    n_languages: int = 2
    language_names: str | None = None

    def __post_init__(self):
        super().__post_init__()
        check_sizes(self, ("n_languages",))
        check_no_part(self, "XLM", "nsp", "it was trained on masked tokens alone")
        check_no_part(self, "XLM", "pooler", "its texts are read from their tokens")
        if self.language_names is not None and not isinstance(self.language_names, str):
            raise ValueError(f'language_names are one text, "en de", got {self.language_names!r}')
        names = self.names
        if names and (len(names) != self.n_languages or len(set(names)) < len(names)):
            raise ValueError(
                f"language_names should name {self.n_languages} different languages, got "
                f"{len(names)}: {self.language_names!r:.60}"
            )

    @property
    def names(self):
        """The names of the languages in order of ids, a list; [] when they have none."""
        return (self.language_names or "").split()

    @classmethod
    def xlm15(cls, **changes):
        """The XLM of the paper, for the 15 languages of XNLI: 12 layers, 250 M parameters."""
        return cls(**({"n_languages": 15, "mlm": True} | changes))

    @classmethod
    def xlm100(cls, **changes):
        """The later one for 100 languages, which is not told which: 16 layers, 570 M parameters."""
        sizes = {"vocab_size": 200_000, "d_model": 1280, "n_layers": 16, "n_heads": 16}
        return cls(**(sizes | {"n_languages": 1, "mlm": True} | changes))

    def build(self):
        """Return an XLM of these sizes with random weights."""
        return XLM(self)


class TiedHead(nn.Module):
    """Says which token a position holds by the token vectors themselves, without a layer before.

    >>> TiedHead(9)(torch.zeros(2, 4), table=torch.zeros(9, 4)).shape
    torch.Size([2, 9])
    """

    def __init__(self, vocab_size):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(vocab_size))

    def forward(self, hidden, table):
        """Return logits (..., V) from hidden (..., D) and the token vectors, table (V, D)."""
        return F.linear(hidden, table, self.bias)


class XLM(BERT):
    """Token, position and language vectors, then the layers of a BERT.

    ids (B, T); languages (B, T), the language of each token, or one for all of them, an id or a
    name; None: no language vector is added. mask (B, T), True = a real token; positions (B, T):
    where each token stands, None: 0, 1, 2, ... They start again at 0 where the second sentence of a
    translated pair begins, so that words that mean the same lie near each other (section 3.3).
    Returns the last hidden states (B, T, D), which are 0 where the mask is False.

    Raises ShapeError (shape or dtype), VocabularyError (a token, language or position that there
    is not), ContextError (too long), MaskError (a sequence that is all padding).

    >>> sizes = {"vocab_size": 9, "context": 8, "d_model": 4, "n_layers": 2, "n_heads": 2}
    >>> model = XLM(XLMConfig(**sizes, language_names="en de"))
    >>> model(torch.tensor([[1, 5, 2]]), languages="de").shape
    torch.Size([1, 3, 4])
    """

    config_class: ClassVar = XLMConfig
    foreign: ClassVar = FOREIGN

    def build_embeddings(self, config, width):
        """Make the tables of tokens, positions and languages, and their norm."""
        self.token_embedding = nn.Embedding(config.vocab_size, width)
        self.position_embedding = LearnedPositions(config.context, width)
        self.segment_embedding = None
        several = config.n_languages > 1
        self.language_embedding = nn.Embedding(config.n_languages, width) if several else None
        self.embedding_norm = nn.LayerNorm(width, config.eps)

    def build_mlm_head(self, config):
        """Make the head for masked tokens, which has no layer of its own."""
        return TiedHead(config.vocab_size)

    def forward(self, ids, languages=None, mask=None, positions=None):
        """Return the last hidden states (B, T, D)."""
        return self.hidden_states(ids, languages, mask, positions)[-1]

    def hidden_states(self, ids, languages=None, mask=None, positions=None):
        """Return the hidden states before the first layer and after each: L + 1 of (B, T, D)."""
        x, real = self.embed(ids, languages, positions), 1
        if mask is not None:
            check_same_shape("mask", mask, ids)
            real, mask = mask[..., None], token_mask(mask)  # (B, T, 1), (B, 1, 1, T)
        states = [x * real]
        for block in self.layers():
            states.append(block(states[-1], mask) * real)
        return states

    def embed(self, ids, languages=None, positions=None):
        """Return what the first layer reads, (B, T, D): three vectors added and normalised."""
        check_ids("ids", ids, self.config.vocab_size)
        x = self.token_embedding(ids) + self.position_vectors(ids, positions)  # (B, T, D)
        if languages is not None:
            languages = self.language_ids(languages, ids)
            if self.language_embedding is not None:
                x = x + self.language_embedding(languages)
        return self.dropout(self.embedding_norm(x))

    def position_vectors(self, ids, positions=None):
        """Return the vectors of the positions, (T, D), or (B, T, D) when they are given."""
        if positions is None:
            return self.position_embedding(ids.size(1))
        check_same_shape("positions", positions, ids)
        check_ids("positions", positions, self.config.context)
        return self.position_embedding.weight[positions]

    def language_ids(self, languages, ids):
        """Return the language of each token, (B, T), from a tensor, or one name or id for all."""
        n, names = self.config.n_languages, self.config.names
        if isinstance(languages, str):
            if languages not in names:
                known = f"known are {', '.join(names)}" if names else "this XLM knows ids alone"
                raise VocabularyError(f"the language {languages!r} has no name here: {known}")
            languages = names.index(languages)
        if isinstance(languages, int) and is_number(languages):
            languages = torch.full_like(ids, languages)
        check_ids("languages", languages, n)
        check_same_shape("languages", languages, ids)
        return languages

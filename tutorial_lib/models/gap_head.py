"""What a sentence encoder such as MiniLM lacks to fill gaps."""

from dataclasses import asdict, dataclass
from typing import ClassVar

import torch
from torch import nn

from tutorial_lib.errors import ShapeError
from tutorial_lib.models.base import Model
from tutorial_lib.models.bert_heads import MLMHead


@dataclass(frozen=True)
class GapHeadConfig:
    """What a GapHead is built from, as its file says it."""

    width: int
    vocab_size: int


class GapHead(Model):
    """What MiniLM lacks to fill gaps: BERT's masked-word head, and a vector for [MASK].

    >>> head = GapHead(width=4, vocab_size=9)
    >>> sum(part.numel() for part in head.parameters())
    41
    """

    config_class: ClassVar = GapHeadConfig

    def __init__(self, width, vocab_size):
        super().__init__(GapHeadConfig(width, vocab_size))
        self.mlm_head = MLMHead(width, vocab_size)
        self.mask_vector = nn.Parameter(torch.zeros(width))

    @classmethod
    def built_from(cls, config):
        """Return a new head of these sizes."""
        return cls(**asdict(config))

    def onto(self, minilm, tokenizer):
        """Return a copy of MiniLM that fills gaps, in eval mode, with its tokenizer.

        minilm is a BERT, tokenizer its WordPieceTokenizer. Raises ShapeError when they have
        another width or vocabulary than this head.

        >>> from tutorial_lib.datasets import minilm_folder
        >>> from tutorial_lib.models import BERT
        >>> from tutorial_lib.tokenizers import WordPieceTokenizer
        >>> minilm = BERT.from_pretrained(minilm_folder())
        >>> tokenizer = WordPieceTokenizer.from_pretrained(minilm_folder())
        >>> GapHead(384, 30_522).onto(minilm, tokenizer).config.mlm
        True
        """
        ours = (len(self.mask_vector), len(self.mlm_head.bias))
        theirs = (minilm.config.d_model, minilm.config.vocab_size)
        if ours != theirs or tokenizer.vocab_size != theirs[1]:
            raise ShapeError(
                f"this head is for a width of {ours[0]} and {ours[1]:,} tokens; the model has "
                f"{theirs[0]} and {theirs[1]:,}, its tokenizer {tokenizer.vocab_size:,}"
            )
        model = minilm.with_heads(mlm=True)
        model.mlm_head.load_state_dict(self.mlm_head.state_dict())
        with torch.no_grad():
            model.token_embedding.weight[tokenizer.mask_id] = self.mask_vector
        model.tokenizer = tokenizer
        return model.eval()

"""What makes a BERT answer questions: small changes of its layers, and a span head."""

import copy
from dataclasses import dataclass
from typing import ClassVar

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.errors import MissingHeadError, ShapeError
from tutorial_lib.models.base import Model
from tutorial_lib.models.bert_heads import starts_and_ends
from tutorial_lib.models.checks import check_whole_numbers

# The linear maps of a layer that are changed.
CHANGED = ("attention.qkv", "attention.output", "feed_forward.hidden", "feed_forward.output")


class LoRA(nn.Module):
    """A change B A of a linear map, zero at first; A (rank, d_in), B (d_out, rank). Hu et al. 2021.

    x (..., d_in) -> (..., d_out), to be added to what the map makes of x. A is `down`, B is `up`.

    >>> LoRA(d_in=3, d_out=2, rank=1)(torch.ones(3)).tolist()
    [0.0, 0.0]
    """

    def __init__(self, d_in, d_out, rank):
        super().__init__()
        self.down, self.up = (nn.Parameter(torch.empty(s)) for s in ((rank, d_in), (d_out, rank)))
        nn.init.normal_(self.down, std=d_in**-0.5)
        nn.init.zeros_(self.up)

    def forward(self, x):
        """Return the change, (..., d_out)."""
        return F.linear(F.linear(x, self.down), self.up)


@dataclass(frozen=True)
class QuestionReaderConfig:
    """The sizes of the BERT that is changed, and the rank of each change."""

    d_model: int = 384
    n_layers: int = 6
    d_ff: int = 1536
    rank: int = 4

    def __post_init__(self):
        check_whole_numbers(self, ("d_model", "n_layers", "d_ff", "rank"))

    def build(self):
        """Return a QuestionReader of these sizes that has learned nothing yet."""
        return QuestionReader(self)


class QuestionReader(Model):
    """A BERT that marks the answer to a question in a text, held as what differs from that BERT.

    The weights here are the changes of its linear maps and the span head; `reading_with` hands it
    the BERT itself, which stays as it is. Then it is called as a BERT with a span head is.

    >>> from tutorial_lib.models import BERT, BERTConfig
    >>> sizes = {"d_model": 8, "n_layers": 1, "d_ff": 32}
    >>> body = BERT(BERTConfig(**sizes, vocab_size=9, context=5, n_heads=2))
    >>> reader = QuestionReader(QuestionReaderConfig(**sizes)).reading_with(body)
    >>> [logits.shape for logits in reader.span_logits(reader(torch.tensor([[1, 5, 2]])))]
    [torch.Size([1, 3]), torch.Size([1, 3])]
    """

    config_class: ClassVar = QuestionReaderConfig

    def __init__(self, config):
        super().__init__(config)
        d_model, d_ff, rank = config.d_model, config.d_ff, config.rank
        sizes = ((d_model, 3 * d_model), (d_model, d_model), (d_model, d_ff), (d_ff, d_model))
        self.changes = nn.ModuleList(
            nn.ModuleList(LoRA(*of_map, rank) for of_map in sizes) for _ in range(config.n_layers)
        )
        self.span_head = nn.Linear(d_model, 2)
        self.body = None  # the BERT that reads: in a tuple, so that it is not stored

    def reading_with(self, body):
        """Return this reader, which from now on reads with a BERT that stays as it is.

        It copies no weights: the copy of the BERT that is changed has the same ones.
        Raises ShapeError when the BERT has other sizes.
        """
        blocks = body.blocks
        ours = (self.config.d_model, self.config.n_layers, self.config.d_ff)
        theirs = (body.config.d_model, len(blocks), blocks[0].feed_forward.hidden.out_features)
        if ours != theirs:
            raise ShapeError(
                f"the changes fit a BERT with d_model, n_layers and d_ff of {ours}, got {theirs}"
            )
        same = {id(tensor): tensor for tensor in (*body.parameters(), *body.buffers())}
        body = copy.deepcopy(body, same).eval()  # no dropout: each text is read once or twice
        for block, changes in zip(body.blocks, self.changes, strict=True):
            for name, change in zip(CHANGED, changes, strict=True):
                block.get_submodule(name).register_forward_hook(
                    lambda linear, read, made, change=change: made + change(*read)
                )
        self.body = (body,)
        return self

    def forward(self, ids, segments=None, mask=None):
        """Return the last hidden states (B, T, D); arguments and errors as those of a BERT.

        Raises MissingHeadError before `reading_with`.
        """
        if self.body is None:
            raise MissingHeadError(
                "this reader has no body yet: reading_with(minilm) hands it the BERT it changes"
            )
        return self.body[0](ids, segments, mask)

    def span_logits(self, hidden, mask=None):
        """Return where an answer may start and end, two tensors (B, T), of hidden (B, T, D).

        mask (B, T), True = a real token: no answer starts or ends in the padding.
        Raises ShapeError when the mask has another shape.
        """
        return starts_and_ends(self.span_head(hidden), mask)

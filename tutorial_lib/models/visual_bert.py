"""VisualBERT: words and regions of a picture in one row (Li et al. 2019).

A diff on BERT: a linear map brings the regions to the width of the words, a segment vector of their
own says that they are regions, and the layers of a BERT let every word look at every region.
"""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import nn

from tutorial_lib.attention import token_mask
from tutorial_lib.errors import ContextError, ShapeError
from tutorial_lib.models.bert import BERT, BERTConfig
from tutorial_lib.models.bert_heads import mean_pool
from tutorial_lib.models.checks import check_no_part, check_sizes, check_tensor
from tutorial_lib.models.foreign.visual_bert import FOREIGN
from tutorial_lib.positions import LearnedPositions


@dataclass(frozen=True)
class VisualBERTConfig(BERTConfig):
    """The sizes of a VisualBERT: those of a BERT, and d_region, the width F of a region's vector.

    Its heads: mlm for masked words; match, does the text belong to the picture; n_answers, one of
    so many answers to a question. The last two read the pooler. context is the longest text, and
    the most regions.
    Raises as BERTConfig does, and ValueError for nsp and n_classes, which match and n_answers
    replace.

    >>> VisualBERTConfig.base().d_region
    2048
    """

    d_region: int = 2048
    match: bool = False
    n_answers: int | None = None

    def __post_init__(self):
        check_no_part(self, "VisualBERT", "nsp", "match=True asks whether text and picture match")
        check_no_part(self, "VisualBERT", "n_classes", "give n_answers")
        super().__post_init__()
        check_sizes(self, ("d_region", "n_answers"))
        if self.n_segments < 2:
            raise ShapeError(
                f"regions are segment 1: n_segments must be at least 2, got {self.n_segments}"
            )
        if (self.match or self.n_answers) and not self.pooler:
            raise ValueError("match and n_answers read the pooler: give pooler=True")

    @classmethod
    def base(cls, **changes):
        """The VisualBERT of the paper: BERT-base and regions of 2,048 numbers, 112 M parameters."""
        return cls(**({"pooler": True, "mlm": True, "match": True} | changes))

    def build(self):
        """Return a VisualBERT of these sizes with random weights."""
        return VisualBERT(self)


class VisualBERT(BERT):
    """A BERT that reads a text and, behind it, the regions of a picture.

    ids and segments (B, T) as for a BERT; regions (B, R, F), one vector a region, or None;
    mask (B, T + R), True = a real token or region, all True by default.
    Returns the last hidden states (B, T + R, D), those of the text first.

    A region does not say by itself where it lies: all have the same position vector (section 3.2).
    `join_boxes` writes its box behind its features.

    Raises as BERT does; ShapeError for regions of another width or of another number of pictures
    than texts, ContextError for more regions than positions.

    >>> sizes = {"vocab_size": 9, "context": 8, "d_model": 4, "n_layers": 2, "n_heads": 2}
    >>> model = VisualBERT(VisualBERTConfig(**sizes, d_region=6))
    >>> model(torch.tensor([[1, 5, 2]]), torch.zeros(1, 2, 6)).shape
    torch.Size([1, 5, 4])
    """

    config_class: ClassVar = VisualBERTConfig
    foreign: ClassVar = FOREIGN
    head_fields: ClassVar = (
        "pooler", "mlm", "match", "n_answers", "n_labels", "span", "pooling",
    )  # fmt: skip
    heads: ClassVar = (*BERT.heads, "match_head.", "answer_head.")

    def __init__(self, config):
        super().__init__(config)
        with torch.no_grad():  # what is known of segments and positions in texts is a start
            self.visual_segment_embedding.weight.copy_(self.segment_embedding.weight)
            self.visual_position_embedding.weight.copy_(self.position_embedding.weight)

    def build_embeddings(self, config, width):
        """Make BERT's tables and norm, and what regions are given."""
        super().build_embeddings(config, width)
        self.visual_projection = nn.Linear(config.d_region, width)
        self.visual_segment_embedding = nn.Embedding(config.n_segments, width)
        self.visual_position_embedding = LearnedPositions(config.context, width)

    def build_heads(self, config):
        """Make the parts that the config asks for, the others None."""
        super().build_heads(config)
        self.match_head = nn.Linear(config.d_model, 2) if config.match else None
        n_answers = config.n_answers
        self.answer_head = nn.Linear(config.d_model, n_answers) if n_answers else None

    def forward(self, ids, regions=None, segments=None, mask=None):
        """Return the last hidden states (B, T + R, D)."""
        return self.hidden_states(ids, regions, segments, mask)[-1]

    def hidden_states(self, ids, regions=None, segments=None, mask=None):
        """Return the states before the first layer and after each: L + 1 of (B, T + R, D)."""
        x = self.embed(ids, segments)  # (B, T, D)
        if regions is not None:
            self.check_regions(regions, ids)
            x = torch.cat([x, self.embed_regions(regions)], dim=1)  # (B, T + R, D)
        if mask is not None:
            check_row(mask, x)
            mask = token_mask(mask)  # (B, 1, 1, T + R)
        states = [x]
        for block in self.layers():
            states.append(block(states[-1], mask))
        return states

    def embed_regions(self, regions):
        """Return what the first layer reads of regions (B, R, F): (B, R, D)."""
        segment = self.visual_segment_embedding.weight[1]  # regions: never 0
        position = self.visual_position_embedding.weight[0]  # the same: regions have no order
        x = self.visual_projection(regions) + segment + position  # (B, R, D)
        return self.dropout(self.embedding_norm(x))

    def check_regions(self, regions, ids):
        """Raise unless regions are (B, R, F) of this model's width, as many pictures as texts."""
        check_tensor("regions", regions)
        width, context = self.config.d_region, self.config.context
        if regions.dim() != 3 or regions.size(-1) != width or not regions.is_floating_point():
            raise ShapeError(
                f"regions must be floating point of shape (B, R, {width}), got {regions.dtype} "
                f"{tuple(regions.shape)}"
            )
        if len(regions) != len(ids):
            raise ShapeError(f"{len(ids)} texts, but the regions of {len(regions)} pictures")
        if regions.size(1) > context:
            raise ContextError(
                f"{regions.size(1)} regions a picture do not fit: this model has positions for "
                f"{context}"
            )

    def sentence_vectors(self, ids, regions=None, segments=None, mask=None):
        """Return one vector of length 1 a text with its picture, (B, D): the mean of the row."""
        hidden = self(ids, regions, segments, mask)
        return nn.functional.normalize(mean_pool(hidden, mask), dim=-1)

    def match_logits(self, hidden):
        """Return whether the text belongs to the picture, (B, 2): class 0 says it does.

        hidden (B, T + R, D). Raises MissingHeadError when this model has no such head.
        """
        return self._part("match_head", "match head", "match=True")(self.pooled(hidden))

    def answer_logits(self, hidden):
        """Return how well each answer fits the question that was read, (B, answers).

        hidden (B, T + R, D). Raises MissingHeadError when this model has no such head.
        """
        head = self._part("answer_head", "head for answers", "n_answers=10")
        return head(self.dropout(self.pooled(hidden)))


def check_row(mask, x):
    """Raise ShapeError unless mask is (B, T + R) for the states x (B, T + R, D)."""
    check_tensor("mask", mask)
    if mask.shape != x.shape[:2]:
        raise ShapeError(
            f"mask must say of each token and of each region whether it is real, shape "
            f"{tuple(x.shape[:2])}, got {tuple(mask.shape)}"
        )


def join_boxes(features, boxes):
    """Return regions (B, R, F + 4): features (B, R, F), and behind them where each region lies.

    boxes (B, R, 4): left, top, right, bottom as parts of the picture's sides, 0 to 1; all zero for
    padding. Raises ShapeError when both do not fit, ValueError for a box outside the picture or one
    whose sides are the wrong way round.

    >>> join_boxes(torch.zeros(1, 1, 2), torch.tensor([[[0.25, 0.5, 0.75, 1.0]]]))
    tensor([[[0.0000, 0.0000, 0.2500, 0.5000, 0.7500, 1.0000]]])
    """
    check_tensor("features", features)
    check_tensor("boxes", boxes)
    if features.dim() != 3 or boxes.shape != (*features.shape[:2], 4):
        raise ShapeError(
            f"features must have shape (B, R, F) and boxes (B, R, 4), got {tuple(features.shape)} "
            f"and {tuple(boxes.shape)}"
        )
    (left_top, right_bottom) = boxes.split(2, dim=-1)
    bad = ~((left_top >= 0) & (right_bottom <= 1) & (left_top <= right_bottom)).all(dim=-1)
    if bad.any():
        picture, region = bad.nonzero()[0].tolist()
        box = ", ".join(f"{number:g}" for number in boxes[picture, region].tolist())
        raise ValueError(
            f"the box of region {region} of picture {picture} is ({box}): left, top, right, bottom "
            "must lie in the picture, from 0 to 1, and left and top come before right and bottom"
        )
    return torch.cat([features, boxes.to(features.dtype)], dim=-1)

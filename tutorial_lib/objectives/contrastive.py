"""Which text belongs to which picture: a loss in both directions, and how many are found (CLIP)."""

import torch
import torch.nn.functional as F

from tutorial_lib.errors import ShapeError


def contrastive_loss(logits: torch.Tensor) -> torch.Tensor:
    """Return the symmetric loss of N pictures and their N texts, one number in nats.

    logits (N, N), images x texts: picture i belongs to text i, so each row is a classification with
    N classes, and so is each column; the loss is the mean of both cross-entropies (Radford et al.
    2021, figure 3).
    Raises ShapeError unless logits are a square of at least 2 x 2: with a single pair there is
    nothing to tell apart, and the loss would be 0 for any model.

    >>> contrastive_loss(torch.zeros(4, 4))  # chance: log 4
    tensor(1.3863)
    """
    _check_square(logits)
    if len(logits) < 2:
        raise ShapeError(
            "the contrastive loss needs a batch of at least 2 pairs, got 1: there is no other text "
            "to tell the right one from"
        )
    own = torch.arange(len(logits), device=logits.device)
    text_of_image = F.cross_entropy(logits, own)  # over each row
    image_of_text = F.cross_entropy(logits.T, own)  # over each column
    return (text_of_image + image_of_text) / 2


def recall_at(scores: torch.Tensor, k: int) -> float:
    """Return the share of rows of scores (N, N) whose own column is among the k best of the row.

    Of images x texts: how often a picture's own text is found; of scores.T: a text's own picture.
    Others that score the same count as better, so that a constant model finds nothing. Chance is
    k / N.
    Raises ShapeError unless scores are square, ValueError unless k is from 1 to N.

    >>> recall_at(torch.tensor([[0.9, 0.1], [0.8, 0.2]]), 1)
    0.5
    """
    _check_square(scores)
    if not 1 <= k <= len(scores):
        raise ValueError(f"k must be from 1 to {len(scores)}, got {k}")
    own = scores.diagonal()[:, None]  # (N, 1)
    better = (scores >= own).sum(dim=1) - 1  # without itself
    return (better < k).float().mean().item()


def _check_square(scores):
    if scores.dim() != 2 or scores.size(0) != scores.size(1) or not len(scores):
        raise ShapeError(
            "each picture needs one text, so logits must be (N, N), images x texts; got "
            f"{tuple(scores.shape)}"
        )

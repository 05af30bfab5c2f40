"""A student learns from its teacher: soft targets, masked words, hidden states (DistilBERT)."""

from typing import NamedTuple

import torch
import torch.nn.functional as F

from tutorial_lib.errors import ShapeError, VocabularyError


def soft_target_loss(
    student_logits: torch.Tensor, teacher_logits: torch.Tensor, temperature: float = 2.0
) -> torch.Tensor:
    """Return T² · KL(teacher ‖ student) in nats, both softened by the temperature T.

    Logits are (..., V) each; the result is the mean over all positions. Dividing the logits by T
    divides the gradients by about T²: the factor keeps them as large at every T (Hinton et al.
    2015, section 2). No gradient reaches the teacher.
    Raises ShapeError for logits of different shapes, ValueError unless the temperature is above 0.

    >>> logits = torch.tensor([[2.0, 0.0]])
    >>> soft_target_loss(logits, logits).item()
    0.0
    """
    if student_logits.shape != teacher_logits.shape:
        raise ShapeError(
            f"student and teacher must say as much, got logits {tuple(student_logits.shape)} and "
            f"{tuple(teacher_logits.shape)}"
        )
    if not temperature > 0:
        raise ValueError(f"temperature must be above 0, got {temperature}")
    said = F.log_softmax(student_logits / temperature, dim=-1)
    wanted = F.softmax(teacher_logits.detach() / temperature, dim=-1)
    kl = F.kl_div(said, wanted, reduction="none").sum(-1)  # (...)
    return temperature**2 * kl.mean()


class DistillationWeights(NamedTuple):
    """How much each part of `distillation_loss` counts; 0 switches it off.

    The values are those of DistilBERT's published training script; the paper does not print them.

    >>> DistillationWeights(cosine=0.0)
    DistillationWeights(soft_targets=5.0, masked_tokens=2.0, cosine=0.0)
    """

    soft_targets: float = 5.0
    masked_tokens: float = 2.0
    cosine: float = 1.0


def distillation_loss(student, teacher, batch, temperature=2.0, weights=None):
    """Return what DistilBERT minimises, one number, from a pass of each; batch is MaskedTokens.

    Three parts: `soft_target_loss` and the cross-entropy of the hidden tokens, both at the chosen
    positions, and 1 - cosine of the last hidden states of both at every real token (Sanh et al.
    2019, section 3). weights: DistillationWeights. The teacher learns nothing; put it into eval
    mode. A student without segments is not given any.
    Raises VocabularyError when the two read different vocabularies, ShapeError when the cosine is
    asked for and their widths differ, MissingHeadError when hidden tokens are asked for and one has
    no head for them.

    >>> from tutorial_lib.models import BERTConfig, DistilBERT
    >>> from tutorial_lib.objectives import mask_tokens
    >>> config = BERTConfig(9, 8, d_model=4, n_layers=2, n_heads=2, mlm=True)
    >>> teacher = config.build().eval()
    >>> batch = mask_tokens(torch.arange(3, 8)[None], 1, 9, [0, 2])
    >>> distillation_loss(DistilBERT.from_teacher(teacher), teacher, batch).requires_grad
    True
    """
    weights = weights or DistillationWeights()
    _check_pair(student, teacher, weights)
    segments = batch.segments if student.config.n_segments > 1 else None
    hidden = student(batch.ids, segments, batch.mask)  # (B, T, D)
    with torch.no_grad():
        wanted = teacher(batch.ids, batch.segments, batch.mask)  # (B, T, D)
    loss = hidden.new_zeros(())
    if weights.soft_targets or weights.masked_tokens:
        said = student.mlm_logits(hidden[batch.chosen])  # (N, V)
        loss = loss + weights.masked_tokens * F.cross_entropy(said, batch.targets)
    if weights.soft_targets:
        with torch.no_grad():
            soft = teacher.mlm_logits(wanted[batch.chosen])  # (N, V)
        loss = loss + weights.soft_targets * soft_target_loss(said, soft, temperature)
    if weights.cosine:
        cosine = F.cosine_similarity(hidden, wanted, dim=-1)  # (B, T)
        real = slice(None) if batch.mask is None else batch.mask
        loss = loss + weights.cosine * (1 - cosine[real]).mean()
    return loss


def _check_pair(student, teacher, weights):
    """Raise unless a student can learn from a teacher with these weights."""
    ours, theirs = student.config, teacher.config
    if ours.vocab_size != theirs.vocab_size:
        raise VocabularyError(
            f"the student reads {ours.vocab_size:,} tokens, its teacher {theirs.vocab_size:,}: "
            "soft targets need one vocabulary"
        )
    if weights.cosine and ours.d_model != theirs.d_model:
        raise ShapeError(
            f"the student's states are {ours.d_model} wide, its teacher's {theirs.d_model}: give "
            "the cosine the weight 0"
        )

"""Hide a part and ask for it: masked tokens as in BERT, masked patches as in ViT.

Of the chosen positions 80 % get a mask, 10 % something random, and 10 % stay as they are, so that
the model cannot tell from its input which positions it will be asked about.
"""

from collections.abc import Iterable
from typing import NamedTuple

import torch
import torch.nn.functional as F
from einops import reduce

from tutorial_lib.errors import ShapeError, VocabularyError
from tutorial_lib.models.checks import check_ids


class MaskedTokens(NamedTuple):
    """A batch with hidden tokens; there are targets for the chosen positions only.

    ids (B, T) after the change; segments (B, T) or None; mask (B, T), True = a real token, or
    None; chosen (B, T) bool; targets (N,), the tokens that were at the N chosen positions, row by
    row.
    """

    ids: torch.Tensor
    segments: torch.Tensor | None
    mask: torch.Tensor | None
    chosen: torch.Tensor
    targets: torch.Tensor


class MaskingPlan(NamedTuple):
    """What is to become of tokens: chosen (B, T) bool; draw (B, T), 0 <= draw < 1, decides between
    80, 10 and 10; random_ids (B, T), the token that a position gets if it is to be a random one.
    """

    chosen: torch.Tensor
    draw: torch.Tensor
    random_ids: torch.Tensor


def mask_tokens(
    ids: torch.Tensor,
    mask_id: int,
    vocab_size: int,
    special_ids: Iterable[int],
    segments: torch.Tensor | None = None,
    mask: torch.Tensor | None = None,
    share: float = 0.15,
    generator: torch.Generator | None = None,
) -> MaskedTokens:
    """Choose 15 % of each row of ids (B, T), change them 80/10/10, and return MaskedTokens.

    Of the chosen tokens 80 % become mask_id, 10 % a random ordinary token, 10 % stay (Devlin et
    al. 2018, section 3.1). special_ids (padding, [CLS], [SEP] ...) are never chosen and never drawn
    as random tokens; positions where mask (B, T) is False are never chosen. Each row that has
    ordinary tokens gets at least one chosen. The same generator state gives the same choice.
    Raises ShapeError for ids that are not whole numbers (B, T) or a mask of another shape,
    VocabularyError for an id outside the vocabulary, ValueError for a share outside (0, 1] or
    when no token can be chosen at all.

    >>> batch = mask_tokens(torch.arange(2, 12).view(1, 10), mask_id=1, vocab_size=12,
    ...                     special_ids=[0, 2, 11], generator=torch.Generator().manual_seed(0))
    >>> batch.chosen.sum().item(), bool(batch.chosen[0, 0]), len(batch.targets)
    (1, False, 1)
    """
    plan = plan_masking(ids, mask_id, vocab_size, special_ids, mask, share, generator)
    hidden, replaced = _eighty_ten_ten(plan.chosen, plan.draw)
    changed = torch.where(replaced, plan.random_ids, ids).masked_fill(hidden, mask_id)
    return MaskedTokens(changed, segments, mask, plan.chosen, ids[plan.chosen].long())


def plan_masking(
    ids: torch.Tensor,
    mask_id: int,
    vocab_size: int,
    special_ids: Iterable[int],
    mask: torch.Tensor | None = None,
    share: float = 0.15,
    generator: torch.Generator | None = None,
) -> MaskingPlan:
    """Choose tokens as `mask_tokens` does, and leave it to the caller to change them.

    With the same generator state it is the plan by which `mask_tokens` changes its ids, and it
    raises the same errors.
    """
    if not 0 < share <= 1:
        raise ValueError(f"share must be above 0 and at most 1, got {share}")
    check_ids("ids", ids, vocab_size)
    special = torch.tensor(sorted({*special_ids, mask_id}), device=ids.device)
    _check(ids, mask, special, vocab_size)
    candidates = ~torch.isin(ids, special)
    if mask is not None:
        candidates &= mask
    if not candidates.any():
        raise ValueError("no token to choose: every one is special or padding")
    chosen = _choose(candidates, share, generator)
    draw = torch.rand(ids.shape, generator=generator, device=ids.device)
    ordinary = torch.ones(vocab_size, dtype=torch.bool, device=ids.device)
    ordinary[special] = False
    ordinary = ordinary.nonzero().flatten()
    which = torch.randint(len(ordinary), ids.shape, generator=generator, device=ids.device)
    return MaskingPlan(chosen, draw, ordinary[which])


def masked_token_loss(model, batch, positions=None):
    """Return the mean of -log p(hidden token), in nats; batch is MaskedTokens, model a BERT.

    For an XLM, batch.segments are the languages, and positions (B, T) may be given, as for
    translated pairs. The vocabulary is by far the widest layer, so its logits are computed at the
    chosen positions only: (N, V) instead of (B, T, V).
    """
    more = {} if positions is None else {"positions": positions}
    hidden = model(batch.ids, batch.segments, batch.mask, **more)  # (B, T, D)
    return F.cross_entropy(model.mlm_logits(hidden[batch.chosen]), batch.targets)


def pretraining_loss(model, batch):
    """Return BERT's own loss, the sum of masked tokens and next sentence, from one pass.

    batch = (MaskedTokens, is_next (B,) bool). As in the published weights, class 0 of
    `nsp_logits` says "is next", class 1 "is not".
    """
    tokens, is_next = batch
    hidden = model(tokens.ids, tokens.segments, tokens.mask)  # (B, T, D)
    of_tokens = F.cross_entropy(model.mlm_logits(hidden[tokens.chosen]), tokens.targets)
    return of_tokens + F.cross_entropy(model.nsp_logits(hidden), (~is_next).long())


class MaskedPatches(NamedTuple):
    """A batch of pictures with the plan of what to hide.

    images (B, C, height, width); chosen (B, N) bool, the patches asked about; hidden (B, N) bool,
    those of them that become the mask embedding; source (B, N), which patch is shown at each
    position: its own, except for the random 10 %; targets (chosen,), mean colours.
    """

    images: torch.Tensor
    chosen: torch.Tensor
    hidden: torch.Tensor
    source: torch.Tensor
    targets: torch.Tensor


def mask_patches(
    images: torch.Tensor,
    patch_size: int,
    share: float = 0.5,
    bits: int = 3,
    generator: torch.Generator | None = None,
) -> MaskedPatches:
    """Choose half the patches of each picture, plan 80/10/10, and return MaskedPatches.

    images (B, C, height, width) from 0 to 1. Of the chosen patches 80 % become a learned mask
    embedding, 10 % another patch of the same picture, 10 % stay (Dosovitskiy et al. 2020,
    appendix B.1.2).
    Raises ShapeError when the patches do not fill the picture or there is only one,
    ValueError for a share outside (0, 1] or pixels outside 0..1.
    """
    if not 0 < share <= 1:
        raise ValueError(f"share must be above 0 and at most 1, got {share}")
    colours = mean_colours(images, patch_size, bits)  # (B, N)
    batch, n_patches = colours.shape
    if n_patches < 2:
        raise ShapeError(f"masking takes 2 patches or more, patches of {patch_size} give 1")
    chosen = _choose(torch.ones_like(colours, dtype=torch.bool), share, generator)
    draw = torch.rand(chosen.shape, generator=generator, device=chosen.device)
    hidden, replaced = _eighty_ten_ten(chosen, draw)
    own = torch.arange(n_patches, device=images.device)
    step = torch.randint(
        1, n_patches, (batch, n_patches), generator=generator, device=images.device
    )
    other = (own + step) % n_patches  # a step of 1 ... N - 1 never ends where it began
    source = torch.where(replaced, other, own)
    return MaskedPatches(images, chosen, hidden, source, colours[chosen])


def mean_colours(images: torch.Tensor, patch_size: int, bits: int = 3) -> torch.Tensor:
    """Return the mean colour of each patch as one class: (B, N) from images (B, C, height, width).

    Each channel's mean becomes a whole number of `bits` bits, so with 3 bits there are 512 classes
    for 3 channels and 8 for a grey picture. Pixels run from 0 to 1.

    >>> mean_colours(torch.tensor([0.0, 0.5, 1.0]).view(1, 3, 1, 1).expand(1, 3, 2, 2), 2)
    tensor([[39]])
    """
    if images.dim() != 4 or images.size(2) % patch_size or images.size(3) % patch_size:
        raise ShapeError(
            f"patches of {patch_size} must fill images of shape (B, C, height, width), "
            f"got {tuple(images.shape)}"
        )
    low, high = (float(value) for value in images.aminmax())
    if low < 0 or high > 1:
        raise ValueError(f"mean colours need pixels from 0 to 1, got {low:.3g} to {high:.3g}")
    means = reduce(
        images,
        "batch channel (rows height) (columns width) -> batch (rows columns) channel",
        "mean",
        height=patch_size,
        width=patch_size,
    )  # (B, N, C)
    levels = 2**bits
    digits = (means * levels).long().clamp(max=levels - 1)
    worth = levels ** torch.arange(images.size(1) - 1, -1, -1, device=images.device)
    return (digits * worth).sum(dim=-1)


def masked_patch_loss(model, batch):
    """Return the mean of -log p(mean colour) at the chosen patches, in nats; model is a ViT."""
    logits = model.masked_patch_logits(batch.images, batch.hidden, batch.source)  # (B, N, classes)
    return F.cross_entropy(logits[batch.chosen], batch.targets)


def _choose(candidates, share, generator):
    """Return (B, T) bool: in each row the share of its candidates, at least one if it has any."""
    counts = candidates.sum(dim=1, keepdim=True)  # (B, 1)
    wanted = (counts * share).round().clamp(min=1).minimum(counts)
    order = torch.rand(candidates.shape, generator=generator, device=candidates.device)
    rank = order.masked_fill(~candidates, 2.0).argsort(dim=1).argsort(dim=1)
    return rank < wanted


def _eighty_ten_ten(chosen, draw):
    return chosen & (draw < 0.8), chosen & (draw >= 0.8) & (draw < 0.9)


def _check(ids, mask, special, vocab_size):
    if mask is not None and (mask.shape != ids.shape or mask.dtype != torch.bool):
        raise ShapeError(
            f"the mask must be torch.bool of shape {tuple(ids.shape)}, True = a real token; "
            f"got {mask.dtype} {tuple(mask.shape)}"
        )
    check_ids("special ids", special[None], vocab_size)
    if len(special) >= vocab_size:
        raise VocabularyError(f"all {vocab_size} tokens are special: none is left to put in")

"""Which tokens were replaced? ELECTRA's task, which every position teaches (Clark et al. 2020)."""

from typing import NamedTuple

import torch
import torch.nn.functional as F

from tutorial_lib.errors import ShapeError, VocabularyError
from tutorial_lib.objectives.masking import MaskedTokens


class ReplacedTokens(NamedTuple):
    """A batch with some tokens replaced.

    ids (B, T) after the change; segments (B, T) or None; mask (B, T), True = a real token, or
    None; replaced (B, T) bool, True where the token is another one than it was.
    """

    ids: torch.Tensor
    segments: torch.Tensor | None
    mask: torch.Tensor | None
    replaced: torch.Tensor


@torch.no_grad()
def replace_tokens(
    logits: torch.Tensor, batch: MaskedTokens, generator: torch.Generator | None = None
) -> ReplacedTokens:
    """Fill the gaps of MaskedTokens with tokens drawn from logits (N, V), a row a chosen position.

    A token that is drawn as it was counts as original (Clark et al. 2020, section 2). Drawing has
    no gradient, so the discriminator cannot teach the generator. `generator` is torch's source of
    random numbers.
    Raises ShapeError unless there is one row of logits for each target.

    >>> batch = MaskedTokens(torch.tensor([[5, 1, 1]]), None, None,
    ...                      torch.tensor([[False, True, True]]), torch.tensor([6, 7]))
    >>> sure = torch.full((2, 9), -100.0).scatter(1, torch.tensor([[6], [8]]), 100.0)
    >>> replace_tokens(sure, batch)[::3]
    (tensor([[5, 6, 8]]), tensor([[False, False,  True]]))
    """
    if logits.dim() != 2 or len(logits) != len(batch.targets):
        raise ShapeError(
            f"logits must be (N, V) with N = {len(batch.targets)}, the chosen positions, "
            f"got {tuple(logits.shape)}"
        )
    drawn = torch.multinomial(logits.softmax(-1), 1, generator=generator).squeeze(1)  # (N,)
    ids, replaced = batch.ids.clone(), torch.zeros_like(batch.chosen)
    ids[batch.chosen] = drawn
    replaced[batch.chosen] = drawn != batch.targets
    return ReplacedTokens(ids, batch.segments, batch.mask, replaced)


def replaced_token_loss(discriminator, batch):
    """Return the mean binary cross-entropy over all real tokens, in nats; batch is ReplacedTokens.

    discriminator: an ELECTRA with its head. Every real token counts, replaced or not (Clark et al.
    2020, section 2). Raises MissingHeadError when it has none.

    >>> from tutorial_lib.models import ELECTRAConfig
    >>> judge = ELECTRAConfig(9, 8, d_model=4, n_layers=2, n_heads=2, replaced=True).build()
    >>> batch = ReplacedTokens(torch.tensor([[5, 6, 8]]), None, None, torch.tensor([[False] * 3]))
    >>> round(replaced_token_loss(judge, batch).item(), 1)  # untrained: it knows nothing
    0.7
    """
    hidden = discriminator(batch.ids, batch.segments, batch.mask)  # (B, T, D)
    logits = discriminator.replaced_logits(hidden)  # (B, T)
    real = torch.ones_like(batch.replaced) if batch.mask is None else batch.mask
    return F.binary_cross_entropy_with_logits(logits[real], batch.replaced[real].float())


def electra_loss(generator, discriminator, batch, weight=50.0, sampler=None):
    """Return the generator's loss plus `weight` times the discriminator's, both in nats.

    batch is MaskedTokens, sampler a torch.Generator. The generator learns to fill the gaps, not to
    deceive. A binary loss is small beside one over a vocabulary, hence the weight (Clark et al.
    2020, section 2).
    Raises VocabularyError when the generator may draw tokens that the discriminator cannot read,
    MissingHeadError when one has not the head of its task.

    >>> from tutorial_lib.models import ELECTRAConfig
    >>> from tutorial_lib.objectives import mask_tokens
    >>> config = ELECTRAConfig(9, 8, d_model=8, n_layers=2, n_heads=4, replaced=True)
    >>> batch = mask_tokens(torch.arange(3, 8)[None], 1, 9, [0, 2])
    >>> electra_loss(config.generator().build(), config.build(), batch).requires_grad
    True
    """
    theirs, ours = generator.config.vocab_size, discriminator.config.vocab_size
    if theirs > ours:
        raise VocabularyError(
            f"the generator draws from {theirs:,} tokens, the discriminator reads {ours:,}"
        )
    hidden = generator(batch.ids, batch.segments, batch.mask)  # (B, T, D)
    logits = generator.mlm_logits(hidden[batch.chosen])  # (N, V)
    of_generator = F.cross_entropy(logits, batch.targets)
    replaced = replace_tokens(logits, batch, sampler)
    return of_generator + weight * replaced_token_loss(discriminator, replaced)

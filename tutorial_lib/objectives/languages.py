"""Several languages in one model: translated pairs as one text, and how often each is read."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch

from tutorial_lib.errors import ContextError, ShapeError
from tutorial_lib.objectives.pairs import shortened


class TranslatedPair(NamedTuple):
    """Two sentences that mean the same as one row: ids, languages and positions, a list each."""

    ids: list[int]
    languages: list[int]
    positions: list[int]


class TranslatedBatch(NamedTuple):
    """Rows of TranslatedPairs as tensors, (B, T) each; mask: True = a real token."""

    ids: torch.Tensor
    languages: torch.Tensor
    positions: torch.Tensor
    mask: torch.Tensor


def tlm_pair(
    first: Sequence[int],
    second: Sequence[int],
    sep_id: int,
    languages: tuple[int, int] = (0, 1),
    context: int | None = None,
) -> TranslatedPair:
    r"""Join a sentence and its translation for translation language modeling, TLM.

    Each stands between two sep_id, has its language, and counts its positions from 0, so that words
    with the same meaning stand near each other (Lample and Conneau 2019, section 3.3). With words
    masked in both, the model can look one up in the other language. context: how many tokens there
    may be; a longer pair loses tokens from the end of its longer sentence.
    Raises ValueError when both languages are the same, ContextError when there is no room for one
    token of each.

    >>> print(*tlm_pair([5, 6], [7], sep_id=1), sep="\n")
    [1, 5, 6, 1, 1, 7, 1]
    [0, 0, 0, 0, 1, 1, 1]
    [0, 1, 2, 3, 0, 1, 2]
    """
    if languages[0] == languages[1]:
        raise ValueError(f"a translation is in another language, got {languages[0]} for both")
    if context is not None:
        if context < 6:
            raise ContextError(f"two words between separators are 6 tokens, context is {context}")
        first, second = shortened(first, second, context - 4)
    parts = [[sep_id, *sentence, sep_id] for sentence in (first, second)]
    return TranslatedPair(
        parts[0] + parts[1],
        [language for language, part in zip(languages, parts, strict=True) for _ in part],
        [position for part in parts for position in range(len(part))],
    )


def pack_translated(pairs: Sequence[TranslatedPair], pad_id: int) -> TranslatedBatch:
    """Return the pairs as a TranslatedBatch, filled up with pad_id, language 0 and position 0.

    Raises ShapeError when there are none.

    >>> batch = pack_translated([tlm_pair([5], [7], 1), tlm_pair([5, 6], [7], 1)], pad_id=2)
    >>> batch.ids, batch.mask[:, -1]
    (tensor([[1, 5, 1, 1, 7, 1, 2],
            [1, 5, 6, 1, 1, 7, 1]]), tensor([False,  True]))
    """
    if not pairs:
        raise ShapeError("a batch needs at least one pair, got none")
    length = max(len(pair.ids) for pair in pairs)

    def filled(rows, value):
        return torch.tensor([[*row, *[value] * (length - len(row))] for row in rows])

    ids, languages, positions = zip(*pairs, strict=True)
    mask = filled([[True] * len(row) for row in ids], False)
    return TranslatedBatch(filled(ids, pad_id), filled(languages, 0), filled(positions, 0), mask)


def sampling_shares(
    counts: Mapping[str, float] | Sequence[float], alpha: float
) -> dict[str, float] | list[float]:
    """Return how often each language is drawn: its share of all text to the power of alpha.

    counts: how much text there is in each, a mapping or a list; the shares have the same form and
    sum to 1. alpha 1 leaves them as they are, 0 makes them equal; XLM takes 0.5, XLM-R 0.3, for the
    vocabulary and for batches (Lample and Conneau 2019, section 3.1; Conneau et al. 2019).
    Raises ValueError for a negative count, no text at all, or a negative alpha.

    >>> shares = sampling_shares({"en": 9_000, "sw": 90}, alpha=0.5)
    >>> {name: round(share, 3) for name, share in shares.items()}
    {'en': 0.909, 'sw': 0.091}
    """
    numbers = list(counts.values() if isinstance(counts, Mapping) else counts)
    wrong = [n for n in numbers if not 0 <= n < math.inf]
    if wrong or not any(numbers):
        found = wrong[0] if wrong else numbers
        raise ValueError(f"counts are numbers of at least 0, some of them above 0, got {found}")
    if not 0 <= alpha < math.inf:
        raise ValueError(f"alpha must be a number of at least 0, got {alpha}")
    largest = max(numbers)  # by which all are divided, so that no power runs out of range
    powers = [(n / largest) ** alpha if n else 0.0 for n in numbers]
    shares = [power / sum(powers) for power in powers]
    return dict(zip(counts, shares, strict=True)) if isinstance(counts, Mapping) else shares

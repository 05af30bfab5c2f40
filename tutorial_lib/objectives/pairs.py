"""Pairs of sentences: does the second follow the first (BERT), are they in order (ALBERT)?"""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import torch

from tutorial_lib.errors import ContextError


class SentencePair(NamedTuple):
    """Two sentences as lists of ids, and whether the second follows the first in its document."""

    first: list[int]
    second: list[int]
    is_next: bool


def sentence_pairs(
    documents: Sequence[Sequence[list[int]]], n_pairs: int, seed: int = 0
) -> list[SentencePair]:
    """Return n_pairs SentencePairs from documents, each a list of sentences, each a list of ids.

    Half of the pairs are real. In the others the second sentence is a random one from another
    document (Devlin et al. 2018, section 3.1), so it cannot be the true one by chance. The order
    is random; the same seed gives the same pairs.
    Raises ValueError for fewer than two documents with a sentence, or when none has two sentences.

    >>> pairs = sentence_pairs([[[1], [2]], [[8], [9]]], n_pairs=10)
    >>> sum(pair.is_next for pair in pairs)
    5
    """
    documents = [document for document in documents if document]
    firsts = [(d, s) for d, document in enumerate(documents) for s in range(len(document) - 1)]
    if len(documents) < 2 or not firsts:
        raise ValueError(
            "sentence pairs need two documents or more, one of them with two sentences; "
            f"got {len(documents)} with {[len(document) for document in documents[:5]]} sentences"
        )
    generator = torch.Generator().manual_seed(seed)

    def draw(n):
        return torch.randint(n, (), generator=generator).item()

    pairs = []
    for i in torch.randperm(n_pairs, generator=generator).tolist():
        here, s = firsts[draw(len(firsts))]
        is_next = i % 2 == 0
        second = documents[here][s + 1]
        if not is_next:
            there = (here + 1 + draw(len(documents) - 1)) % len(documents)
            second = documents[there][draw(len(documents[there]))]
        pairs.append(SentencePair(documents[here][s], second, is_next))
    return pairs


class OrderedPair(NamedTuple):
    """Two neighbouring sentences as lists of ids, and whether they are in the order of the text."""

    first: list[int]
    second: list[int]
    in_order: bool


def order_pairs(
    documents: Sequence[Sequence[list[int]]], n_pairs: int, seed: int = 0
) -> list[OrderedPair]:
    """Return n_pairs OrderedPairs of neighbours in documents, as `sentence_pairs` takes them.

    Half of the pairs are swapped. Both sorts hold the same sentences, so the topic gives nothing
    away (Lan et al. 2019, section 3.1). The order is random; the same seed gives the same pairs.
    Raises ValueError when no document has two sentences.

    >>> pairs = order_pairs([[[1], [2]]], n_pairs=4)
    >>> sorted(pairs)[0], sum(pair.in_order for pair in pairs)
    (OrderedPair(first=[1], second=[2], in_order=True), 2)
    """
    neighbours = [pair for document in documents for pair in itertools.pairwise(document)]
    if not neighbours:
        raise ValueError("pairs need a document with two sentences or more, got none")
    generator = torch.Generator().manual_seed(seed)
    pairs = []
    for i in torch.randperm(n_pairs, generator=generator).tolist():
        place = torch.randint(len(neighbours), (), generator=generator).item()
        first, second = neighbours[place]
        in_order = i % 2 == 0
        pairs.append(OrderedPair(*((first, second) if in_order else (second, first)), in_order))
    return pairs


def pack_pairs(
    pairs: Sequence[SentencePair | OrderedPair], cls_id: int, sep_id: int, pad_id: int, context: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return ids, segments and mask, (B, T) each, of `[CLS] first [SEP] second [SEP]`.

    T is the length of the longest row; segments are 0 up to the first [SEP] and 1 after it; mask
    is True for real tokens. A pair that does not fit loses tokens from the end of its longer
    sentence. Raises ContextError when the context has no room for one token of each.

    >>> ids, segments, mask = pack_pairs([([5, 6], [7], True)], 1, 2, 0, context=8)
    >>> ids, segments
    (tensor([[1, 5, 6, 2, 7, 2]]), tensor([[0, 0, 0, 0, 1, 1]]))
    """
    if context < 5:
        raise ContextError(f"[CLS] a [SEP] b [SEP] are 5 tokens, the context holds {context}")
    rows = []
    for first, second, _ in pairs:
        first, second = shortened(first, second, context - 3)
        opening = [cls_id, *first, sep_id]
        rows.append((opening, [*second, sep_id]))
    length = max(len(opening) + len(closing) for opening, closing in rows)
    ids = torch.full((len(rows), length), pad_id)
    segments = torch.zeros_like(ids)
    mask = torch.zeros_like(ids, dtype=torch.bool)
    for i, (opening, closing) in enumerate(rows):
        end = len(opening) + len(closing)
        ids[i, :end] = torch.tensor(opening + closing)
        segments[i, len(opening) : end] = 1
        mask[i, :end] = True
    return ids, segments, mask


def shortened(first, second, room):
    """Cut two sentences to room tokens in all: the longer one first, then both in turn.

    >>> shortened([1, 2, 3, 4], [8, 9], 5)
    ([1, 2, 3], [8, 9])
    """
    keep = min(len(first), max(room - len(second), (room + 1) // 2))
    return first[:keep], second[: room - keep]

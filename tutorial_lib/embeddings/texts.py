"""One vector a text, from a sentence encoder.

A published MiniLM puts texts of similar meaning close together (Reimers and Gurevych 2019; Wang
et al. 2020). The vectors have length 1, so the scalar product of two is their cosine.
"""

from collections.abc import Callable, Iterator, Sequence

import torch
from torch.nn.utils.rnn import pad_sequence


def text_vectors(model, tokenizer, texts: Sequence[str], batch_size: int = 50) -> torch.Tensor:
    """Return one vector of length 1 for each text, (N, D), in the order of the texts.

    model is a BERT, tokenizer the WordPieceTokenizer it was trained with. Raises ValueError
    when there are no texts, ContextError for a text that is too long.
    """
    return in_batches(model.sentence_vectors, tokenizer, texts, batch_size)


@torch.no_grad()
def in_batches(
    function: Callable[..., torch.Tensor],
    tokenizer,
    texts: Sequence[str],
    batch_size: int = 50,
    dim: int = 0,
) -> torch.Tensor:
    """Return what function(ids, mask) gives for N texts, joined along `dim` in their order.

    function gets ids (B, T) and mask (B, T), True for a token, and returns a tensor with B
    entries along `dim`. Raises ValueError when there are no texts.

    >>> from tutorial_lib.tokenizers import WordPieceTokenizer
    >>> letters = WordPieceTokenizer(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a"])
    >>> in_batches(lambda ids, mask: mask.sum(1), letters, ["a a a", "", "a"], batch_size=2)
    tensor([5, 2, 3])
    """
    if not texts:
        raise ValueError("there must be at least one text, got none")
    rows = [torch.tensor(tokenizer.encode(text).ids) for text in texts]
    order, parts = [], []
    for places, ids, mask in padded_batches(rows, tokenizer.pad_id, batch_size):
        order.append(places)
        parts.append(function(ids, mask=mask))
    return torch.cat(parts, dim).index_select(dim, torch.cat(order).argsort())


def padded_batches(
    rows: Sequence[torch.Tensor], pad_id: int, batch_size: int
) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    """Yield (places (B,), ids (B, T), mask (B, T)) of rows of ids, the shortest rows first.

    places are those of the batch's rows in `rows`; mask is True for a token. Rows of similar length
    share a batch, so there is little padding.

    >>> rows = [torch.tensor(row) for row in ([1, 2, 3], [4], [5, 6])]
    >>> [(places.tolist(), ids.tolist()) for places, ids, _ in padded_batches(rows, 0, 2)]
    [([1, 2], [[4, 0], [5, 6]]), ([0], [[1, 2, 3]])]
    """
    order = torch.tensor([len(row) for row in rows]).argsort(stable=True)
    for places in order.split(batch_size):
        ids = pad_sequence([rows[i] for i in places], batch_first=True, padding_value=pad_id)
        yield places, ids, ids != pad_id

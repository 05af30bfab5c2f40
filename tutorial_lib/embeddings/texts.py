"""One vector a text, from a sentence encoder, and many of them stored at one byte a number.

A published MiniLM puts texts of similar meaning close together (Reimers and Gurevych 2019; Wang
et al. 2020). The vectors have length 1, so the scalar product of two is their cosine.
"""

from collections.abc import Callable, Sequence

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

from tutorial_lib.errors import ShapeError

LARGEST = 127  # that fits into one byte; -128 is left out, so that the range is symmetric


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
    entries along `dim`. Texts of similar length share a batch, so there is little padding.
    Raises ValueError when there are no texts.

    >>> from tutorial_lib.tokenizers import WordPieceTokenizer
    >>> letters = WordPieceTokenizer(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a"])
    >>> in_batches(lambda ids, mask: mask.sum(1), letters, ["a a a", "", "a"], batch_size=2)
    tensor([5, 2, 3])
    """
    if not texts:
        raise ValueError("there must be at least one text, got none")
    rows = [torch.tensor(tokenizer.encode(text).ids) for text in texts]
    order = torch.tensor([len(row) for row in rows]).argsort(stable=True)
    parts = []
    for indices in order.split(batch_size):
        batch = [rows[i] for i in indices]
        ids = pad_sequence(batch, batch_first=True, padding_value=tokenizer.pad_id)  # (B, T)
        parts.append(function(ids, mask=ids != tokenizer.pad_id))
    return torch.cat(parts, dim).index_select(dim, order.argsort())


class RoundedVectors(nn.Module):
    """Vectors rounded to whole numbers from -127 to 127, with one scale for all of them.

    numbers (N, D) int8; scale (1,): numbers * scale are the vectors; places (N,): the index of
    each vector's text in a list of texts. Nothing here is learned; it is a module so that it can
    be stored like one. A new one is empty; `of` fills one.

    >>> table = RoundedVectors.of(torch.tensor([[1.0, 0.0], [0.6, 0.8]]))
    >>> table.numbers.tolist()
    [[127, 0], [76, 102]]
    >>> table.nearest(torch.tensor([0.0, 1.0]), n=1)[1]
    tensor([1])
    """

    def __init__(self, n_vectors, width):
        super().__init__()
        self.register_buffer("numbers", torch.zeros(n_vectors, width, dtype=torch.int8))
        self.register_buffer("scale", torch.zeros(1))
        self.register_buffer("places", torch.zeros(n_vectors, dtype=torch.int32))

    @classmethod
    def of(cls, vectors: torch.Tensor, places: Sequence[int] | torch.Tensor | None = None):
        """Round vectors (N, D); places (N,) are 0 to N - 1 unless given.

        Raises ShapeError when there are no vectors, or more or fewer places than vectors.
        """
        places = torch.arange(len(vectors)) if places is None else torch.as_tensor(places)
        if vectors.dim() != 2 or vectors.numel() == 0 or places.shape != vectors.shape[:1]:
            raise ShapeError(
                "vectors must be (N, D) with N places, got "
                f"{tuple(vectors.shape)} and {tuple(places.shape)}"
            )
        table = cls(*vectors.shape)
        table.scale.fill_(vectors.abs().max() / LARGEST)
        table.numbers.copy_((vectors / table.scale).round())
        table.places.copy_(places)
        return table

    def __len__(self):
        return len(self.numbers)

    def vectors(self, rows: torch.Tensor | slice) -> torch.Tensor:
        """Return the vectors of these rows, (n, D)."""
        return self.numbers[rows].float() * self.scale

    def cosines(self, query: torch.Tensor) -> torch.Tensor:
        """Return the cosine of each vector with query (D,), a vector of length 1: (N,)."""
        if query.shape != self.numbers.shape[1:]:
            raise ShapeError(
                f"the query must be ({self.numbers.size(1)},), got {tuple(query.shape)}"
            )
        return (self.numbers.float() @ query) * self.scale

    def nearest(self, query: torch.Tensor, n: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the n highest cosines with query (D,) and their rows, highest first."""
        return self.cosines(query).topk(min(n, len(self)))

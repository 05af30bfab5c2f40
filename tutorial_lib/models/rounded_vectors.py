"""Many vectors in little space: one byte a number."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import ClassVar

import torch

from tutorial_lib.errors import ShapeError
from tutorial_lib.models.base import Model

LARGEST = 127  # that fits into one byte; -128 is left out, so that the range is symmetric


@dataclass(frozen=True)
class RoundedVectorsConfig:
    """How large a table of RoundedVectors is."""

    n_vectors: int
    width: int


class RoundedVectors(Model):
    """Vectors rounded to whole numbers from -127 to 127, with one scale for all of them.

    numbers (N, D) int8; scale (1,): numbers * scale are the vectors; places (N,): the index of
    each vector's text in a list of texts. Nothing here is learned; it is a Model so that it is
    stored like one. A new one is empty; `of` fills one.

    >>> table = RoundedVectors.of(torch.tensor([[1.0, 0.0], [0.6, 0.8]]))
    >>> table.numbers.tolist()
    [[127, 0], [76, 102]]
    >>> table.nearest(torch.tensor([0.0, 1.0]), n=1)[1]
    tensor([1])
    """

    config_class: ClassVar = RoundedVectorsConfig

    def __init__(self, n_vectors, width):
        super().__init__(RoundedVectorsConfig(n_vectors, width))
        self.register_buffer("numbers", torch.zeros(n_vectors, width, dtype=torch.int8))
        self.register_buffer("scale", torch.zeros(1))
        self.register_buffer("places", torch.zeros(n_vectors, dtype=torch.int32))

    @classmethod
    def built_from(cls, config):
        """Return an empty table of these sizes."""
        return cls(**asdict(config))

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

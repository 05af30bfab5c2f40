"""What all split data sets share: three parts, and a fingerprint that changes when they do."""

import dataclasses
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, repr=False)
class Splits:
    """The three parts of a data set: learn from `train`, choose by `validation`, report `test`.

    The parts unpack in that order.

    >>> train, validation, test = Splits((1, 2), (3,), (4,))
    >>> len(train)
    2
    """

    train: Sequence
    validation: Sequence
    test: Sequence

    def __iter__(self):
        return iter((self.train, self.validation, self.test))

    @property
    def fingerprint(self):
        """The `fingerprint` of the three parts: equal only for equal contents in equal order."""
        return fingerprint(*self)

    def __repr__(self):
        return (
            f"Splits(train {len(self.train):,}, validation {len(self.validation):,}, "
            f"test {len(self.test):,})"
        )


def fingerprint(*parts) -> str:
    """Return the sha256, in hexadecimal, of data in its order.

    Takes strings, bytes, numbers, dates, CPU tensors, and sequences and dataclasses of them;
    a dataclass field declared with `compare=False` is left out.

    >>> fingerprint(("a", 1))[:8]
    '9410490d'
    >>> fingerprint(("ab",)) == fingerprint(("a", "b"))
    False
    """
    digest = hashlib.sha256()
    for part in parts:
        _feed(digest, part)
    return digest.hexdigest()


def _feed(digest, part):
    # Type and length go in before the contents, so that ("ab",) and ("a", "b") differ.
    if dataclasses.is_dataclass(part):
        part = tuple(getattr(part, f.name) for f in dataclasses.fields(part) if f.compare)
    if isinstance(part, (tuple, list)):
        digest.update(f"{len(part)} items:".encode())
        for item in part:
            _feed(digest, item)
    elif hasattr(part, "numpy"):
        array = part.numpy()
        digest.update(f"{array.dtype.str} {array.shape}:".encode())
        digest.update(array.tobytes())
    else:
        contents = part if isinstance(part, bytes) else str(part).encode()
        digest.update(f"{type(part).__name__} {len(contents)}:".encode())
        digest.update(contents)

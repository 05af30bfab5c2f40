"""Reading GGUF, llama.cpp's files: a list of facts, then tensors packed into a few bits a number.

The `gguf` package unpacks the numbers. What comes before them is read here, because its own reader
takes every count in a file for true: a damaged one could keep it busy for years, or fill the
memory. Here each count is held against the bytes that are left, and a vocabulary of 50,000 tokens
takes a tenth of a second in place of four.
"""

import math
import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tutorial_lib.errors import DamagedFileError, MissingDataError

_NUMBERS = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}
_TEXT, _LIST = 8, 9
_VERSIONS = (2, 3)
_ALIGNMENT = 32  # where a tensor may begin, if the file does not say
_AT_ONCE = 1 << 22  # how many numbers are unpacked before they are copied


class GGUF(NamedTuple):
    """What a GGUF file says: facts {name: value}, and tensors {name: PackedTensor}."""

    path: Path
    facts: dict
    tensors: dict


@dataclass(frozen=True)
class PackedTensor:
    """A tensor that still lies in its file.

    shape as in PyTorch, rows first; kind: how the numbers are packed, a number of the format.
    """

    path: Path
    shape: tuple
    kind: int
    offset: int
    n_bytes: int

    def is_floating_point(self):
        """Return True: unpacked, the numbers are float32."""
        return True

    def copy_to(self, place):
        """Unpack all numbers into a tensor of the same shape, some rows at a time.

        So there is never a second copy of everything. Raises DamagedFileError when `gguf` cannot
        unpack this kind, or the file has become shorter.
        """
        import gguf
        import numpy as np
        import torch

        kind = gguf.GGMLQuantizationType(self.kind)
        n_rows = math.prod(self.shape[:-1])
        row_bytes = self.n_bytes // n_rows
        place = place.view(n_rows, self.shape[-1])
        step = max(1, _AT_ONCE // self.shape[-1])
        with self.path.open("rb") as file:
            file.seek(self.offset)
            for first in range(0, n_rows, step):
                rows = place[first : first + step]
                packed = np.empty((len(rows), row_bytes), np.uint8)
                if file.readinto(packed) < packed.size:
                    raise DamagedFileError(f"{self.path} has become shorter while it was read")
                try:
                    numbers = gguf.dequantize(packed, kind)
                except NotImplementedError as error:
                    raise DamagedFileError(
                        f"{self.path} packs its numbers as {kind.name}, which cannot be unpacked"
                    ) from error
                rows.copy_(torch.from_numpy(np.ascontiguousarray(numbers)))


def gguf_in(folder):
    """Return the path of the one .gguf file in a folder, None when there is none.

    Raises DamagedFileError when there are several: one model is often published in many sizes.
    """
    found = sorted(Path(folder).glob("*.gguf"))
    if len(found) > 1:
        names = ", ".join(path.name for path in found)
        raise DamagedFileError(f"{folder} holds several models, keep one of them: {names}")
    return found[0] if found else None


def read_gguf(path):
    """Return what a GGUF file says as a GGUF; the tensors stay in the file.

    Raises MissingDataError when there is no such file, DamagedFileError when it is truncated, is
    no GGUF, or says what cannot be.
    """
    path = Path(path)
    if not path.is_file():
        raise MissingDataError(f"there is no file {path}")
    if not path.stat().st_size:
        raise DamagedFileError(f"{path} is empty")
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return _Reader(path, content).read()


class _Reader:
    """Walks through the bytes of a file once."""

    def __init__(self, path, content):
        self.path, self.content, self.at = path, content, 0

    def read(self):
        if self.content[:4] != b"GGUF":
            raise self.damage(f"it begins with {bytes(self.content[:4])!r}, not with b'GGUF'")
        self.at = 4
        version = self.number("I")
        if version not in _VERSIONS:
            raise self.damage(f"its version is {version}, known are {_VERSIONS}")
        n_tensors, n_facts = self.number("Q"), self.number("Q")
        self.need(n_tensors * 24 + n_facts * 13, "entries")
        facts = {}
        for _ in range(n_facts):
            self.add(facts, self.text(), self.value)
        described = {}
        for _ in range(n_tensors):
            self.add(described, self.text(), self.tensor)
        alignment = facts.get("general.alignment", _ALIGNMENT)
        if not isinstance(alignment, int) or alignment < 1:
            raise self.damage(f"general.alignment is {alignment!r}")
        start = -(-self.at // alignment) * alignment
        tensors = {name: self.placed(name, start, *about) for name, about in described.items()}
        return GGUF(self.path, facts, tensors)

    def value(self, name):
        kind = self.number("I")
        if kind == _TEXT:
            return self.text()
        if kind == _LIST:
            kind, n = self.number("I"), self.number("Q")
            if kind == _TEXT:
                self.need(8 * n, name)
                return [self.text() for _ in range(n)]
            return list(self.numbers(self.letter(kind, name), n))
        return self.number(self.letter(kind, name))

    def tensor(self, name):
        n_axes = self.number("I")
        if not 1 <= n_axes <= 4:
            raise self.damage(f"{name} has {n_axes} axes")
        shape = self.numbers("Q", n_axes)[::-1]  # the file names the columns first
        if 0 in shape:
            raise self.damage(f"{name} has the shape {shape}")
        return shape, self.number("I"), self.number("Q")

    def placed(self, name, start, shape, kind, offset):
        """Return the PackedTensor, which must lie in the file as a whole."""
        import gguf

        try:
            block, block_bytes = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType(kind)]
        except (ValueError, KeyError):
            raise self.damage(f"{name} is packed in an unknown way, {kind}") from None
        if shape[-1] % block:
            raise self.damage(f"{name} has rows of {shape[-1]}, packed in blocks of {block}")
        n_bytes = math.prod(shape) // block * block_bytes
        if start + offset + n_bytes > len(self.content):
            raise self.damage(f"it ends before its tensor {name} does; fetch it again")
        return PackedTensor(self.path, shape, kind, start + offset, n_bytes)

    def add(self, entries, name, read):
        if name in entries:
            raise self.damage(f"it holds {name} twice")
        entries[name] = read(name)

    def letter(self, kind, name):
        if kind not in _NUMBERS:
            raise self.damage(f"{name} is of an unknown kind, {kind}")
        return _NUMBERS[kind]

    def text(self):
        n = self.number("Q")
        self.need(n, "text")
        self.at += n
        try:
            return self.content[self.at - n : self.at].decode("utf-8")
        except UnicodeDecodeError as error:
            raise self.damage(str(error)) from None

    def number(self, letter):
        return self.numbers(letter, 1)[0]

    def numbers(self, letter, n):
        self.need(n * struct.calcsize("<" + letter), "numbers")
        layout = struct.Struct(f"<{n}{letter}")
        self.at += layout.size
        return layout.unpack_from(self.content, self.at - layout.size)

    def need(self, n_bytes, what):
        """Refuse a count that goes beyond the end, before anything is made of it."""
        left = len(self.content) - self.at
        if n_bytes > left:
            raise self.damage(
                f"{n_bytes:,} bytes of {what} should follow, {left:,} do; fetch it again"
            )

    def damage(self, why):
        return DamagedFileError(f"{self.path} is no GGUF file that can be read: {why}")

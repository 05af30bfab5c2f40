"""How other programs name and lay out the tensors of our models."""

import re
from dataclasses import dataclass, field

import torch
from einops import EinopsError, rearrange

from tutorial_lib.errors import DamagedFileError


@dataclass(frozen=True)
class ForeignNames:
    """How another program names the tensors of one of our models.

    table: our name -> theirs, or a tuple of theirs that are stacked along the first axis; "{n}"
    stands for a layer's number. prefixes may stand before any name; replaced spells older
    names anew; ignored are prefixes of names that are in such files but not in our model.
    rearranged: their name -> an einops pattern that brings their tensor into our shape, or a pair
    of a pattern and the lengths of axes that it takes apart; tied: their name -> the name of the
    tensor that it must repeat; rows: our name -> how many rows each of its stacked parts has,
    where they are not all the same; flipped: names of theirs whose first axis runs the other way.

    >>> names = ForeignNames({"blocks.{n}.w": ("h.{n}.a", "h.{n}.b")}, prefixes=("net.",))
    >>> names.of("blocks.3.w")
    ('h.3.a', 'h.3.b')
    >>> names.bare("net.h.3.a")
    'h.3.a'
    >>> names = ForeignNames({"w": "a"}, rearranged={"a": "rows columns -> columns rows"})
    >>> names.rename({"a": torch.zeros(2, 3)})["a"].shape
    torch.Size([3, 2])
    """

    table: dict
    prefixes: tuple = ()
    replaced: dict = field(default_factory=dict)
    ignored: tuple = ()
    rearranged: dict = field(default_factory=dict)
    tied: dict = field(default_factory=dict)
    rows: dict = field(default_factory=dict)
    flipped: tuple = ()

    def of(self, name):
        """Return the tuple of foreign names that make up our tensor `name`."""
        pattern, number = _numbered(name)
        theirs = self.table[pattern]
        theirs = (theirs,) if isinstance(theirs, str) else theirs
        return tuple(other.replace("{n}", number) for other in theirs)

    def cut(self, name, tensor):
        """Return the parts of our tensor `name` that the tensors of `of(name)` fill, as views."""
        n = len(self.of(name))
        if n == 1:  # a single number cannot be cut
            return (tensor,)
        rows = self.rows.get(_numbered(name)[0])
        return tensor.chunk(n) if rows is None else tensor.split(rows)

    def bare(self, name):
        """Return a name from a file without prefix and in today's spelling."""
        for prefix in self.prefixes:
            name = name.removeprefix(prefix)
        for old, new in self.replaced.items():
            name = name.replace(old, new)
        return name

    def rename(self, tensors):
        """Return the tensors under bare names and in our shapes, without ignored and tied ones.

        Raises DamagedFileError when two tensors end up with the same name, a tied one is not
        what it should repeat, or one does not have the axes of the pattern.
        """
        renamed = {}
        for name, tensor in tensors.items():
            bare = self.bare(name)
            if bare in renamed:
                raise DamagedFileError(f"the weights hold {bare} twice, once as {name}")
            if not _numbered(bare)[0].startswith(self.ignored):
                renamed[bare] = self._rearrange(bare, tensor)
        for name, original in self.tied.items():
            copy = renamed.pop(name, None)
            if copy is None or original not in renamed:
                continue
            if not torch.equal(copy, renamed[original]):
                raise DamagedFileError(f"{name} differs from {original}, this model ties them")
        return renamed

    def _rearrange(self, name, tensor):
        if _numbered(name)[0] in self.flipped:
            tensor = tensor.flip(0)
        pattern = self.rearranged.get(_numbered(name)[0])
        if pattern is None:
            return tensor
        pattern, lengths = (pattern, {}) if isinstance(pattern, str) else pattern
        try:
            return rearrange(tensor, pattern, **lengths)
        except EinopsError as error:
            axes = pattern.partition(" -> ")[0]
            raise DamagedFileError(
                f"{name} must have the axes {axes}, got {tuple(tensor.shape)}"
            ) from error


def _numbered(name):
    """Return a name with {n} for its layer's number, and the number as text."""
    number = re.search(r"(?<=\.)\d+(?=\.)", name)
    if number is None:
        return name, ""
    return f"{name[: number.start()]}{{n}}{name[number.end() :]}", number.group()

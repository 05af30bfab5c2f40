"""The tensors of one forward pass, each with its name, axes and formula."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch


@dataclass(frozen=True, eq=False)
class Record:
    """One tensor of a forward pass: its name, its axes ("B H T S"), and how it came about.

    module is the path of the part that made it, "" for the model itself.
    """

    name: str
    tensor: torch.Tensor
    axes: str
    formula: str
    module: str

    def __repr__(self):
        return f"Record({self.name!r}, {self.axes} = {tuple(self.tensor.shape)}, {self.formula})"


class Trace(Mapping):
    """The records of one forward pass by name, in the order of computation.

    >>> Trace([Record("output", torch.zeros(2, 3), "B D", "x", "")])["output"].tensor.shape
    torch.Size([2, 3])
    """

    def __init__(self, records):
        self._records = {record.name: record for record in records}

    def __getitem__(self, name):
        if name not in self._records:
            raise KeyError(f"nothing called {name!r}; the names are {', '.join(self._records)}")
        return self._records[name]

    def __iter__(self):
        return iter(self._records)

    def __len__(self):
        return len(self._records)

    def __repr__(self):
        return f"Trace of {len(self)} tensors, from {next(iter(self), None)!r} to the output"

    def summary(self):
        """Return a table of all records as text: name, axes, shape, formula."""
        rows = [(r.name, r.axes, str(tuple(r.tensor.shape)), r.formula) for r in self.values()]
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        return "\n".join(
            "  ".join([*(c.ljust(w) for c, w in zip(row, widths, strict=False)), row[3]])
            for row in rows
        )

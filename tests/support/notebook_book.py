"""A notebook as its rules read it: cells, outputs, prose, headings, sections."""

import json
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path


@dataclass(frozen=True)
class Book:
    """One notebook: `path`, the file's `text`, and the `neighbours` in its folder (file names)."""

    path: Path
    text: str
    neighbours: tuple

    @classmethod
    def read(cls, path):
        names = tuple(sorted(p.name for p in Path(path).parent.glob("[0-9][0-9]*.ipynb")))
        return cls(Path(path), Path(path).read_text(encoding="utf-8"), names)

    @cached_property
    def json(self):
        return json.loads(self.text)

    @property
    def prefix(self):
        """The chapter as the file name has it: "02", "05b"."""
        return self.path.name.split("_")[0]

    @property
    def chapter(self):
        """The chapter as exercises have it: "2", "5b"."""
        return self.prefix[1:] if self.prefix.startswith("0") else self.prefix

    @cached_property
    def cells(self):
        return [(c["cell_type"], "".join(c["source"]), c) for c in self.json["cells"]]

    @property
    def code(self):
        """(number, source, cell) of each code cell."""
        cells = [(source, cell) for kind, source, cell in self.cells if kind == "code"]
        return [(number, *cell) for number, cell in enumerate(cells, 1)]

    @property
    def outputs(self):
        """(number of the code cell, output) of each stored output."""
        return [(n, output) for n, _, cell in self.code for output in cell["outputs"]]

    @property
    def markdown(self):
        """The source of each markdown cell, without blocks of code."""
        return [_without_blocks(source) for kind, source, _ in self.cells if kind == "markdown"]

    @property
    def prose(self):
        """The source of each markdown cell, without any code."""
        return [re.sub(r"`[^`\n]+`", "`code`", source) for source in self.markdown]

    @cached_property
    def headings(self):
        """(level, text) in order of appearance."""
        pattern = re.compile(r"^(#{1,6})\s+(.+?)\s*$", re.M)
        return [(len(m[1]), m[2]) for source in self.markdown for m in pattern.finditer(source)]

    def section(self, title):
        """The markdown below the heading `## title`, up to the next section."""
        text = "\n\n".join(self.markdown)
        found = re.search(rf"^## {re.escape(title)}\s*$(.*?)(?=^## |\Z)", text, re.M | re.S)
        return found[1] if found else ""


def _without_blocks(source):
    return re.sub(r"^(```|~~~).*?^\1\s*$", "", source, flags=re.M | re.S)

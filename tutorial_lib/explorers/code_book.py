"""A picture as a grid of codes: where a code is used, and what another one in its place changes."""

import numpy as np
import torch
import traitlets

from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers.base import BrowserExplorer, javascript, stylesheet
from tutorial_lib.explorers.packing import as_array
from tutorial_lib.explorers.pictures import CREDIT, as_pixels, sprite_sheet

VISIBLE = 1 / 32  # a pixel that moves by more has changed


class CodeBookExplorer(BrowserExplorer):
    """Pictures as codes: a click on a cell shows its code, where else it is, and swaps it.

    pictures (N, 3, height, width) from 0 to 1; codes (N, rows, columns) of numbers below n_codes;
    decode(codes) -> pixels (1, 3, height, width) from 0 to 1, of a tensor (1, rows, columns); it is
    called without gradients. names: one for each picture; use: how often each code is used
    (n_codes,), counted in these pictures when left out. swaps: {cell: another code}, cells counted
    row by row.
    Raises ShapeError for arrays that do not fit together or a code outside the book.

    >>> codes = np.zeros((1, 2, 2), dtype=int)
    >>> CodeBookExplorer(np.ones((1, 3, 8, 8)), codes, lambda codes: torch.ones(1, 3, 8, 8), 4)
    Code book: run this cell
    """

    title = "Code book"
    _esm = javascript("sprites.js", "code_book.js")
    _css = stylesheet("code_book.css")

    picture = traitlets.Int(0).tag(sync=True)
    row = traitlets.Int(0).tag(sync=True)
    column = traitlets.Int(0).tag(sync=True)
    swaps = traitlets.Dict().tag(sync=True)
    n_codes = traitlets.Int().tag(sync=True, told=True)
    grid = traitlets.List().tag(sync=True, told=True)  # rows and columns of codes
    codes = traitlets.Bytes().tag(sync=True, told=True)
    use = traitlets.List().tag(sync=True, told=True)
    names = traitlets.List().tag(sync=True, told=True)
    sheet = traitlets.Dict().tag(sync=True, told=True)
    looks = traitlets.Dict().tag(sync=True, told=True)  # a code is drawn as what it stands for
    decoded = traitlets.Dict().tag(sync=True, told=True)
    credit = traitlets.Unicode(CREDIT).tag(sync=True, told=True)

    def __init__(self, pictures, codes, decode, n_codes, names=None, use=None, **state):
        self.decode = decode
        self._plain = {}  # picture -> its codes decoded as they are
        self._codes = _checked_codes(codes, n_codes)
        pixels = as_pixels(pictures)
        n = len(pixels)
        names = [f"picture {i}" for i in range(n)] if names is None else list(map(str, names))
        if not n == len(self._codes) == len(names):
            raise ShapeError(
                f"{n} pictures need as many grids of codes and names, got {len(self._codes)} and "
                f"{len(names)}"
            )
        counted = np.bincount(self._codes.flatten(), minlength=n_codes)
        use = counted if use is None else as_array(use)
        if use.shape != (n_codes,) or not np.isfinite(use).all() or use.min() < 0:
            raise ShapeError(f"use must be {n_codes} counts, got shape {use.shape}")
        super().__init__(
            n_codes=int(n_codes),
            grid=list(self._codes.shape[1:]),
            codes=self._codes.astype("<u2").tobytes(),
            use=[int(count) for count in use],
            names=[name[:40] for name in names],
            sheet=sprite_sheet(pictures),
            looks=sprite_sheet(_looks(pixels, self._codes, n_codes)),
        )
        for name, value in state.items():
            self.set_trait(name, value)
        self._decode()
        self.observe(self._decode, names=["picture", "swaps"])

    @property
    def code(self):
        """The code in the chosen cell, swapped or not."""
        return int(self.shown_codes[self.row, self.column])

    @property
    def shown_codes(self):
        """The chosen picture's codes (rows, columns), with the swaps made."""
        codes = self._codes[self.picture].copy()
        for cell, code in self.swaps.items():
            codes.flat[int(cell)] = code
        return codes

    def describe(self):
        """Say in words what the explorer shows now."""
        rows, columns = self.grid
        cells = self._codes == self.code
        swapped = f" {len(self.swaps)} of its codes are swapped." if self.swaps else ""
        there, many = int(cells.sum()), int(cells.any(axis=(1, 2)).sum())
        return (
            f"{self.names[self.picture]} as {rows} x {columns} codes of {self.n_codes}; row "
            f"{self.row}, column {self.column} holds code {self.code}, which is in {there:,} "
            f"cell{'s' * (there != 1)}, in {many:,} of {len(cells):,} pictures.{swapped}"
        )

    def _decode(self, _change=None):
        asked = {"picture": self.picture, "swaps": self.swaps}
        if asked.items() <= self.decoded.items():  # a message that changes both comes twice
            return
        try:
            if self.picture not in self._plain:
                self._plain[self.picture] = self._pixels(self._codes[self.picture])
            before = self._plain[self.picture]
            after = self._pixels(self.shown_codes) if self.swaps else before
        except Exception as error:  # whatever it is, a widget's log would hide it from the learner
            self.decoded = asked | {"error": f"{type(error).__name__}: {error}"}
            return
        moved = np.abs(after - before).max(axis=-1) > VISIBLE  # (height, width)
        self.decoded = asked | {
            "height": after.shape[0],
            "width": after.shape[1],
            "pixels": np.rint(after * 255).astype(np.uint8).tobytes(),
            "changed": int(_by_cell(moved, *self.grid).any(axis=(2, 3)).sum()),
        }

    def _pixels(self, codes):
        """The picture (height, width, 3) that the decoder makes of codes (rows, columns)."""
        with torch.no_grad():
            made = self.decode(torch.from_numpy(codes)[None])
        made = as_array(made)
        if made.ndim != 4 or made.shape[:2] != (1, 3) or not np.isfinite(made).all():
            raise ShapeError(
                f"decode must give finite pixels (1, 3, height, width), got {made.shape}"
            )
        return made[0].transpose(1, 2, 0).clip(0, 1)

    @traitlets.validate("picture", "row", "column")
    def _there(self, proposal):
        if not self.grid:
            return proposal.value
        most = {"picture": len(self.names), "row": self.grid[0], "column": self.grid[1]}
        return min(max(proposal.value, 0), most[proposal.trait.name] - 1)

    @traitlets.validate("swaps")
    def _known(self, proposal):
        """The swaps of cells that there are, for other codes that there are."""
        kept = {}
        n_cells = self._codes[0].size
        for cell, code in proposal.value.items():
            number = str(cell)
            if number.isdecimal() and len(number) < 9 and int(number) < n_cells:
                known = isinstance(code, int) and not isinstance(code, bool)
                if known and 0 <= code < self.n_codes:
                    kept[str(int(number))] = code
        return kept


def _checked_codes(codes, n_codes):
    codes = np.asarray(codes.tolist() if hasattr(codes, "tolist") else codes)
    if codes.ndim != 3 or not codes.size or codes.dtype.kind not in "iu":
        raise ShapeError(
            f"codes must be whole numbers (N, rows, columns), got {codes.dtype} of shape "
            f"{codes.shape}"
        )
    if codes.min() < 0 or codes.max() >= n_codes:
        raise ShapeError(
            f"codes must be from 0 to {n_codes - 1}, got {codes.min()} to {codes.max()}"
        )
    return codes.astype(np.int64)


def _by_cell(values, rows, columns):
    """Values (height, width, ...) as (rows, columns, h, w, ...), each cell's pixels by themselves.

    >>> _by_cell(np.arange(16).reshape(4, 4), 2, 2)[0, 1].tolist()
    [[2, 3], [6, 7]]
    """
    high, wide = (max(1, side // n) for side, n in zip(values.shape, (rows, columns), strict=False))
    down = (np.arange(rows * high) * values.shape[0]) // (rows * high)
    across = (np.arange(columns * wide) * values.shape[1]) // (columns * wide)
    cells = values[down][:, across]
    return cells.reshape(rows, high, columns, wide, *values.shape[2:]).swapaxes(1, 2)


def _looks(pixels, codes, n_codes):
    """For each code the mean of its cells' pixels (n_codes, 3, h, w), grey where it has none."""
    cells = np.stack([_by_cell(picture, *codes.shape[1:]) for picture in pixels])
    cells = cells.reshape(-1, *cells.shape[3:]).astype(np.float32) / 255  # (N · cells, h, w, 3)
    totals = np.zeros((n_codes, *cells.shape[1:]), np.float32)
    np.add.at(totals, codes.flatten(), cells)
    counts = np.bincount(codes.flatten(), minlength=n_codes)
    looks = totals / np.maximum(counts, 1)[:, None, None, None]
    looks[counts == 0] = 0.5
    return looks.transpose(0, 3, 1, 2)

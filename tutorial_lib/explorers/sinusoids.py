"""Sinusoidal positions: every value, one row, one wave, and the binary digits they smooth out."""

import traitlets

from tutorial_lib.explorers.base import BrowserExplorer, javascript, stylesheet
from tutorial_lib.figures.chapter03_positional_encoding.sinusoids import moving_columns, wavelengths

WIDTHS = tuple(2**k for k in range(2, 10))  # 4 ... 512
BASES = tuple(10**k for k in range(1, 7))
FEWEST, MOST = 2, 128  # positions shown


class SinusoidExplorer(BrowserExplorer):
    """A heat map of PE(position, column) with sliders for width, positions, base and cell.

    d_model is a power of two from 4 to 512, n_positions 2 to 128, base a power of ten up to
    1,000,000. Beside the map stand the wave of a column and the binary digits of all positions,
    below it the row of a position. `state` gives the keyword arguments of
    `tutorial_lib.figures.sinusoid_map`; the browser computes, and `result` holds its numbers.
    Raises ValueError for what the sliders cannot show.

    >>> SinusoidExplorer(d_model=128, n_positions=20).moving_columns
    26
    """

    title = "Sinusoid explorer"
    _esm = javascript("sinusoid_map.js", "sinusoids.js")
    _css = stylesheet("sinusoids.css")

    widths = traitlets.List(list(WIDTHS)).tag(sync=True, told=True)
    bases = traitlets.List(list(BASES)).tag(sync=True, told=True)
    limits = traitlets.List([FEWEST, MOST]).tag(sync=True, told=True)
    d_model = traitlets.Enum(WIDTHS, 128).tag(sync=True)
    n_positions = traitlets.Int(32, min=FEWEST, max=MOST).tag(sync=True)
    base = traitlets.Enum(BASES, 10_000).tag(sync=True)
    position = traitlets.Int(0, min=0, max=MOST - 1).tag(sync=True)
    column = traitlets.Int(0, min=0, max=WIDTHS[-1] - 1).tag(sync=True)
    result = traitlets.Dict().tag(sync=True)

    def __init__(self, d_model=128, n_positions=32, base=10_000, position=13, column=8):
        for name, value, allowed in (("d_model", d_model, WIDTHS), ("base", base, BASES)):
            if value not in allowed:
                choices = ", ".join(f"{choice:,}" for choice in allowed)
                raise ValueError(f"{name} must be one of {choices}, got {value}")
        if not FEWEST <= n_positions <= MOST:
            raise ValueError(f"n_positions must be {FEWEST} to {MOST}, got {n_positions}")
        super().__init__(
            d_model=d_model,
            n_positions=n_positions,
            base=base,
            position=min(max(position, 0), n_positions - 1),
            column=min(max(column, 0), d_model - 1),
        )

    def describe(self):
        """Say in words what the explorer shows now."""
        return (
            f"a heat map of {self.n_positions} positions with {self.d_model} columns each, waves "
            f"that grow longer to the right, of which {self.moving_columns} move; beside it the "
            f"wave of column {self.column}, below it the row of position {self.position}."
        )

    @property
    def state(self):
        """What is shown, as keyword arguments of `tutorial_lib.figures.sinusoid_map`."""
        return {
            "d_model": self.d_model,
            "n_positions": self.n_positions,
            "base": self.base,
            "position": min(self.position, self.n_positions - 1),
            "column": min(self.column, self.d_model - 1),
        }

    @property
    def moving_columns(self):
        """How many columns complete at least half a wave over the positions shown."""
        return moving_columns(self.d_model, self.n_positions, self.base)

    @property
    def wavelength(self):
        """After how many positions the chosen column begins again."""
        return float(wavelengths(self.d_model, self.base)[self.state["column"] // 2])

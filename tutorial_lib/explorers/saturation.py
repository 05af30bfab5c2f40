"""Head width against saturation: what the softmax does with unscaled dot products."""

import ipywidgets

from tutorial_lib.explorers.base import FigureExplorer
from tutorial_lib.figures.chapter02_attention.head_width import (
    WIDTHS,
    measure_saturation,
    saturation,
)

_WIDE = {"description_width": "initial"}


class SaturationExplorer(FigureExplorer):
    """A slider for the head width d, a switch for 1/sqrt(d), a slider for the number of keys.

    The random vectors come from `seed`, so the same setting always shows the same numbers.

    >>> SaturationExplorer()
    Saturation explorer: run this cell
    """

    title = "Saturation explorer"

    def __init__(self, d=64, n_keys=16, scaled=False, seed=0):
        if d not in WIDTHS:
            raise ValueError(f"d must be one of {', '.join(map(str, WIDTHS))}, got {d}")
        self.seed = seed
        super().__init__(
            {
                "d": ipywidgets.SelectionSlider(
                    options=WIDTHS, value=d, description="Head width d", style=_WIDE
                ),
                "n_keys": ipywidgets.IntSlider(
                    n_keys, min=2, max=64, description="Number of keys", style=_WIDE
                ),
                "scaled": ipywidgets.Checkbox(
                    scaled, description="Divide the scores by √d", indent=False
                ),
            }
        )

    def draw(self, figure, **values):
        """Draw `tutorial_lib.figures.saturation` for the controls' values."""
        return saturation(**values, seed=self.seed, figure=figure)

    def describe(self, **values):
        """Say the numbers of the picture in one sentence."""
        now = measure_saturation(**values, seed=self.seed)
        how = "divided by" if values["scaled"] else "not divided by"
        return (
            f"Head width {values['d']}, {values['n_keys']} keys, scores {how} the square root of "
            f"d: dot products have a standard deviation of {now.deviation:.2f}, the largest "
            f"weight is {now.largest:.2f} and the gradient {now.gradient:.3f} on average."
        )

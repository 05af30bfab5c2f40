"""Head width against saturation: what the softmax does with unscaled dot products."""

import numpy as np
import traitlets

from tutorial_lib.explorers.base import BrowserExplorer, javascript, stylesheet
from tutorial_lib.figures.chapter02_attention.head_width import (
    MOST_KEYS,
    N_QUERIES,
    WIDTHS,
    measure_saturation,
    random_products,
)


class SaturationExplorer(BrowserExplorer):
    """A slider for the head width K (`d`), one for the number of keys, and a switch for 1/sqrt(K).

    d is one of 1, 2, 4 ... 512, n_keys is 2 to 64. The random vectors come from `seed`, so the same
    setting always shows the same numbers. The browser computes; `result` holds its numbers,
    `measured` ours. Raises ValueError for settings that the controls do not have.

    >>> SaturationExplorer()
    Saturation explorer: run this cell
    """

    title = "Saturation explorer"
    _esm = javascript("saturation.js")
    _css = stylesheet("saturation.css")

    widths = traitlets.List(list(WIDTHS)).tag(sync=True, told=True)
    n_queries = traitlets.Int(N_QUERIES).tag(sync=True, told=True)
    most_keys = traitlets.Int(MOST_KEYS).tag(sync=True, told=True)
    dots = traitlets.Bytes().tag(sync=True, told=True)  # float32, (widths, queries, keys)
    d = traitlets.Enum(WIDTHS, 64).tag(sync=True)
    n_keys = traitlets.Int(16, min=2, max=MOST_KEYS).tag(sync=True)
    scaled = traitlets.Bool(False).tag(sync=True)
    result = traitlets.Dict().tag(sync=True)

    def __init__(self, d=64, n_keys=16, scaled=False, seed=0):
        if d not in WIDTHS:
            raise ValueError(f"d must be one of {', '.join(map(str, WIDTHS))}, got {d}")
        if not 2 <= n_keys <= MOST_KEYS:
            raise ValueError(f"n_keys must be 2 to {MOST_KEYS}, got {n_keys}")
        self.seed = seed
        dots = np.stack([random_products(width, seed) for width in WIDTHS]).astype(np.float32)
        super().__init__(d=d, n_keys=n_keys, scaled=scaled, dots=dots.tobytes())

    @property
    def measured(self):
        """What is shown, worked out in Python: a `figures.Saturation`."""
        return measure_saturation(self.d, self.n_keys, self.scaled, self.seed)

    def describe(self):
        """Say in words what the explorer shows now."""
        now, how = self.measured, "divided by" if self.scaled else "not divided by"
        return (
            f"head width {self.d}, {self.n_keys} keys, scores {how} the square root of K: dot "
            f"products have a standard deviation of {now.deviation:.2f}, the largest weight is "
            f"{now.largest:.2f} and the gradient {now.gradient:.3f} on average."
        )

"""How far one position sees through layers of windows, drawn on a photograph."""

import numpy as np
import torch
import traitlets

from tutorial_lib.datasets import load_photographs
from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers.base import BrowserExplorer, javascript, stylesheet
from tutorial_lib.figures.chapter09_beyond_vit.windows_reach import (
    describe_windows_reach,
    map_size,
)
from tutorial_lib.interpret import reach

MOST_LAYERS = 8
SIDES = (2, 8)  # of a window
MOST_A_SIDE = 64  # more patches could not be told apart


class WindowsExplorer(BrowserExplorer):
    """A photograph in patches; what can have reached one of them after some layers stays bright.

    image (3, height, width) from 0 to 1, the course's first photograph by default. layers 0 to 8,
    window 2 to 8 positions a side; shift: windows lie half a window further in every second layer;
    merge: after every second layer four neighbours become one. row and column choose a position,
    the middle one by default. What is out of range is moved to the nearest that is not.
    Raises ShapeError when patches do not fill the image, or would be fewer than 2 or more than 64
    along a side, or when the image is not finite.

    >>> explorer = WindowsExplorer(layers=3)
    >>> explorer.seen.sum(), explorer.seen.shape
    (tensor(441), torch.Size([28, 28]))
    """

    title = "Windows and reach"
    _esm = javascript("windows_reach.js", "windows.js")
    _css = stylesheet("windows.css")

    picture = traitlets.Dict().tag(sync=True, told=True)
    most = traitlets.Int(MOST_LAYERS).tag(sync=True, told=True)
    sides = traitlets.List(list(SIDES)).tag(sync=True, told=True)
    layers = traitlets.Int().tag(sync=True)
    window = traitlets.Int().tag(sync=True)
    shift = traitlets.Bool().tag(sync=True)
    merge = traitlets.Bool().tag(sync=True)
    row = traitlets.Int().tag(sync=True)
    column = traitlets.Int().tag(sync=True)

    def __init__(
        self,
        image=None,
        patch_size=16,
        layers=2,
        window=7,
        shift=True,
        merge=False,
        row=None,
        column=None,
    ):
        image = load_photographs(size=448)[0].image if image is None else image
        self.image = torch.as_tensor(image, dtype=torch.float32)
        if not self.image.isfinite().all():
            raise ShapeError("image must hold finite numbers from 0 to 1")
        self.patch_size = patch_size
        self.grid = map_size(self.image, patch_size)
        if min(self.grid) < 2 or max(self.grid) > MOST_A_SIDE:
            raise ShapeError(
                f"a side has 2 to {MOST_A_SIDE} patches, got {self.grid[0]} x {self.grid[1]}"
            )
        super().__init__(
            picture=_packed(self.image, self.grid),
            layers=layers,
            window=window,
            shift=shift,
            merge=merge,
            row=self.grid[0] // 2 if row is None else row,
            column=self.grid[1] // 2 if column is None else column,
        )

    @property
    def state(self):
        """What is shown, as `tutorial_lib.figures.windows_reach` takes it after the image."""
        names = ("window", "row", "column", "shift", "merge")
        return {
            "patch_size": self.patch_size,
            "layers": (self.layers,),
            **{name: getattr(self, name) for name in names},
        }

    @property
    def seen(self):
        """Which patches the chosen position can have seen, (rows, columns) of bool."""
        place = (self.row, self.column, self.shift, self.merge)
        return reach(*self.grid, self.window, self.layers, *place)

    def describe(self):
        """Say in words what the explorer shows now."""
        return describe_windows_reach(self.image, **self.state)

    @traitlets.validate("layers", "window", "row", "column")
    def _there(self, proposal):
        low, high = {
            "layers": (0, MOST_LAYERS),
            "window": SIDES,
            "row": (0, self.grid[0] - 1),
            "column": (0, self.grid[1] - 1),
        }[proposal.trait.name]
        return min(max(proposal.value, low), high)


def _packed(image, grid):
    """Plain data and bytes of an image for the browser."""
    pixels = (image.permute(1, 2, 0).clamp(0, 1) * 255).round().numpy().astype(np.uint8)
    return {
        "height": image.size(1),
        "width": image.size(2),
        "rows": grid[0],
        "columns": grid[1],
        "pixels": pixels.tobytes(),
    }

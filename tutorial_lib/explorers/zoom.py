"""The same picture asked for at more and more points, and a glass that moves over it."""

import numpy as np
import traitlets

from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers.base import BrowserExplorer, javascript, stylesheet

MOST = 8.0  # times


class ZoomExplorer(BrowserExplorer):
    """What was read, that enlarged, and what was answered for `side` x `side` points, magnified.

    pictures: dicts of arrays from 0 to 1, each {"name": str, "read": (rows, columns), "true":
    (height, width), None or left out, "answers": {side: (side, side), ...}}, with the same sides
    everywhere.
    x and y, from 0 to 1, are the middle of what is shown, zoom 1 to 8. All goes to the page once.
    Raises ShapeError without a picture, or for arrays of another form.

    >>> picture = {"name": "grey", "read": np.zeros((2, 2)), "true": None}
    >>> ZoomExplorer([picture | {"answers": {4: np.zeros((4, 4)), 8: np.zeros((8, 8))}}])
    Beyond the grid: run this cell
    """

    title = "Beyond the grid"
    _esm = javascript("zoom.js")
    _css = stylesheet("zoom.css")

    picture = traitlets.Int(0).tag(sync=True)
    level = traitlets.Int(0).tag(sync=True)  # which of the sides
    zoom = traitlets.Float(1.0).tag(sync=True)
    x = traitlets.Float(0.5).tag(sync=True)
    y = traitlets.Float(0.5).tag(sync=True)
    sides = traitlets.List().tag(sync=True, told=True)
    pictures = traitlets.List().tag(sync=True, told=True)

    def __init__(self, pictures, **state):
        pictures = list(pictures)
        kinds = {tuple(sorted(picture["answers"])) for picture in pictures}
        if len(kinds) != 1 or not min(kinds):
            raise ShapeError(
                f"every picture needs answers of the same sides, got {sorted(kinds) or 'none'}"
            )
        self.names = [str(picture["name"])[:40] for picture in pictures]
        super().__init__(pictures=[_packed(picture) for picture in pictures], sides=[*kinds.pop()])
        for name, value in state.items():
            self.set_trait(name, value)

    def describe(self):
        """Say in words what the explorer shows now."""
        side = self.sides[self.level]
        read = self.pictures[self.picture]["read"]
        return (
            f"{self.names[self.picture]}, read at {read['rows']} x {read['columns']} pixels, "
            f"asked for {side} x {side} points, magnified {self.zoom:.1f} times."
        )

    @traitlets.validate("picture", "level")
    def _there(self, proposal):
        many = self.pictures if proposal.trait.name == "picture" else self.sides
        return min(max(proposal.value, 0), len(many) - 1)

    @traitlets.validate("zoom", "x", "y")
    def _inside(self, proposal):
        low, high = (1.0, MOST) if proposal.trait.name == "zoom" else (0.0, 1.0)
        return min(max(low, proposal.value), high)  # what is no number becomes the lowest


def _packed(picture):
    """Plain data and bytes of a picture for the browser."""
    packed = {"name": str(picture["name"])[:40], "read": _grey("read", picture["read"])}
    true = picture.get("true")
    packed["true"] = None if true is None else _grey("true", true)
    for side, answer in picture["answers"].items():
        if np.shape(answer) != (side, side):
            raise ShapeError(f"answers[{side}] must be ({side}, {side}), got {np.shape(answer)}")
    answers = [_grey("answers", picture["answers"][side]) for side in sorted(picture["answers"])]
    return packed | {"answers": answers}


def _grey(name, values):
    values = np.asarray(values, dtype=np.float32)
    if values.ndim != 2 or not values.size or not np.isfinite(values).all():
        raise ShapeError(f"{name} must be a finite (rows, columns) array, got {values.shape}")
    pixels = (values.clip(0, 1) * 255).round().astype(np.uint8)
    return {"rows": values.shape[0], "columns": values.shape[1], "pixels": pixels.tobytes()}

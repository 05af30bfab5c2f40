"""Attention maps as the browser wants them: checked, cut to what stays smooth, packed as bytes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tutorial_lib.errors import ShapeError

MAX_TOKENS = 200
# Half precision keeps three decimals; above this many weights one byte each has to do.
FLOAT16_LIMIT = 3_000_000
SPECIAL = re.compile(r"^(\[[A-Z]+\]|<[a-z/|_]+>)$")


@dataclass(frozen=True)
class Side:
    """One side of a map: its labels, and for each label the segment it belongs to (0 or 1).

    `kind` says how a view draws the labels; "tokens" are words one below another.
    """

    labels: tuple
    segments: tuple = ()
    kind: str = "tokens"

    def packed(self, length):
        """The first `length` labels as plain data for the browser."""
        labels = [str(label) for label in self.labels[:length]]
        segments = list(self.segments[:length]) or [0] * len(labels)
        special = [index for index, label in enumerate(labels) if SPECIAL.match(label)]
        return {"kind": self.kind, "labels": labels, "segments": segments, "special": special}


@dataclass(frozen=True)
class Picture:
    """The picture that tokens are patches of: pixels (height, width, 3), uint8, and its grid.

    The last n_rows x n_columns tokens are the patches, row by row; what stands before them, [CLS]
    or the words of a caption, is no place in the picture. boxes (R, 4), as left, top, right, bottom
    from 0 to 1: the last tokens are these regions in place of patches, n_rows of one column.
    """

    pixels: np.ndarray
    n_rows: int
    n_columns: int
    boxes: np.ndarray | None = None

    def packed(self):
        """Plain data and bytes for the browser."""
        height, width, _ = self.pixels.shape
        places = {"rows": self.n_rows, "columns": self.n_columns}
        places["boxes"] = None if self.boxes is None else self.boxes.round(5).tolist()
        return {"data": self.pixels.tobytes(), "height": height, "width": width, **places}


@dataclass(frozen=True)
class Panel:
    """The maps of one kind of attention: weights (L, H, T, S), who looks, who is looked at."""

    weights: np.ndarray
    rows: Side
    columns: Side
    name: str = ""
    picture: Picture | None = None

    def packed(self, max_tokens):
        """Plain data and bytes for the browser, at most `max_tokens` on each side."""
        weights = np.ascontiguousarray(self.weights[:, :, :max_tokens, :max_tokens])
        precise = weights.size <= FLOAT16_LIMIT
        data = weights.astype(np.float16) if precise else np.rint(weights * 255).astype(np.uint8)
        return {
            "name": self.name,
            "shape": list(weights.shape),
            "dtype": "float16" if precise else "uint8",
            "data": data.tobytes(),
            "rows": self.rows.packed(max_tokens),
            "columns": self.columns.packed(max_tokens),
            "picture": self.picture.packed() if self.picture else None,
        }


def as_array(tensor):
    """A float32 numpy array from a torch tensor, an array, or a list of (B, H, T, S) layers.

    Raises ShapeError for a list without a layer, or of layers that differ in shape.
    """
    if isinstance(tensor, Sequence):
        layers = [as_array(layer) for layer in tensor]
        shapes = sorted({layer.shape for layer in layers})
        if len(shapes) != 1:
            raise ShapeError(f"all layers must have one shape (B, H, T, S), got {shapes or 'none'}")
        return np.stack(layers)
    if hasattr(tensor, "detach"):
        tensor = tensor.detach().float().cpu().numpy()
    return np.asarray(tensor, dtype=np.float32)


def make_panel(
    maps, rows, columns=None, segments=None, column_segments=None, name="", picture=None
):
    """Check maps and labels against each other.

    maps (L, H, T, S), or a list of L layers (1, H, T, S); rows T labels; columns S labels (the
    rows when left out); segments T and column_segments S numbers, 0 or 1; picture a `Picture`
    whose patches are the last tokens of both sides.
    Raises ShapeError when the shapes disagree, a side is empty or a weight is not in 0..1.
    """
    weights = as_array(maps)
    if weights.ndim == 5 and weights.shape[1] == 1:
        weights = weights[:, 0]  # (L, B=1, H, T, S) -> (L, H, T, S)
    title = f"{name} maps" if name else "maps"
    if weights.ndim != 4:
        raise ShapeError(f"{title} must be (L, H, T, S), got shape {weights.shape}")
    if 0 in weights.shape:
        raise ShapeError(f"{title} hold nothing to look at: shape {weights.shape}")
    if not np.isfinite(weights).all() or weights.min() < -1e-3 or weights.max() > 1 + 1e-3:
        raise ShapeError(f"{title} must hold attention weights between 0 and 1")
    columns = rows if columns is None else columns
    if column_segments is None and len(columns) == len(rows):
        column_segments = segments
    sides = []
    for axis, labels, marks in ((2, rows, segments), (3, columns, column_segments)):
        size = weights.shape[axis]
        what, letter = (("rows", "T"), ("columns", "S"))[axis - 2]
        if len(labels) != size:
            raise ShapeError(f"{title} have {letter} = {size} but {what} has {len(labels)} labels")
        marks = tuple(int(mark) for mark in (marks if marks is not None else [0] * size))
        if len(marks) != size or not set(marks) <= {0, 1}:
            raise ShapeError(f"segments of the {what} must be {size} numbers, each 0 or 1")
        sides.append(Side(tuple(labels), marks))
    if picture is not None and min(weights.shape[2:]) < picture.n_rows * picture.n_columns:
        parts = f"{picture.n_rows} x {picture.n_columns} patches"
        parts = parts if picture.boxes is None else f"{picture.n_rows} regions"
        raise ShapeError(
            f"a picture of {parts} needs as many tokens, "
            f"{title} are {weights.shape[2]} x {weights.shape[3]}"
        )
    return Panel(np.clip(weights, 0, 1), *sides, name=name, picture=picture)


def as_regions(image, boxes):
    """Return a `Picture` of an image (C, height, width) from 0 to 1 whose regions are tokens.

    boxes (R, 4): left, top, right, bottom of each from 0 to 1. The last R tokens of the maps are
    these regions, in this order. Raises ShapeError for another shape, or a box that is none.
    """
    boxes = as_boxes(boxes)
    return replace(as_picture(image, len(boxes), 1), boxes=boxes)


def as_boxes(boxes):
    """Return boxes (R, 4) as an array; raises ShapeError when one is not inside the picture."""
    boxes = as_array(np.asarray(boxes) if isinstance(boxes, Sequence) else boxes)
    if boxes.ndim != 2 or boxes.shape[1:] != (4,) or not len(boxes):
        raise ShapeError(f"boxes must be (R, 4), got shape {boxes.shape}")
    inside = np.isfinite(boxes).all() and boxes.min() >= 0 and boxes.max() <= 1
    if not inside or not (boxes[:, :2] < boxes[:, 2:]).all():
        raise ShapeError("boxes must have left < right and top < bottom, from 0 to 1")
    return boxes


def as_picture(image, n_rows, n_columns):
    """Return a `Picture` of an image (C, height, width) from 0 to 1, grey or coloured.

    Raises ShapeError for another shape.
    """
    pixels = as_array(image)
    if pixels.ndim != 3 or pixels.shape[0] not in (1, 3) or 0 in pixels.shape:
        raise ShapeError(f"the picture must be (1 or 3, height, width), got shape {pixels.shape}")
    pixels = np.broadcast_to(pixels, (3, *pixels.shape[1:])).transpose(1, 2, 0)
    return Picture(np.rint(pixels.clip(0, 1) * 255).astype(np.uint8), n_rows, n_columns)


def cut_note(panels, max_tokens):
    """A sentence that says how much of too long an input is shown, or an empty string."""
    longest = max(max(panel.weights.shape[2:]) for panel in panels)
    if longest <= max_tokens:
        return ""
    return f"Only the first {max_tokens} of {longest} tokens are shown."

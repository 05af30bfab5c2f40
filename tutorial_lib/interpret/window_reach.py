"""How far information travels through layers that look within windows only."""

import torch

from tutorial_lib.errors import ShapeError


def reach(height, width, window, layers, row, column, shift=True, merge=False):
    """Return whose information one position can hold after some layers: (height, width) of bool.

    Each layer looks within windows of `window` x `window`, as
    `tutorial_lib.models.windows.ShiftedWindows` does; shift: in every second layer they lie half
    a window further down and to the right. merge: after every second layer four neighbours become
    one, so that windows cover twice as much; the position meant is the one that (row, column) went
    into. Raises ShapeError when there is no such position or a size is not positive.

    >>> reach(4, 4, window=2, layers=1, row=1, column=1).sum(), reach(4, 4, 2, 2, 1, 1).sum()
    (tensor(4), tensor(16))
    >>> reach(4, 4, 2, 2, 1, 1, shift=False).int()
    tensor([[1, 1, 0, 0],
            [1, 1, 0, 0],
            [0, 0, 0, 0],
            [0, 0, 0, 0]], dtype=torch.int32)
    """
    if window < 1 or layers < 0 or not (0 <= row < height and 0 <= column < width):
        raise ShapeError(
            f"no row {row}, column {column} after {layers} layers of windows of {window} on a map "
            f"of {height} x {width}"
        )
    spans = [(row, row + 1), (column, column + 1)]  # from, to: what is reached is a rectangle
    for layer in reversed(range(layers)):  # what the last one reads is what earlier ones gathered
        side, first, _ = layer_windows(height, width, window, layer, shift, merge)
        spans = [
            (first + (low - first) // side * side, first - (first - high) // side * side)
            for low, high in spans
        ]
    (top, bottom), (left, right) = spans
    seen = torch.zeros(height, width, dtype=torch.bool)
    seen[max(top, 0) : bottom, max(left, 0) : right] = True
    return seen


def layer_windows(height, width, window, layer, shift=True, merge=False):
    """Return side, first and covers of a layer (from 0), in positions of the first map.

    Windows of this side begin at `first`; what lies before it is a window cut short. covers: the
    side of what one position of this layer stands for, 1 without merging.

    >>> layer_windows(28, 28, 7, layer=1), layer_windows(28, 28, 7, layer=3, merge=True)
    ((7, 3, 1), (14, 6, 2))
    """
    covers = 2 ** (layer // 2) if merge else 1
    shortest = -(-min(height, width) // covers)
    shifted = shift and layer % 2 == 1 and shortest > window  # one window over all stays
    return covers * window, covers * (window // 2) if shifted else 0, covers

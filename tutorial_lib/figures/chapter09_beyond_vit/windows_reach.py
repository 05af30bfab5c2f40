"""Windows on a photograph, and what one position has seen after some layers."""

import textwrap

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.interpret import layer_windows, reach

_FADED = 0.3  # what is left of the picture where nothing has been seen
_TINT = 0.4  # how much orange covers what the last layer added
_GREY = np.array([0.3, 0.59, 0.11])


def map_size(image, patch_size):
    """Return how many rows and columns of patches fill an image (3, height, width).

    Raises ShapeError when it has another shape, or patches do not fill it.
    """
    if image.dim() != 3 or image.size(0) != 3 or 0 in image.shape:
        raise ShapeError(f"image must be (3, height, width), got {tuple(image.shape)}")
    _, height, width = image.shape
    if patch_size < 1 or height % patch_size or width % patch_size:
        raise ShapeError(f"patches of {patch_size} do not fill {height} x {width} pixels")
    return height // patch_size, width // patch_size


@style.styled
def windows_reach(
    image,
    window,
    layers=(0, 1, 2, 4),
    row=0,
    column=0,
    shift=True,
    merge=False,
    patch_size=16,
    title=None,
    figure=None,
):
    """Draw what one position has seen after each number of layers: seen bright, the rest pale.

    image (3, height, width) from 0 to 1. window, row, column, shift and merge are those of
    `tutorial_lib.interpret.reach`, on the map of patches. Blue: the windows of the last layer, its
    own thick; orange: what it added; green: the chosen position. Returns the figure.
    Raises ShapeError when patches do not fill the image or the position is not there.

    >>> import torch
    >>> figure = windows_reach(torch.rand(3, 64, 64), window=2, row=0, column=2)
    >>> [axes.get_title(loc="center") for axes in figure.axes][2]
    'after 2 layers: 8 of 16'
    """
    grid = map_size(image, patch_size)
    where = (*grid, window)
    rest = (row, column, shift, merge)
    panels = [(n, reach(*where, n, *rest), reach(*where, max(n - 1, 0), *rest)) for n in layers]
    width = max(2.45 * len(panels), 4.6)
    figure = style.blank(figure, width, 0.7 + width / len(panels) * grid[0] / grid[1])
    grid_of_axes = figure.subplots(1, len(panels), squeeze=False)[0]
    for axes, (n, now, before) in zip(grid_of_axes, panels, strict=True):
        pixels = _lit(image, *(np.kron(x, np.ones((patch_size,) * 2)) for x in (now, before)))
        axes.imshow(pixels, extent=(0, grid[1], grid[0], 0), interpolation="nearest")
        side, first, covers = layer_windows(*where, max(n - 1, 0), shift, merge)
        if n:
            _draw_windows(axes, grid, side, first)
            rows, columns = (now.any(dim=d).nonzero()[:, 0] for d in (1, 0))
            spans = [(int(x[0]), int(x[-1]) + 1) for x in (rows, columns)]
            _frame(axes, spans, style.ORANGE, 1.3)  # bright sky would end nowhere
            _frame(axes, _block((row, column), first, side, grid), style.BLUE, 2.6)
        _frame(axes, _block((row, column), 0, covers, grid), style.GREEN, 2)
        style.draw_frame(axes)
        style.panel_title(axes, f"{_after(n)}: {int(now.sum()):,} of {now.numel():,}")
    said = title or _finding(where, layers, rest)
    style.headline(figure, textwrap.fill(said, int(10 * width)))
    return figure


def describe_windows_reach(
    image, window, layers=(0, 1, 2, 4), row=0, column=0, shift=True, merge=False, patch_size=16
):
    """Say in words what `windows_reach` shows."""
    grid = map_size(image, patch_size)
    where, rest = (*grid, window), (row, column, shift, merge)
    each = ", ".join(f"{int(reach(*where, n, *rest).sum()):,} {_after(n)}" for n in layers)
    shifted = f"shifted by {window // 2} in every second layer" if shift else "never shifted"
    merged = "; after every second layer four neighbours become one" if merge else ""
    return (
        f"A photograph in {grid[0]} x {grid[1]} patches; layers look within windows of {window} x "
        f"{window}, {shifted}{merged}. Of {grid[0] * grid[1]:,} patches the position in row {row}, "
        f"column {column} has seen {each}. {_finding(where, layers, rest)}."
    )


def _finding(where, layers, rest):
    row, column, shift, merge = rest
    now, other = (
        int(reach(*where, layers[-1], row, column, shifts, merge).sum())
        for shifts in (shift, not shift)
    )
    compared = f"{'without' if shift else 'with'} shift {other:,}"
    return f"{_after(layers[-1]).capitalize()} a position has seen {now:,} patches, {compared}"


def _after(n_layers):
    return f"after {n_layers} layer{'' if n_layers == 1 else 's'}"


def _lit(image, now, before):
    """Return the pixels (height, width, 3): seen in colour, just added with orange over it."""
    pixels = image.permute(1, 2, 0).clamp(0, 1).numpy()
    pale = to_rgb(style.CARD) + _FADED * (pixels @ _GREY - 1)[..., None]
    added = (1 - _TINT) * pixels + _TINT * np.array(to_rgb(style.ORANGE))
    seen = np.where(before[..., None] > 0, pixels, added)
    return np.where(now[..., None] > 0, seen, pale).clip(0, 1)


def _draw_windows(axes, grid, side, first):
    for colour, thick in (("white", 2.4), (style.BLUE, 1.3)):
        axes.hlines(range(first, grid[0], side), 0, grid[1], color=colour, linewidth=thick)
        axes.vlines(range(first, grid[1], side), 0, grid[0], color=colour, linewidth=thick)


def _frame(axes, spans, colour, thick):
    """Frame the positions from row and column to row and column."""
    (top, bottom), (left, right) = spans
    for ink, wide in (("white", thick + 1.4), (colour, thick)):
        box = {"fill": False, "edgecolor": ink, "linewidth": wide, "zorder": 3}
        axes.add_patch(Rectangle((left, top), right - left, bottom - top, **box))


def _block(place, first, side, grid):
    """From, to along both sides of the block around a place, cut at the edges of the map."""
    starts = [first + (at - first) // side * side for at in place]
    return [(max(low, 0), min(low + side, n)) for low, n in zip(starts, grid, strict=True)]

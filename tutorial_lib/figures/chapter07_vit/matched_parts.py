"""Photographs, and each patch in the colour of the example that it is most like."""

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

_COLOURS = (style.ORANGE, style.BLUE, style.PINK, style.GREEN, style.AMBER, style.SKY)
_COVER = 0.65  # how much the colour covers
_DARKEST = 0.35  # the grey below the colours, so that a hue stays itself on a dark ground
_LABEL = {"facecolor": "#111111", "edgecolor": "none", "boxstyle": "square,pad=0.2"}
_WRITING = {"color": "#ffffff", "fontsize": 10.5, "bbox": _LABEL}


@style.styled
def matched_parts(pictures, clicks, found, title=None, figure=None):
    """SeenPictures as they are, then each patch in the colour of its example, a column a way.

    clicks maps the name of an example to its (row, column) in pictures[0], where it is framed; in
    the other columns the name stands where the patches that found it are thick. found maps the
    title of a column to the numbers of the examples: one (rows, columns) for each picture.
    Returns the figure. Raises ShapeError for more examples than there are colours.

    >>> import torch
    >>> from tutorial_lib.interpret import SeenPicture
    >>> seen = SeenPicture("grey", torch.rand(3, 4, 4), torch.rand(2, 2, 3), torch.rand(2, 2, 2))
    >>> numbers = torch.zeros(2, 2).long()
    >>> figure = matched_parts([seen], {"sky": (0, 0)}, {"by vectors": [numbers]})
    >>> [axes.get_title() for axes in figure.axes]
    ['1 click on grey', 'by vectors']
    """
    if len(clicks) > len(_COLOURS):
        raise ShapeError(f"there are colours for {len(_COLOURS)} examples, got {len(clicks)}")
    columns = 1 + len(found)
    figure = style.blank(figure, 2.8 * columns, 0.8 + 3.0 * len(pictures))
    lines = figure.subplots(len(pictures), columns, squeeze=False)
    for place, (line, seen) in enumerate(zip(lines, pictures, strict=True)):
        line[0].imshow(seen.image.permute(1, 2, 0).numpy().clip(0, 1))
        for axes, (way, numbers) in zip(line[1:], found.items(), strict=True):
            chosen = np.asarray(numbers[place])
            axes.imshow(_covered(seen, chosen), interpolation="nearest")
            _name(axes, seen, chosen, clicks)
            if place == 0:
                style.panel_title(axes, way)
        for axes in line:
            style.draw_frame(axes)
    _mark(lines[0, 0], pictures[0], clicks)
    few = "click" if len(clicks) == 1 else "clicks"
    style.panel_title(lines[0, 0], f"{len(clicks)} {few} on {pictures[0].name}")
    for line, seen in zip(lines[1:], pictures[1:], strict=True):
        style.panel_title(line[0], f"{seen.name}: no click")
    style.headline(figure, title or f"{len(clicks)} {few} colour the photographs")
    return figure


def _covered(seen, chosen):
    """The pixels of a picture, each patch in the colour of its example."""
    pixels = seen.image.permute(1, 2, 0).numpy().clip(0, 1)
    grey = (pixels @ np.array([0.3, 0.59, 0.11]))[..., None]
    grey = _DARKEST + (1 - _DARKEST) * grey
    height, width = grey.shape[:2]
    n_rows, n_columns = seen.grid
    down, across = np.arange(height) * n_rows // height, np.arange(width) * n_columns // width
    palette = np.array([to_rgb(colour) for colour in _COLOURS])
    return grey * (1 - _COVER) + palette[chosen][down][:, across] * _COVER


def describe_matched_parts(pictures, clicks, found):
    """Say in words what `matched_parts` shows."""
    said = []
    for way, numbers in found.items():
        for seen, chosen in zip(pictures, numbers, strict=True):
            shares = ", ".join(
                f"{name} {float((np.asarray(chosen) == number).mean()):.0%}"
                for number, name in enumerate(clicks)
            )
            said.append(f"{seen.name}, {way}: {shares}")
    return f"Each patch in the colour of the clicked patch it is most like. {'; '.join(said)}."


def _mark(axes, seen, clicks):
    """Frame the clicked patches, each with its name."""
    tall, wide = _patch(seen)
    for name, (row, column) in clicks.items():
        corner = (column * wide - 0.5, row * tall - 0.5)
        for edge, thick in (("#ffffff", 4), ("#111111", 2)):
            frame = {"fill": False, "edgecolor": edge, "linewidth": thick}
            axes.add_patch(Rectangle(corner, wide, tall, **frame))
        left = column > 0.6 * seen.grid[1]  # else the name would leave the picture
        place = {"xytext": (-9 if left else 9, 0), "textcoords": "offset points", "va": "center"}
        place["ha"] = "right" if left else "left"
        end = (corner[0] + wide * (not left), corner[1] + tall / 2)
        axes.annotate(name, end, **_WRITING, **place)


def _name(axes, seen, chosen, clicks):
    """Write the name of each example where the patches that found it are thickest."""
    tall, wide = _patch(seen)
    for number, name in enumerate(clicks):
        deepest = _deepest(chosen == number)
        if deepest is not None:
            place = ((deepest[1] + 0.5) * wide, (deepest[0] + 0.5) * tall)
            axes.text(*place, name, ha="center", va="center", **_WRITING)


def _deepest(mine):
    """Return the row and column of a patch deep inside a region, None when it has no inside."""
    inner = _inside(mine)
    if not inner.any():
        return None
    while _inside(inner).any():
        inner = _inside(inner)
    places = np.argwhere(inner)  # (n, 2)
    return places[np.abs(places - np.median(places, axis=0)).sum(axis=1).argmin()]


def _inside(mine):
    """The patches whose four neighbours belong to the region, too."""
    around = np.pad(mine, 1)
    return mine & around[:-2, 1:-1] & around[2:, 1:-1] & around[1:-1, :-2] & around[1:-1, 2:]


def _patch(seen):
    """How many pixels high and wide a patch is."""
    return seen.image.size(1) / seen.grid[0], seen.image.size(2) / seen.grid[1]

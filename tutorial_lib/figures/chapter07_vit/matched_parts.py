"""Two photographs, each patch in the colour of the example that it is most like."""

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

_COLOURS = (style.ORANGE, style.BLUE, style.AMBER, style.GREEN, style.PINK, style.SKY)
_COVER = 0.6  # how much the colour covers
_FEW = 0.01  # an example that fewer patches found gets no name
_LABEL = {"facecolor": "#111111", "edgecolor": "none", "boxstyle": "square,pad=0.22"}


@style.styled
def matched_parts(pictures, clicks, found, title=None, figure=None):
    """SeenPictures with each patch in the colour of its example, a line for each kind of vector.

    clicks maps the name of an example to its (row, column) in pictures[0], where it is framed; in
    the other pictures the name stands where the patches are that found it. found maps the title of
    a line to the numbers of the examples: one (rows, columns) for each picture. Returns the figure.
    Raises ShapeError for more examples than there are colours.

    >>> import torch
    >>> from tutorial_lib.interpret import SeenPicture
    >>> seen = SeenPicture("grey", torch.rand(3, 4, 4), torch.rand(2, 2, 3), torch.rand(2, 2, 2))
    >>> numbers = torch.zeros(2, 2).long()
    >>> figure = matched_parts([seen], {"sky": (0, 0)}, {"by vectors": [numbers]})
    >>> [axes.get_title() for axes in figure.axes]
    ['grey, by vectors']
    """
    if len(clicks) > len(_COLOURS):
        raise ShapeError(f"there are colours for {len(_COLOURS)} examples, got {len(clicks)}")
    figure = style.blank(figure, 4.5 * len(pictures), 0.6 + 4.5 * len(found))
    lines = figure.subplots(len(found), len(pictures), squeeze=False)
    palette = np.array([to_rgb(colour) for colour in _COLOURS])
    for line, (way, numbers) in zip(lines, found.items(), strict=True):
        for axes, seen, chosen in zip(line, pictures, numbers, strict=True):
            pixels = seen.image.permute(1, 2, 0).numpy().clip(0, 1)
            grey = (pixels @ np.array([0.3, 0.59, 0.11]))[..., None]
            height, width = grey.shape[:2]
            n_rows, n_columns = seen.grid
            down, across = (
                np.arange(height) * n_rows // height,
                np.arange(width) * n_columns // width,
            )
            colours = palette[np.asarray(chosen)][down][:, across]
            axes.imshow(grey * (1 - _COVER) + colours * _COVER, interpolation="nearest")
            style.draw_frame(axes)
            style.panel_title(axes, f"{seen.name}, {way}")
        _mark(line[0], pictures[0], clicks)
        for axes, seen, chosen in list(zip(line, pictures, numbers, strict=True))[1:]:
            _name(axes, seen, np.asarray(chosen), clicks)
    style.headline(figure, title or f"{len(clicks)} clicks colour both photographs")
    return figure


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
        left = column > 0.7 * seen.grid[1]  # else the name would leave the picture
        place = {"xytext": (-9 if left else 9, 0), "textcoords": "offset points", "va": "center"}
        place["ha"] = "right" if left else "left"
        end = (corner[0] + wide * (not left), corner[1] + tall / 2)
        axes.annotate(name, end, color="#ffffff", fontsize=11, bbox=_LABEL, **place)


def _name(axes, seen, chosen, clicks):
    """Write the name of each example in the middle of the patches that found it."""
    tall, wide = _patch(seen)
    for number, name in enumerate(clicks):
        places = np.argwhere(chosen == number)  # (n, 2)
        if len(places) < _FEW * chosen.size:
            continue
        middle = np.median(places, axis=0)
        row, column = places[np.abs(places - middle).sum(axis=1).argmin()]
        look = {"ha": "center", "va": "center", "color": "#ffffff", "fontsize": 11, "bbox": _LABEL}
        axes.text((column + 0.5) * wide, (row + 0.5) * tall, name, **look)


def _patch(seen):
    """How many pixels high and wide a patch is."""
    return seen.image.size(1) / seen.grid[0], seen.image.size(2) / seen.grid[1]

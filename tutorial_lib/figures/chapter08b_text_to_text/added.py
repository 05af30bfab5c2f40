"""What heads add to their scores: maps side by side, with one scale for all of them."""

import numpy as np

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.charts import filled_array


@style.styled
def added_beside(maps, title="", *, row_label="query", column_label="key", figure=None):
    """Square maps of numbers side by side: orange below 0, blue above, one bar of colours.

    maps: {heading: (T, T)}. Returns the figure. Raises ShapeError without a map, or for one that is
    not square.

    >>> import torch
    >>> figure = added_beside({"sound": torch.eye(3), "wrong": torch.ones(3, 3)}, "Added")
    >>> [axes.get_title() for axes in figure.axes[:2]]
    ['sound', 'wrong']
    """
    maps = {heading: filled_array(values, 2, heading) for heading, values in maps.items()}
    if not maps or any(values.shape[0] != values.shape[1] for values in maps.values()):
        raise ShapeError("added_beside needs square maps, got none or another shape")
    most = max(float(np.abs(values).max()) for values in maps.values()) or 1.0
    figure = style.blank(figure, 0.9 + 3.5 * len(maps), 4.1)
    row = figure.subplots(1, len(maps), squeeze=False)[0]
    for axes, (heading, values) in zip(row, maps.items(), strict=True):
        picture = axes.imshow(values, cmap=style.SIGNED, vmin=-most, vmax=most)
        style.panel_title(axes, heading)
        axes.set_xticks(range(len(values)))
        axes.set_yticks(range(len(values)))
        axes.set_xticks(np.arange(len(values) + 1) - 0.5, minor=True)
        axes.set_yticks(np.arange(len(values) + 1) - 0.5, minor=True)
        axes.grid(which="minor", color=style.GRID, linewidth=0.6)
        axes.tick_params(which="both", length=0)
        axes.spines[:].set_visible(False)
        axes.set(xlabel=column_label, ylabel=row_label if axes is row[0] else "")
    figure.colorbar(picture, ax=list(row), fraction=0.03, pad=0.02).outline.set_visible(False)
    style.headline(figure, title)
    return figure

"""Several matrices side by side with one colour scale, to compare their structure."""

import numpy as np

from tutorial_lib.figures.charts import filled_array
from tutorial_lib.figures.style import GRID, SIGNED, blank, draw_frame, headline, styled


@styled
def matrix_row(matrices, title, *, every=None, figure=None):
    """Draw matrices beside each other: 0 is blank, orange is below 0 and blue above.

    matrices maps a caption to an array (R, C); `every` draws a line after each so many rows and
    columns, to show blocks. Raises ShapeError for anything that is no filled matrix.

    >>> len(matrix_row({"one": [[1.0, 0.0]], "two": [[0.5], [-1.0]]}, "Two matrices").axes)
    2
    """
    arrays = {name: filled_array(value, 2, name) for name, value in matrices.items()}
    top = max(float(np.abs(array).max()) for array in arrays.values()) or 1.0
    # Room for three at least, from the left as the title; no higher than the pictures need.
    n_places = max(len(arrays), 3)
    tallest = min(1.0, max(len(array) / array.shape[1] for array in arrays.values()))
    figure = blank(figure, 10.5, 0.75 + tallest * 10.2 / n_places)
    places = figure.add_gridspec(1, n_places)
    for place, (name, array) in enumerate(arrays.items()):
        axes = figure.add_subplot(places[place], anchor="N")
        axes.imshow(array, cmap=SIGNED, vmin=-top, vmax=top, interpolation="none")
        for edge in range(every, max(array.shape), every) if every else ():
            for line in (axes.axhline, axes.axvline):
                line(edge - 0.5, color=GRID, linewidth=0.8)
        axes.set(xlim=(-0.5, array.shape[1] - 0.5), ylim=(array.shape[0] - 0.5, -0.5))
        axes.set_xlabel(name)
        draw_frame(axes)
    headline(figure, title)
    return figure

import itertools

import numpy as np
import pytest

from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import matrix_row


def test_matrices_share_one_colour_scale():
    figure = matrix_row({"small": [[0.5, -0.1]], "large": np.eye(4) * 2}, "Two", every=2)
    pictures = [axes.images[0] for axes in figure.axes]
    assert [axes.get_xlabel() for axes in figure.axes] == ["small", "large"]
    assert {picture.get_clim() for picture in pictures} == {(-2.0, 2.0)}
    assert pictures[0].get_array().shape == (1, 2)


def test_blocks_are_separated_by_lines():
    plain, blocks = (matrix_row({"m": np.ones((6, 6))}, "m", every=n) for n in (None, 2))
    assert len(blocks.axes[0].lines) == 4  # two inner lines each way
    assert len(plain.axes[0].lines) == 0


@pytest.mark.parametrize(
    "shapes", [[(4, 4)], [(4, 4)] * 2, [(8, 8)] * 3, [(8, 8)] * 4, [(3, 9)] * 2]
)
def test_the_pictures_stand_right_below_the_title(shapes):
    figure = matrix_row({str(n): np.ones(shape) for n, shape in enumerate(shapes)}, "Some")
    figure.canvas.draw()
    boxes = [axes.get_window_extent() for axes in figure.axes]
    title = figure._suptitle.get_window_extent()
    inch = figure.dpi
    assert all(0 < title.y0 - box.y1 < 0.4 * inch for box in boxes)
    assert boxes[0].x0 < 0.4 * inch
    assert all(b.x0 - a.x1 < 0.4 * inch for a, b in itertools.pairwise(boxes))


def test_all_zero_draws_and_a_vector_is_refused():
    assert matrix_row({"zero": np.zeros((2, 2))}, "z").axes
    with pytest.raises(ShapeError, match="line must be a filled array of 2 axes"):
        matrix_row({"line": [1.0, 2.0]}, "no matrix")

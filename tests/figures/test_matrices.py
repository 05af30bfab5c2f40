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


def test_all_zero_draws_and_a_vector_is_refused():
    assert matrix_row({"zero": np.zeros((2, 2))}, "z").axes
    with pytest.raises(ShapeError, match="line must be a filled array of 2 axes"):
        matrix_row({"line": [1.0, 2.0]}, "no matrix")

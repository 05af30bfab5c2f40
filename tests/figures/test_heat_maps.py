import numpy as np
import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style


def texts(axes):
    return [text.get_text() for text in axes.texts]


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("values", [np.zeros((2, 3)), np.eye(2, 3), np.full((2, 3), np.nan)])
def test_heat_map_draws_any_values(values, signed):
    figure = figures.heat_map(values, "ab", "cde", "t", signed=signed)
    assert len(texts(figure.axes[0])) == 6
    assert style.png(figure).startswith(b"\x89PNG")


def test_numbers_are_white_on_dark_squares_only():
    values = [[-1.0, -0.6, 0.0, 0.6, 1.0, np.nan]]
    figure = figures.heat_map(values, "a", "bcdefg", "t", signed=True)
    white = [text.get_color() == "white" for text in figure.axes[0].texts]
    assert white == [True, False, False, False, True, False]


def test_a_square_without_a_number_is_empty():
    figure = figures.heat_map_row({"one": [[0.5, np.nan]]}, "a", "bc", "t", row_label="rows")
    assert texts(figure.axes[0]) == ["0.50", ""]
    assert figure.axes[0].get_ylabel() == "rows"


def test_the_diagonal_can_be_framed():
    axes = figures.heat_map(np.ones((3, 3)), "abc", "def", "t", diagonal=True).axes[0]
    assert [patch.get_xy() for patch in axes.patches] == [(at - 0.5, at - 0.5) for at in range(3)]
    assert not figures.heat_map(np.ones((3, 3)), "abc", "def", "t").axes[0].patches


def test_heat_map_thins_out_many_names():
    figure = figures.heat_map(np.ones((60, 90)), range(60), range(90), "t", numbers=False)
    assert len(figure.axes[0].get_xticklabels()) <= 24
    assert len(figure.axes[0].get_yticklabels()) <= 30


def test_heat_map_counts_its_names():
    with pytest.raises(ShapeError, match=r"\(2, 3\), the names say \(2, 2\)"):
        figures.heat_map(np.ones((2, 3)), "ab", "cd", "t")


def test_dollar_signs_are_text():
    figure = figures.heat_map([[1.0]], ["$_$"], ["a$b^$"], "t")
    assert style.png(figure).startswith(b"\x89PNG")


def test_small_numbers_are_not_written():
    values = np.array([[0.0, 0.6], [-0.3, 0.04]])
    axes = figures.heat_map(values, "ab", "cd", "t", least=0.05).axes[0]
    written = {text.get_position(): text.get_text() for text in axes.texts}
    assert written == {(1, 0): "0.60", (0, 1): "-0.30"}

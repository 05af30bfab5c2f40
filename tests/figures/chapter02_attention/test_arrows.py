import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError


def test_each_key_is_named_with_its_dot_product():
    figure = figures.query_and_keys([2, 1], [[1, 0], [0, -3], [0, 0]], ["a", "b", "c"], "A title")
    said = [text.get_text() for text in figure.axes[0].texts]
    assert {"the query", "a: q · k = 2", "b: q · k = -3", "c: q · k = 0"} <= set(said)
    low, high = figure.axes[0].get_ylim()
    assert low < -3 < 1 < high


def test_a_query_of_another_width_is_refused():
    with pytest.raises(ShapeError, match="a query"):
        figures.query_and_keys([2, 1, 0], [[1, 0, 0]], ["a"])
    with pytest.raises(ShapeError, match="keys"):
        figures.query_and_keys([2, 1], [[1, 0]], ["a", "b"])

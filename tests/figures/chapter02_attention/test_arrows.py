import pytest
from matplotlib.colors import to_hex

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.diagrams import KEY, QUERY


def test_each_key_is_named_with_its_dot_product():
    figure = figures.query_and_keys([2, 1], [[1, 0], [0, -3], [0, 0]], ["a", "b", "c"], "A title")
    said = [text.get_text() for text in figure.axes[0].texts]
    assert {"the query", "a: q · k = 2", "b: q · k = -3", "c: q · k = 0"} <= set(said)
    arrows = [text.arrow_patch for text in figure.axes[0].texts if text.arrow_patch]
    drawn = {to_hex(arrow.get_edgecolor()) for arrow in arrows}
    assert drawn == {QUERY.lower(), KEY.lower()}  # the colours of the diagrams
    low, high = figure.axes[0].get_ylim()
    assert low < -3 < 1 < high


def test_a_query_of_another_width_is_refused():
    with pytest.raises(ShapeError, match="a query"):
        figures.query_and_keys([2, 1, 0], [[1, 0, 0]], ["a"])
    with pytest.raises(ShapeError, match="keys"):
        figures.query_and_keys([2, 1], [[1, 0]], ["a", "b"])

import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style

ROWS = [("small", 124.4e6, 117e6, "cannot be"), ("XL", 1.5576e9, 1.542e9), ("175B", 174.6e9, 175e9)]


def test_sizes_stand_beside_those_published():
    (axes,) = figures.family_sizes(ROWS, "One row cannot be").axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["small", "XL", "175B"]
    words = [text.get_text() for text in axes.texts]
    assert words == [
        "124.4 M / 117.0 M  (+6.3 %)  cannot be",
        "1.56 B / 1.54 B  (+1.0 %)",
        "174.6 B / 175.0 B  (−0.2 %)",
    ]
    colours = [line.get_color() for line in axes.lines[::3]]
    assert colours == [style.ORANGE, style.BLUE, style.BLUE]
    ours = [line.get_xdata()[0] for line in axes.lines[2::3]]
    assert ours == [row[1] for row in ROWS]
    ticks = [label.get_text() for label in axes.get_xticklabels()]
    assert ticks == ["100 M", "1 B", "10 B", "100 B"]
    words = figures.describe_family_sizes(ROWS)
    assert "small 124.4 M and 117.0 M (+6.3 %), cannot be; XL 1.56 B" in words


def test_rows_of_another_form_are_refused():
    with pytest.raises(ShapeError, match="rows are"):
        figures.family_sizes([("small", 1e6)])
    with pytest.raises(ShapeError, match="rows are"):
        figures.family_sizes([])
    with pytest.raises(ShapeError, match="'small' needs two numbers of parameters above 0"):
        figures.family_sizes([("small", 0, 1e6)])

import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError


def test_a_wave_is_above_the_middle_where_its_digit_is_one():
    panels = figures.sinusoids_and_digits(figures.binary_digits(16)).axes
    assert len(panels) == 4
    for digit, axes in enumerate(panels):
        at, heights = axes.lines[2].get_data()
        assert [height > 0 for height in heights] == [bool(int(t) >> digit & 1) for t in at]
    with pytest.raises(ShapeError, match="two or more rows"):
        figures.sinusoids_and_digits([[0, 1]])

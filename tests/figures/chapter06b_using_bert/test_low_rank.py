from itertools import combinations

import pytest
from matplotlib.patches import Rectangle

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style


def test_the_maps_and_their_product_are_drawn_to_scale_and_apart():
    figure = figures.low_rank_change(30, 20, 5, "A title")
    drawn = [p for p in figure.axes[0].patches if type(p) is Rectangle]
    unit = drawn[0].get_width() / 20
    sizes = [(round(p.get_width() / unit), round(p.get_height() / unit)) for p in drawn]
    assert sizes == [(20, 30), (20, 30), (5, 30), (20, 5)]  # W, B A, B, A
    for one, other in combinations([p.get_bbox() for p in drawn], 2):
        assert not one.overlaps(other)
    said = figures.describe_low_rank_change(30, 20, 5)
    assert sum(text.get_text().count("learns") for text in figure.axes[0].texts) == 2
    assert "600 numbers, is frozen" in said
    assert "30 × 5" in said
    assert style.png(figure)


def test_a_rank_that_is_no_rank_is_refused():
    for rank in (0, 21):
        with pytest.raises(ShapeError, match=f"from 1 to 20, got {rank}"):
            figures.low_rank_change(30, 20, rank)

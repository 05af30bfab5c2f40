import pytest
from matplotlib.patches import Rectangle

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style


def test_the_three_maps_are_drawn_to_scale():
    figure = figures.low_rank_change(30, 20, 5, "A title")
    sizes = [p.get_width() for p in figure.axes[0].patches if type(p) is Rectangle]
    heights = [p.get_height() for p in figure.axes[0].patches if type(p) is Rectangle]
    unit = sizes[0] / 20
    assert sizes == pytest.approx([20 * unit, 5 * unit, 20 * unit])
    assert heights == pytest.approx([30 * unit, 30 * unit, 5 * unit])
    said = figures.describe_low_rank_change(30, 20, 5)
    for text in figure.axes[0].texts[1:-1:2]:
        assert text.get_text().endswith(("frozen", "learns"))
    assert "600 numbers, is frozen" in said
    assert "30 × 5" in said
    assert style.png(figure)


def test_a_rank_that_is_no_rank_is_refused():
    for rank in (0, 21):
        with pytest.raises(ShapeError, match=f"from 1 to 20, got {rank}"):
            figures.low_rank_change(30, 20, rank)

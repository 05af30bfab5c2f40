import pytest
import torch

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.chapter07_vit.tests_of_maps import A_ROW

ROWS = [
    {"map": "last layer", "ink": 0.2, "left": 0.6, "matched": [0.7, 0.8], "others": [0.5, 0.7]},
    {"map": "most ink", "ink": 0.6, "left": 0.3, "matched": [0.3, 0.3], "others": [0.4, 0.4]},
]


def test_each_patch_comes_where_the_order_says():
    image = torch.zeros(1, 28, 28)
    image[0, :7, 7:14] = 1  # patch 1 is black
    _, cut, moved = figures.shuffled_picture(image, 7, [*range(1, 16), 0]).axes
    pictures = [1 - axes.get_images()[0].get_array() for axes in (cut, moved)]  # 9 pixels a patch
    assert (pictures[0][1:8, 10:17] == 1).all()
    assert (pictures[1][1:8, 1:8] == 1).all()
    assert (pictures[1][1:8, 10:17] == 0).all()
    with pytest.raises(ShapeError, match="16 patches"):
        figures.shuffled_picture(image, 7, range(15))


def test_two_grids_have_scales_of_their_own():
    figure = figures.beside_the_ink(torch.eye(3), torch.eye(3) / 4)
    for axes, top in zip(figure.axes, (1, 0.25), strict=True):
        assert axes.get_images()[0].get_clim() == (0, top)


def test_paint_covers_the_chosen_tiles_and_the_ink_below():
    chosen = torch.zeros(49).bool()
    chosen[8] = True
    figure = figures.painted_digits(torch.ones(1, 28, 28), {"a": chosen, "b": ~chosen}, "Paint")
    assert len(figure.axes) == A_ROW
    (tile,) = figure.axes[1].patches
    assert (tile.get_xy(), tile.get_width()) == ((3.5, 3.5), 4)
    assert len(figure.axes[2].patches) == 48
    pixels = figure.axes[1].get_images()[0].get_array()
    assert pixels.sum() == 16  # white where it was painted over
    assert (pixels[4:8, 4:8] == 1).all()


def test_a_map_and_its_controls_have_lines_of_their_own():
    axes = figures.beyond_ink(ROWS, 500).axes[0]
    marks = [line for line in axes.lines if line.get_marker() != "None"]
    points = [(line.get_xdata(), line.get_marker()) for line in marks]
    assert ([0.7, 0.8], "o") in [(list(x), marker) for x, marker in points]
    assert ([0.6], "D") in [(list(x), marker) for x, marker in points]
    assert ([0.5, 0.7], "s") in [(list(x), marker) for x, marker in points]
    heights = [set(line.get_ydata()) for line in marks]
    assert len(set.union(*heights)) == 3 * len(ROWS) == len(heights)
    reaches = [line for line in axes.lines if line not in marks and line.get_linestyle() == "-"]
    ends = [max(line.get_xdata()) for line in reaches if len(line.get_xdata())]
    assert ends == pytest.approx([0.6 + 0.06197, 0.3 + 0.05797], abs=1e-5)
    said = figures.describe_beyond_ink(ROWS)
    assert "last layer: takes out 0.20 of the ink, leaves 0.60, chance 0.75, others 0.60" in said

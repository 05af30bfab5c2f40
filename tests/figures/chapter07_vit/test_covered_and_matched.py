import numpy as np
import pytest
import torch
from matplotlib.colors import to_rgb

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.interpret import SeenPicture


def test_the_tile_that_counts_most_is_covered_first():
    falls = torch.tensor([[0.0, 0.1], [0.9, 0.5]])
    figure = figures.covered_tiles(torch.ones(1, 4, 4), falls, 7, 0.95)
    whole, first, second, third, last, _ = figure.axes
    assert whole.get_xlabel() == "“7”: 0.95"
    labels = [axes.get_xlabel() for axes in (first, second, third)]
    assert labels == ["“7”: 0.05", "“7”: 0.45", "“7”: 0.95"]
    corners = [axes.patches[0].get_xy() for axes in (first, second, third)]
    assert corners == [(-0.5, 1.5), (1.5, 1.5), (-0.5, -0.5)]
    pixels = first.get_images()[0].get_array()
    assert (pixels[2:, :2] == 1).all()  # white: covered
    assert pixels.sum() == 4
    assert last.get_images()[0].get_clim() == pytest.approx((0, 0.9))
    words = figures.describe_covered_tiles(torch.ones(1, 4, 4), falls, 7, 0.95)
    assert "row 1, column 0 0.05" in words
    assert "2 are above 0.1" in words


def grey(rows, columns):
    image = torch.full((3, 4 * rows, 4 * columns), 0.5)
    return SeenPicture("grey", image, torch.rand(rows, columns, 3), torch.rand(1, rows, columns))


def test_each_patch_has_the_colour_of_its_example_and_clicks_are_marked():
    pictures = [grey(2, 3), grey(3, 6)]
    numbers = [torch.tensor([[0, 1, 1], [0, 0, 1]]), torch.tensor([[1, 1, 1, 0, 0, 0]] * 3)]
    clicks = {"sky": (0, 1), "trees": (1, 0)}
    figure = figures.matched_parts(pictures, clicks, {"by vectors": numbers, "by colour": numbers})
    assert len(figure.axes) == 6
    photograph, first, by_colour, other, second, _ = figure.axes
    assert [axes.get_title() for axes in (photograph, first, by_colour, other)] == [
        *("2 clicks on grey", "by vectors", "by colour", "grey: no click")
    ]
    assert (photograph.get_images()[0].get_array() == 0.5).all()  # as it is
    pixels = first.get_images()[0].get_array()
    assert pixels.shape == (8, 12, 3)
    colours = [
        np.array(to_rgb(colour)) * 0.65 + 0.35 * 0.675 for colour in (style.ORANGE, style.BLUE)
    ]
    assert np.allclose(pixels[0, 0], colours[0])
    assert np.allclose(pixels[0, 4], colours[1])
    assert np.allclose(second.get_images()[0].get_array()[0, 0], colours[1])
    assert [text.get_text() for text in photograph.texts] == ["sky", "trees"]
    assert photograph.patches[0].get_xy() == (3.5, -0.5)
    assert not other.patches
    named = {text.get_text(): text.get_position() for text in second.texts}
    assert named == {"sky": (18, 6), "trees": (6, 6)}
    words = figures.describe_matched_parts(pictures, clicks, {"by vectors": numbers})
    assert words.endswith("grey, by vectors: sky 50%, trees 50%.")


def test_a_name_stands_inside_the_patches_it_names():
    ring = torch.ones(9, 6).long()
    ring[1:8, 1:5] = 0  # it is thick, and what is around it is not
    figure = figures.matched_parts([grey(9, 6)], {"in": (0, 0), "out": (1, 1)}, {"by": [ring]})
    named = {text.get_text(): text.get_position() for text in figure.axes[1].texts}
    column, row = (int(place // 4) for place in named["in"])
    assert 2 <= column <= 3
    assert 2 <= row <= 6
    assert "out" not in named  # too thin


def test_more_examples_than_colours_are_refused():
    clicks = {str(number): (0, 0) for number in range(7)}
    with pytest.raises(ShapeError, match="colours for 6 examples, got 7"):
        figures.matched_parts([grey(1, 1)], clicks, {})

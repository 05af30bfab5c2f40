import pytest
import torch
from torch.nn.functional import interpolate

from tutorial_lib.datasets import draw_strokes, like_mnist, load_mnist
from tutorial_lib.errors import ShapeError
from tutorial_lib.recipes import load_checkpoint
from tutorial_lib.recipes.mnist_vit import accuracy

ONE = [[(0.5, 0.2), (0.5, 0.8)]]


def middle(picture):
    places = torch.arange(28.0) + 0.5
    ink = picture[0]
    return (ink.sum(1) @ places / ink.sum()).item(), (ink.sum(0) @ places / ink.sum()).item()


def test_a_stroke_is_as_wide_as_the_pen_and_ends_round():
    ink = draw_strokes([[(0.25, 0.5), (0.75, 0.5)]], pen=0.1, size=100)
    assert ink[:, 50].sum() == pytest.approx(10, abs=0.6)
    # A bar of 50 x 10 and two half circles.
    assert ink.sum() == pytest.approx(500 + 3.14 * 25, rel=0.04)
    assert draw_strokes([]).sum() == 0
    assert draw_strokes([[]]).sum() == 0


def test_strokes_outside_leave_no_ink():
    assert draw_strokes([[(3.0, 3.0), (4.0, 5.0)]]).sum() == 0


@pytest.mark.parametrize("pen", [0, -1, 0.6, float("nan")])
def test_an_odd_pen_is_named(pen):
    with pytest.raises(ValueError, match=r"above 0 and up to 0.5, got"):
        draw_strokes(ONE, pen)


def test_place_and_size_of_the_drawing_do_not_matter():
    small = [[(0.1, 0.1), (0.1, 0.3), (0.25, 0.3)]]
    large = [[(3 * x + 0.1, 3 * y + 0.05) for x, y in small[0]]]
    first, second = (like_mnist(draw_strokes(s, pen)) for s, pen in ((small, 0.03), (large, 0.09)))
    assert (first - second).abs().mean() < 0.02
    assert middle(first) == pytest.approx((14, 14), abs=0.6)
    assert first.shape == (1, 28, 28)
    assert first.max() > 0.9


@pytest.mark.parametrize("stroke", [[(0.0, 0.5), (1.0, 0.5)], [(0.5, 0.0), (0.5, 1.0)]])
def test_the_longer_side_has_twenty_pixels(stroke):
    picture = like_mnist(draw_strokes([stroke]))
    rows, columns = ((picture[0].sum(axis) > 0.5).sum().item() for axis in (1, 0))
    assert max(rows, columns) == 20


def test_one_dot_becomes_a_large_one():
    assert like_mnist(draw_strokes([[(0.9, 0.9)]], pen=0.05)).sum() > 200


def test_nothing_drawn_and_other_shapes_are_named():
    with pytest.raises(ValueError, match="nothing is drawn"):
        like_mnist(torch.zeros(40, 40))
    with pytest.raises(ShapeError, match=r"ink must be \(height, width\)"):
        like_mnist(torch.zeros(1, 40, 40))


def test_digits_of_mnist_come_back_as_they_are():
    digits = load_mnist().test.select(slice(200))
    large = interpolate(digits.images, scale_factor=4, mode="bilinear")
    again = torch.stack([like_mnist(image[0]) for image in large])
    a_pixel_off = (digits.images.roll(1, dims=3) - digits.images).abs().mean()
    assert (again - digits.images).abs().mean() < a_pixel_off
    model = load_checkpoint("mnist-vit")
    assert accuracy(model, type(digits)(again, digits.labels)) > 0.94


@pytest.mark.parametrize("shape", [(90, 40), (200, 20), (7, 12)])
def test_a_drawing_is_reduced_as_pytorch_does_it(shape):
    ink = torch.rand(shape, generator=torch.Generator().manual_seed(0)) * 0.8 + 0.2
    scale = 20 / max(shape)
    size = [round(side * scale) for side in shape]
    small = interpolate(ink[None, None], size=size, mode="bilinear", antialias=True)[0, 0]
    picture = like_mnist(ink)[0]
    rows, columns = (picture.sum(axis).nonzero().flatten() for axis in (1, 0))
    torch.testing.assert_close(picture[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1], small)

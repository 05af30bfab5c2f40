import pytest
import torch

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.chapter07_vit.pictures import _sheet


def smooth_and_rough():
    generator = torch.Generator().manual_seed(0)
    rough = torch.randn(9, 49, generator=generator)
    steps = torch.arange(7.0)
    slopes = torch.randn(9, 2, generator=generator)
    smooth = slopes[:, :1, None] * steps[:, None] + slopes[:, 1:, None] * steps
    return smooth.flatten(1), rough


def neighbours(axes):
    return float(axes.get_title().split(": ")[1].rstrip(")"))


def test_filters_stand_beside_what_training_added():
    smooth, rough = smooth_and_rough()
    figure = figures.vit_filters(rough + smooth / 50, rough)
    assert neighbours(figure.axes[0]) < 0.2
    assert neighbours(figure.axes[1]) > 0.9
    other = figures.vit_filters(smooth + rough / 50, smooth)
    assert neighbours(other.axes[0]) > 0.9
    assert neighbours(other.axes[1]) < 0.2


def test_neighbours_count_in_both_directions():
    stripes = torch.tensor([[1.0, -1, 1], [1, -1, 1], [1, -1, 1]])
    for pattern in (stripes, stripes.T):  # one way opposite, the other alike
        weight = pattern.flatten()[None].expand(4, -1)
        assert abs(neighbours(figures.vit_filters(weight, 0 * weight).axes[0])) < 0.2


def test_the_title_is_in_the_alt_text_with_how_far_the_filters_moved():
    smooth, rough = smooth_and_rough()
    smooth *= rough.norm() / smooth.norm() / 4
    title = figures.vit_filters(rough + smooth, rough).get_suptitle()
    words = figures.describe_vit_filters(rough + smooth, rough)
    assert title in words
    assert "9 filters of 7 x 7" in words
    assert "0.25 times as long" in words


def test_tiles_stand_row_by_row():
    tiles = torch.zeros(3, 3, 2, 2)
    tiles[:, 0] = torch.tensor([-1.0, 0, 1])[:, None, None]
    sheet = _sheet(tiles.numpy())
    assert sheet.shape == (5, 5, 3)
    assert [sheet[0, 0, 0], sheet[0, 3, 0], sheet[3, 0, 0]] == [0, 0.5, 1]
    assert sheet[4, 4].tolist() == sheet[2, 2].tolist()  # the card: no fourth tile
    assert _sheet(tiles[:, :1].numpy()).shape == (5, 5, 3)


@pytest.mark.parametrize("draw", [figures.vit_filters, figures.describe_vit_filters])
def test_other_weights_are_refused(draw):
    with pytest.raises(ShapeError, match=r"P of 2 or more, got \(4, 10\) with 1"):
        draw(torch.zeros(4, 10), torch.zeros(4, 10))
    with pytest.raises(ShapeError, match=r"got \(4, 49\) with 3"):
        draw(torch.zeros(4, 49), torch.zeros(4, 49), channels=3)
    with pytest.raises(ShapeError, match=r"\(4, 49\) cannot have begun as \(5, 49\)"):
        draw(torch.zeros(4, 49), torch.zeros(5, 49))


IMAGES = torch.arange(4.0).view(4, 1, 1, 1).expand(4, 1, 28, 28) / 4
LABELS = torch.tensor([0, 1, 2, 0])
SAID = torch.tensor([[0.2, 0.5, 0.3], [0.1, 0.8, 0.1], [0.95, 0.05, 0.0], [0.6, 0.2, 0.2]])


def test_mistakes_are_shown_the_surest_first():
    figure = figures.misread_digits(IMAGES, LABELS, SAID)
    shown = [axes for axes in figure.axes if axes.images]
    assert [axes.get_title() for axes in shown] == ["is 2, read 0 (.95)", "is 0, read 1 (.50)"]
    assert not any(len(axes.get_xticks()) or len(axes.get_yticks()) for axes in shown)
    assert [axes.images[0].get_array()[0, 0] for axes in shown] == [0.5, 1.0]  # ink is dark
    words = figures.describe_misread_digits(IMAGES, LABELS, SAID)
    assert words.endswith("The surest: is 2, read 0 (.95); is 0, read 1 (.50).")
    assert figure.get_suptitle() in words


def test_the_title_counts_all_even_those_not_shown():
    title = "2 of 4 digits misread, 1 of them with 0.90 or more on a wrong digit"
    figure = figures.misread_digits(IMAGES, LABELS, SAID, most=1)
    assert figure.get_suptitle() == title
    assert len([axes for axes in figure.axes if axes.images]) == 1
    other = figures.misread_digits(IMAGES[:1], LABELS[:1], SAID[:1])
    assert other.get_suptitle().startswith("1 of 1 digits misread, 0 of them")


@pytest.mark.parametrize("draw", [figures.misread_digits, figures.describe_misread_digits])
def test_what_cannot_be_misread_is_named(draw):
    with pytest.raises(ShapeError, match="none of the 1 digits is misread"):
        draw(IMAGES[1:2], LABELS[1:2], SAID[1:2])
    with pytest.raises(ShapeError, match=r"4 images need as many labels .*, got 3 and 4"):
        draw(IMAGES, LABELS[:3], SAID)
    with pytest.raises(ShapeError, match=r"got \(4, 1, 784\) and \(4, 3\)"):
        draw(IMAGES.flatten(2), LABELS, SAID)
    with pytest.raises(ShapeError, match=r"got \(4, 3, 28, 28\)"):
        draw(IMAGES.expand(4, 3, 28, 28), LABELS, SAID)
    with pytest.raises(ShapeError, match=r"and \(3,\)"):
        draw(IMAGES, LABELS, SAID[0])

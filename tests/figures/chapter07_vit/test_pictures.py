import pytest
import torch

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError

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
    assert figure.get_suptitle() == f"{title}: the 1 surest"
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

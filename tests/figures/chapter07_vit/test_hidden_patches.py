import pytest
import torch

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.chapter07_vit.hidden_patches import class_colours
from tutorial_lib.objectives import mean_colours


def quarters():
    """A picture of 4 x 4 in patches of 2: white, white, white, pure red."""
    image = torch.ones(1, 3, 4, 4)
    image[0, 1:, 2:, 2:] = 0
    return image


RED, WHITE = 448, 511
ALL = torch.ones(1, 4, dtype=torch.bool)


@pytest.mark.parametrize("bits", [1, 2, 3])
def test_a_class_and_its_colour_belong_together(bits):
    classes = torch.arange(8**bits)
    colours = class_colours(classes, bits)
    assert colours.min() == 0
    assert colours.max() == 1
    pictures = colours[:, :, None, None].expand(-1, 3, 2, 2)
    assert torch.equal(mean_colours(pictures, 2, bits)[:, 0], classes)


def test_the_stages_show_what_is_kept_hidden_guessed_and_true():
    torch.manual_seed(0)
    images = torch.rand(2, 3, 8, 8)
    hidden = torch.zeros(2, 4, dtype=torch.bool)
    hidden[0, 1] = hidden[1, 2] = True  # top right; bottom left
    guesses = torch.full((2, 4), RED)
    figure = figures.filled_emoji(images, hidden, guesses, 4)
    assert not any(len(axes.get_xticks()) or len(axes.get_yticks()) for axes in figure.axes)
    stages = [torch.tensor(axes.images[0].get_array().data) for axes in figure.axes]
    whole, gets, fills, true = (stages[i] for i in (0, 2, 4, 6))  # of the first picture
    torch.testing.assert_close(whole, images[0].permute(1, 2, 0))
    for changed in (fills, true):
        torch.testing.assert_close(changed[:, :4], whole[:, :4])
        torch.testing.assert_close(changed[4:], whole[4:])
        assert changed[:4, 4:].flatten(0, 1).unique(dim=0).shape == (1, 3)
    assert fills[0, 7].tolist() == [1, 0, 0]
    torch.testing.assert_close(gets, whole)
    (hatched,) = figure.axes[2].patches
    assert (hatched.get_xy(), hatched.get_hatch()) == ((3.5, -0.5), "////")
    own = class_colours(mean_colours(images, 4)[0, 1])
    torch.testing.assert_close(true[0, 7], own)
    assert stages[5][7, 0].tolist() == [1, 0, 0]  # of the second picture


@pytest.mark.parametrize(
    ("guess", "said", "each"),
    [
        (WHITE, "3 of 4 hidden patches right, 0 of the 1 not white",
         "3 of 4 right (dots)"),
        (RED, "1 of 4 hidden patches right, 1 of the 1 not white",
         "1 of 4 right (dots)"),
    ],
)  # fmt: skip
def test_the_right_ones_are_counted(guess, said, each):
    guesses = torch.full((1, 4), guess)
    figure = figures.filled_emoji(quarters(), ALL, guesses, 2)
    assert figure.get_suptitle() == said
    assert figure.axes[2].get_xlabel() == each
    assert len(figure.axes[2].lines) == int(each[0])  # a dot each
    assert said in figures.describe_filled_emoji(quarters(), ALL, guesses, 2)


def test_only_hidden_patches_count():
    hidden = torch.tensor([[True, False, False, False]])
    guesses = torch.tensor([[0, WHITE, WHITE, RED]])
    title = figures.filled_emoji(quarters(), hidden, guesses, 2).get_suptitle()
    assert title == "0 of 1 hidden patches right"


def test_another_commonest_colour_is_not_called_white():
    black = 1 - torch.ones(1, 3, 4, 4)
    black[..., :2, :2] = 1
    title = figures.filled_emoji(black, ALL, torch.zeros(1, 4).long(), 2).get_suptitle()
    assert title.endswith("0 of the 1 not the commonest colour")


@pytest.mark.parametrize("draw", [figures.filled_emoji, figures.describe_filled_emoji])
def test_what_does_not_fit_is_named(draw):
    guesses = torch.zeros(1, 4).long()
    with pytest.raises(ShapeError, match=r"\(N, 3, height, width\), got \(1, 1, 4, 4\)"):
        draw(quarters()[:, :1], ALL, guesses, 2)
    with pytest.raises(ShapeError, match=r"hidden must have one entry a patch, \(1, 4\), got"):
        draw(quarters(), ALL[:, :3], guesses, 2)
    with pytest.raises(ShapeError, match=r"guesses must have one entry a patch, .*got \(4,\)"):
        draw(quarters(), ALL, guesses[0], 2)
    with pytest.raises(ShapeError, match="bool with a True in it"):
        draw(quarters(), ~ALL, guesses, 2)
    with pytest.raises(ShapeError, match=r"got torch\.int64"):
        draw(quarters(), ALL.long(), guesses, 2)

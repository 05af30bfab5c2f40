import pytest
import torch

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.interpret import rollout


def left_half():
    """A digit of 8 x 8 whose ink is in the two patches of 4 x 4 at the left."""
    image = torch.zeros(1, 8, 8)
    image[0, :, :4] = 1
    return image


def heads(*patches, n_tokens=5, by=0):
    """One layer in which [CLS] looks at one patch with each head, half at itself."""
    weights = torch.full((len(patches), n_tokens, n_tokens), 1 / n_tokens)
    for head, patch in enumerate(patches):
        weights[head, by] = 0
        weights[head, by, 1 + patch] = 0.5
        weights[head, by, 0] = 0.5
    return weights


def test_rollout_stands_beside_the_last_layer():
    torch.manual_seed(0)
    maps = [torch.rand(1, 2, 5, 5).softmax(-1) for _ in range(3)]
    figure = figures.rollout_against(left_half(), maps, 4)
    shown = [axes.images[0].get_array().ravel() for axes in figure.axes[1:3]]
    wanted = [maps[-1].mean(1), rollout(maps)]
    for tiles, matrix in zip(shown, wanted, strict=True):
        row = matrix[0, 0, 1:]
        torch.testing.assert_close(torch.tensor(tiles.data), row / row.sum())


def test_the_rollouts_in_words_for_two_pictures():
    maps = [heads(0, 0)[None], heads(1, 1)[None]]
    for image, last in ((left_half(), "0.00"), (left_half().flip(-1), "1.00")):
        title = figures.rollout_against(image, maps, 4).get_suptitle()
        assert title.startswith(f"On patches with ink: last layer {last}, rollout ")
        assert title.endswith("(uniform: 0.50)")
        assert title in figures.describe_rollout_against(image, maps, 4)


def test_the_patches_of_the_checkpoint_fit():
    weights = torch.full((1, 4, 50, 50), 0.02)
    figure = figures.rollout_against(torch.rand(1, 28, 28), [weights], 7, overlap=3)
    assert figure.axes[1].images[0].get_array().shape == (7, 7)
    assert "patches overlap" in figure.get_supxlabel()


def test_without_cls_the_mean_of_the_patches_looks():
    rows = [[0.7, 0.1, 0.1, 0.1], [0.3, 0.5, 0.1, 0.1], [0.1, 0.1, 0.7, 0.1], [0.1, 0.5, 0.3, 0.1]]
    weights = torch.tensor([[rows]])  # (1, H, T, T): a row is what one patch looks at
    figure = figures.rollout_against(left_half(), [weights], 4, pooling="mean")
    shares = figure.axes[1].images[0].get_array().ravel().tolist()
    assert shares == pytest.approx([0.3, 0.3, 0.3, 0.1])
    words = figures.describe_rollout_against(left_half(), [weights], 4, pooling="mean")
    assert "the mean of all patches" in words


@pytest.mark.parametrize("draw", [figures.rollout_against, figures.describe_rollout_against])
def test_another_pooling_is_named(draw):
    weights = [torch.full((1, 1, 4, 4), 0.25)]  # as of the mean, without [CLS]
    draw(left_half(), weights, 4, pooling="mean")
    with pytest.raises(ValueError, match="pooling must be one of 'cls', 'mean', got 'avg'"):
        draw(left_half(), weights, 4, pooling="avg")


@pytest.mark.parametrize("draw", [figures.rollout_against, figures.describe_rollout_against])
def test_other_maps_are_refused(draw):
    with pytest.raises(ShapeError, match="no layer"):
        draw(left_half(), [], 4)
    with pytest.raises(ShapeError, match="maps of one picture, got those of 2"):
        draw(left_half(), [torch.ones(2, 1, 5, 5)], 4)
    with pytest.raises(ShapeError, match=r"need weights \(H, 5, 5\)"):
        draw(left_half(), [torch.ones(1, 1, 6, 6)], 4)

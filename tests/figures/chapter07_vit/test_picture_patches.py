import numpy as np
import pytest
import torch

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.chapter07_vit.picture_patches import _apart, patch_cost, patch_sizes
from tutorial_lib.models import ViTConfig


def test_the_cost_is_that_of_the_model():
    for size in (14, 16, 32):
        assert patch_cost(224, size).tokens == ViTConfig(patch_size=size).n_patches
    assert patch_cost(28, 7, channels=1) == (16, 49, 256)
    assert patch_sizes(224) == (4, 7, 8, 14, 16, 28, 32, 56, 112, 224)


def test_patches_are_pulled_apart_and_none_is_lost():
    torch.manual_seed(0)
    image = torch.rand(3, 12, 12)
    apart = _apart(image, 4, None)
    assert apart.shape == (14, 14, 4)  # two gaps of one pixel
    kept = np.delete(np.delete(apart, [4, 9], axis=0), [4, 9], axis=1)
    np.testing.assert_allclose(kept[..., :3], image.permute(1, 2, 0))
    assert (kept[..., 3] == 1).all()
    assert apart[..., 3].sum() == 12 * 12  # the gaps let the card through
    swapped = _apart(image, 4, [8, 1, 2, 3, 4, 5, 6, 7, 0])
    np.testing.assert_allclose(swapped[:4, :4], apart[10:, 10:])
    np.testing.assert_allclose(swapped[5:9, 5:9], apart[5:9, 5:9])


@pytest.mark.parametrize("side", [28, 224])
def test_every_size_is_drawn_into_one_figure(side):
    image, figure = torch.full((1, side, side), 0.5), None
    for size in patch_sizes(side):
        figure = figures.patch_sequence(image, size, figure=figure)
        assert figure.get_suptitle().startswith(f"Patches of {size}: ")
        assert len(figure.axes) == 2
    assert figure.get_suptitle() == f"Patches of {side}: 1 token"


def test_it_can_be_read_aloud():
    words = figures.describe_patch_sequence(torch.zeros(3, 224, 224), 16, range(196))
    assert "14 x 14 patches of 16, in another order: 196 tokens" in words
    assert "38,416 weights" in words


def test_what_does_not_fit_is_named():
    with pytest.raises(ShapeError, match="patches of 5 do not fill a side of 28"):
        figures.patch_sequence(torch.zeros(1, 28, 28), 5)
    with pytest.raises(ShapeError, match=r"\(1 or 3, side, side\), got shape \(28, 28\)"):
        figures.patch_sequence(torch.zeros(28, 28), 7)
    with pytest.raises(ShapeError, match="16 patches need an order as long, got 3"):
        figures.patch_sequence(torch.zeros(1, 28, 28), 7, [0, 1, 2])

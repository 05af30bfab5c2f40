import numpy as np
import pytest
import torch

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError


def test_each_patch_is_above_its_vector():
    image, vectors = torch.zeros(1, 4, 4), torch.arange(40.0).view(5, 8)
    image[0, :2, 2:] = 1  # patch 1, token 2
    above, below, _ = figures.token_row(image, 2, vectors).axes
    pictures = above.get_images()
    assert [int((1 - each.get_array()).sum()) for each in pictures] == [0, 4, 0, 0]
    assert np.mean(pictures[1].get_extent()[:2]) == 2
    assert (np.asarray(below.get_images()[0].get_array()) == vectors.numpy().T).all()
    with pytest.raises(ShapeError, match=r"expected 5 vectors, \[CLS\] and 4 patches, got 4"):
        figures.token_row(image, 2, vectors[1:])


def test_filters_lie_side_by_side_on_scales_of_their_own():
    weight = torch.stack([torch.eye(2).flatten(), -4 * torch.eye(2).flatten(), torch.ones(4)])
    sheet = figures.patch_filters(weight, n_across=2).axes[0].get_images()[0].get_array()
    assert sheet.shape == (5, 5)
    assert (sheet[:2, :2] == np.eye(2)).all()
    assert (sheet[:2, 3:] == -np.eye(2)).all()
    assert (sheet[3:, :2] == 1).all()
    assert np.isnan(np.ma.filled(sheet, np.nan)[3:, 3:]).all()
    with pytest.raises(ShapeError, match="the numbers of a square of 1 channels, got 5"):
        figures.patch_filters(torch.ones(3, 5))


def test_filters_of_three_channels_are_in_colour():
    red = torch.tensor([[1.0] * 4 + [0.0] * 8])  # by channel
    figure = figures.patch_filters(red, channels=3, n_across=1)
    sheet = figure.axes[0].get_images()[0].get_array()
    assert (sheet == [1, 0.5, 0.5]).all()

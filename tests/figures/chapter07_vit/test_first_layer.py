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

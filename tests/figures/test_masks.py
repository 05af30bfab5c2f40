import numpy as np
import pytest
import torch

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError


def test_weights_of_the_causal_row_with_a_fourfold_score():
    mask = np.tril(np.ones((4, 4), bool))
    scores = np.full((4, 4), 7.0)
    scores[1] = [np.log(4), 0, 9, 9]
    weights = figures.masked_weights(mask, scores)
    np.testing.assert_allclose(weights[1], [0.8, 0.2, 0, 0])
    figure = figures.mask_grid(mask, ["a", "b", "c", "d"], weights)
    shown = [text.get_text() for text in figure.axes[0].texts]
    assert shown[1:3] == ["80%", "20%"]
    assert figure.get_suptitle() == "10 of 16 pairs may look at each other"


def test_weights_equal_torch_on_random_masks():
    generator = torch.Generator().manual_seed(0)
    mask = torch.rand(6, 9, generator=generator) > 0.4
    mask[:, 0] = True
    scores = torch.randn(6, 9, generator=generator, dtype=torch.float64)
    expected = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    np.testing.assert_allclose(figures.masked_weights(mask, scores), expected)


def test_a_row_without_keys_is_zero_and_said():
    mask = torch.tensor([[True, True], [False, False]])
    assert figures.masked_weights(mask)[1].tolist() == [0, 0]
    assert figures.mask_grid(mask).get_suptitle() == "Query 2 sees no key at all"


def test_names_of_queries_and_keys_can_differ():
    figure = figures.mask_grid(np.ones((2, 3)), (["q", "r"], ["x", "y", "z"]))
    assert [t.get_text() for t in figure.axes[0].get_xticklabels()] == ["x", "y", "z"]


def test_what_does_not_fit_is_named():
    with pytest.raises(ShapeError, match="2 queries and 3 keys need as many labels, got 2 and 2"):
        figures.mask_grid(np.ones((2, 3)), ["a", "b"])
    with pytest.raises(ShapeError, match=r"got shape \(3,\)"):
        figures.masked_weights([True] * 3)
    with pytest.raises(ShapeError, match=r"scores have shape \(1, 2\)"):
        figures.masked_weights([[True]], [[1, 2]])
    with pytest.raises(ShapeError, match=r"weights have shape \(1, 2\)"):
        figures.mask_grid([[True]], weights=[[1, 0]])

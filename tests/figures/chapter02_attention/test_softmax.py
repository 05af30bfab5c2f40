import numpy as np
import pytest
import torch

from tutorial_lib import figures
from tutorial_lib.attention import attention
from tutorial_lib.errors import ShapeError


def test_the_stages_end_where_attention_ends():
    torch.manual_seed(0)
    q, k, v = torch.randn(3), torch.randn(4, 3), torch.randn(4, 2)
    out, weights = attention(q.view(1, 1, 1, 3), k.view(1, 1, 4, 3), v.view(1, 1, 4, 2))
    stages = figures.softmax_stages(q, k, v)
    np.testing.assert_allclose(stages.weights, weights.flatten(), rtol=1e-5)
    np.testing.assert_allclose(stages.mixed, out.flatten(), rtol=1e-5)


def test_scale_and_temperature_divide_the_scores():
    q, k, v = [2.0, 0, 0, 0], [[3.0, 0, 0, 0], [0, 1, 0, 0]], [[1], [2]]
    assert figures.softmax_stages(q, k, v).scaled[0] == 3
    assert figures.softmax_stages(q, k, v, scale=False).scaled[0] == 6
    assert figures.softmax_stages(q, k, v, scale=False, temperature=2).scaled[0] == 3


def test_huge_scores_stay_finite():
    stages = figures.softmax_stages([1e9], [[1e9], [1.0]], [[1.0], [2.0]])
    assert stages.weights.tolist() == [1, 0]
    figures.softmax_steps([1e9], [[1e9], [1.0]], [[1.0], [2.0]])


def test_what_does_not_fit_is_named():
    with pytest.raises(ShapeError, match=r"got \(2,\) and \(1, 3\)"):
        figures.softmax_stages([1, 2], [[1, 2, 3]], [[1]])
    with pytest.raises(ShapeError, match="S = 1 keys"):
        figures.softmax_stages([1], [[1]], [[1], [2]])
    with pytest.raises(ValueError, match="temperature must be above 0, got 0"):
        figures.softmax_stages([1], [[1]], [[1]], temperature=0)
    with pytest.raises(ShapeError, match="finite numbers"):
        figures.softmax_stages([float("nan")], [[1]], [[1]])
    with pytest.raises(ShapeError, match="1 keys need 1 labels, got 2"):
        figures.softmax_steps([1], [[1]], [[1]], labels=["a", "b"])


def test_the_division_is_drawn_on_one_scale():
    figure = figures.softmax_steps([2.0, 0, 0, 0], [[2.0, 0, 0, 0], [1, 0, 0, 0]], [[1], [0]])
    limits = [axes.get_xlim() for axes in figure.axes]
    assert limits[0] == limits[1]
    assert limits[2] == limits[3]


def test_the_figure_says_who_wins():
    figure = figures.softmax_steps([1, 0], [[0, 1], [5, 0]], [[1], [-3]], labels=["it", "cat"])
    assert figure.get_suptitle() == "cat gets 97% of the weight"
    assert len(figure.axes) == 5

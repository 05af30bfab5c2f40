import numpy as np
import pytest
import torch

from tutorial_lib import figures
from tutorial_lib.figures.chapter02_attention.head_width import WIDTHS


@pytest.mark.parametrize("d", [4, 64, 512])
def test_dot_products_spread_like_the_square_root_of_d(d):
    assert figures.measure_saturation(d, 64).deviation == pytest.approx(d**0.5, rel=0.1)


def test_width_saturates_and_scaling_cures_it():
    plain = [figures.measure_saturation(d) for d in (8, 64, 512)]
    scaled = [figures.measure_saturation(d, scaled=True) for d in (8, 64, 512)]
    assert plain[0].largest < plain[1].largest < plain[2].largest
    assert plain[0].gradient > plain[1].gradient > plain[2].gradient
    assert np.ptp([point.largest for point in scaled]) < 0.1
    growth = [figures.measure_saturation(d).gradient for d in WIDTHS]
    assert growth == sorted(growth, reverse=True)  # at small widths, too


def test_the_gradient_adds_up_how_fast_weights_grow_with_their_own_scores():
    # Three keys a query and seed 0, worked out again by automatic differentiation.
    random = np.random.default_rng((0, 2))
    q, k = random.standard_normal((64, 1, 2)), random.standard_normal((64, 64, 2))[:, :3]
    growth = [
        torch.autograd.functional.jacobian(lambda s: s.softmax(0), scores).trace()
        for scores in torch.tensor((q * k).sum(-1))
    ]
    measured = figures.measure_saturation(2, 3).gradient
    assert measured == pytest.approx(float(torch.stack(growth).mean()))


def test_the_same_seed_gives_the_same_picture():
    one, two = (figures.measure_saturation.__wrapped__(16, 8, False, 3) for _ in range(2))
    np.testing.assert_array_equal(one.weights, two.weights)
    other = figures.measure_saturation(16, 8, False, 4)
    assert not np.array_equal(one.weights, other.weights)


@pytest.mark.parametrize("n_keys", [2, 64])
def test_every_width_can_be_drawn_into_one_figure(n_keys):
    figure = None
    for d in WIDTHS:
        figure = figures.saturation(d, n_keys, scaled=True, figure=figure)
        assert f"d = {d}," in figure.get_suptitle()
        assert len(figure.axes) == 2


def test_impossible_settings_are_named():
    with pytest.raises(ValueError, match="got d=0 and n_keys=4"):
        figures.saturation(0, 4)


def test_the_entropy_of_scaled_scores_does_not_depend_on_the_width():
    curves = {
        "scaled": lambda q, k: (q @ k.T / q.size(-1) ** 0.5).softmax(-1),
        "not scaled": lambda q, k: (q @ k.T).softmax(-1),
    }
    scaled, not_scaled = (
        line.get_ydata() for line in figures.entropy_over_width(curves).axes[0].lines[:2]
    )
    assert max(scaled) - min(scaled) < 0.1
    assert not_scaled[-1] < 1 < not_scaled[0]
    assert "not scaled 5." in figures.describe_entropy_over_width(curves)

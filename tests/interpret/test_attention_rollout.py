import pytest
import torch
from torch.testing import assert_close

from tutorial_lib.errors import ShapeError
from tutorial_lib.interpret import rollout


def random_maps(n_layers, generator_seed=0, size=5):
    torch.manual_seed(generator_seed)
    return [torch.randn(2, 3, size, size).softmax(-1) for _ in range(n_layers)]


def test_one_layer_is_half_the_token_and_half_what_it_looks_at():
    (weights,) = random_maps(1)
    assert_close(rollout([weights]), (weights.mean(1) + torch.eye(5)) / 2)
    assert_close(rollout([weights], identity=False), weights.mean(1))


def test_paths_are_followed_back_from_the_last_layer():
    first, second = torch.zeros(1, 1, 3, 3), torch.zeros(1, 1, 3, 3)
    first[..., 0] = 1  # all look at token 0
    second[..., 1] = 1  # all look at place 1, which has seen token 0
    assert_close(rollout([first, second], identity=False)[0, :, 0], torch.ones(3))
    # By hand: place 2 keeps half of itself and takes half of place 1, each half token 0 by then.
    assert_close(rollout([first, second])[0, 2], torch.tensor([0.5, 0.25, 0.25]))


def test_rows_sum_to_one_and_layers_do_not_commute():
    maps = random_maps(4)
    for identity in (True, False):
        assert_close(rollout(maps, identity).sum(-1), torch.ones(2, 5))
    assert not torch.allclose(rollout(maps), rollout(maps[::-1]))


def test_the_identity_keeps_a_token_visible():
    maps = random_maps(6)
    kept = rollout(maps).diagonal(dim1=1, dim2=2).mean()
    lost = rollout(maps, identity=False).diagonal(dim1=1, dim2=2).mean()
    assert kept > lost


@pytest.mark.parametrize(
    "maps",
    [
        [],
        [torch.ones(1, 1, 2, 3)],
        [torch.ones(1, 2, 2)],
        [torch.ones(1, 1, 2, 2), torch.ones(1, 1, 3, 3)],
    ],
)
def test_other_shapes_are_named(maps):
    with pytest.raises(ShapeError, match=r"expected layers of one shape \(B, H, T, T\), got"):
        rollout(maps)

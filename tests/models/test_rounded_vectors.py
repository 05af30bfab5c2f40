import pytest
import torch

from tutorial_lib.errors import ShapeError
from tutorial_lib.models import RoundedVectors


@pytest.fixture
def vectors():
    generator = torch.Generator().manual_seed(0)
    return torch.nn.functional.normalize(torch.randn(200, 48, generator=generator), dim=-1)


def test_rounding_moves_nothing_by_more_than_half_a_step(vectors):
    table = RoundedVectors.of(vectors)
    assert table.numbers.dtype == torch.int8
    assert table.numbers.abs().max() == 127
    error = (table.vectors(torch.arange(200)) - vectors).abs().max()
    assert error <= 0.501 * table.scale
    assert len(table) == 200


def test_the_nearest_is_found_in_order(vectors):
    table = RoundedVectors.of(vectors)
    cosines, rows = table.nearest(vectors[7], n=5)
    exact = vectors @ vectors[7]
    assert rows[0] == 7
    torch.testing.assert_close(cosines, exact[rows], atol=2e-2, rtol=0)
    assert (cosines.diff() <= 0).all()
    assert len(table.nearest(vectors[7], n=999)[1]) == 200


def test_it_is_stored_and_loaded_as_a_model(vectors, tmp_path):
    table = RoundedVectors.of(vectors, places=torch.arange(200) * 3)
    table.float().save(tmp_path / "table.safetensors")
    again = RoundedVectors.load(tmp_path / "table.safetensors")
    assert again.numbers.dtype == torch.int8
    assert torch.equal(again.numbers, table.numbers)
    assert torch.equal(again.places, torch.arange(200, dtype=torch.int32) * 3)
    assert torch.equal(again.cosines(vectors[0]), table.cosines(vectors[0]))


def test_shapes_are_checked(vectors):
    with pytest.raises(ShapeError, match="with N places"):
        RoundedVectors.of(vectors, places=[1, 2])
    with pytest.raises(ShapeError, match="with N places"):
        RoundedVectors.of(vectors[0])
    with pytest.raises(ShapeError, match=r"query must be \(48,\)"):
        RoundedVectors.of(vectors).cosines(vectors)

import math

import pytest
import torch
from torch.testing import assert_close

from tutorial_lib.errors import ContextError, ShapeError
from tutorial_lib.positions import LearnedPositions, sinusoidal


def test_sinusoids_follow_the_formula():
    table = sinusoidal(50, 16)
    assert table.shape == (50, 16)
    for position, pair in [(0, 0), (1, 0), (7, 3), (49, 7)]:
        angle = position / 10_000 ** (2 * pair / 16)
        assert table[position, 2 * pair].item() == pytest.approx(math.sin(angle), abs=1e-6)
        assert table[position, 2 * pair + 1].item() == pytest.approx(math.cos(angle), abs=1e-6)


def test_dot_product_depends_on_the_offset_only():
    table = sinusoidal(200, 64).double()
    near = (table[3] * table[10]).sum()
    assert_close(near, (table[150] * table[157]).sum(), atol=1e-5, rtol=1e-5)


def test_odd_width_is_refused():
    with pytest.raises(ShapeError, match="must be even, got 5"):
        sinusoidal(3, 5)


def test_learned_positions_start_anywhere_and_end_with_the_context():
    positions = LearnedPositions(context=6, d_model=4)
    assert torch.equal(positions(2, start=3), positions(6)[3:5])
    with pytest.raises(ContextError, match="7 tokens long, the context of this model holds 6"):
        positions(7)
    with pytest.raises(ContextError, match="7 tokens long"):
        positions(1, start=6)

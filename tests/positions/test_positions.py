import math

import pytest
import torch
from torch.testing import assert_close
from torch.utils._python_dispatch import TorchDispatchMode

from tutorial_lib.attention import KVCache, MultiHeadAttention, RotaryAttention
from tutorial_lib.errors import ContextError, ShapeError
from tutorial_lib.models.blocks import Block
from tutorial_lib.positions import (
    LearnedGrid,
    LearnedPositions,
    RelativeGrid,
    RelativePositions,
    SinusoidalPositions,
    T5Positions,
    alibi,
    alibi_slopes,
    rotate,
    sinusoidal,
    sinusoidal_grid,
    t5_bucket,
    turning_angles,
)


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


def test_sinusoids_need_no_float64_on_their_device():
    class NoDoubles(TorchDispatchMode):  # as on Apple's GPUs
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            made = function(*args, **(kwargs or {}))
            if made.is_meta and made.dtype == torch.float64:
                raise TypeError("this device has no float64")
            return made

    with NoDoubles():
        table = sinusoidal(3, 4, device="meta")
    assert (table.device.type, table.dtype, table.shape) == ("meta", torch.float32, (3, 4))


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


# --- two-dimensional ------------------------------------------------------------------------


def test_a_grid_puts_row_and_column_side_by_side():
    grid = sinusoidal_grid(3, 5, 8)
    assert grid.shape == (15, 8)
    assert torch.equal(grid[2 * 5 + 4], torch.cat([sinusoidal(3, 4)[2], sinusoidal(5, 4)[4]]))
    learned = LearnedGrid(n_rows=3, n_columns=5, d_model=8)
    cell = torch.cat([learned.rows[1], learned.columns[3]])
    assert torch.equal(learned()[1 * 5 + 3], cell)
    with pytest.raises(ShapeError, match="multiple of 4, got 6"):
        sinusoidal_grid(2, 2, 6)
    with pytest.raises(ShapeError, match="half the width each, got d_model 5"):
        LearnedGrid(2, 2, 5)


def test_a_relative_grid_depends_on_the_step_between_cells_only():
    positions = RelativeGrid(n_heads=2, n_rows=3, n_columns=4, n_extra=1)
    torch.nn.init.normal_(positions.weight)
    bias = positions()
    assert bias.shape == (2, 13, 13)
    assert not bias[:, 0].any()
    assert not bias[:, :, 0].any()
    for query in range(12):
        for key in range(12):
            down, right = key // 4 - query // 4, key % 4 - query % 4
            expected = positions.weight[:, down + 2, right + 3]
            assert torch.equal(bias[:, 1 + query, 1 + key], expected)


def test_sinusoids_of_a_module_are_not_learned_and_not_saved():
    positions = SinusoidalPositions(context=6, d_model=4)
    assert not list(positions.parameters())
    assert not positions.state_dict()
    with pytest.raises(ContextError, match="7 tokens long, the context of this model holds 6"):
        positions(2, start=5)


# --- distances ------------------------------------------------------------------------------


@pytest.mark.parametrize("n_queries", [7, 3, 1])
def test_queries_of_a_bias_are_the_last_ones(n_queries):
    schemes = [RelativePositions(3, max_distance=4), T5Positions(3, n_buckets=8, max_distance=9)]
    for scheme in schemes:
        torch.nn.init.normal_(scheme.weight)
        assert torch.equal(scheme(n_queries, 7), scheme(7)[:, -n_queries:])
    assert torch.equal(alibi(3, n_queries, 7), alibi(3, 7)[:, -n_queries:])


def test_relative_positions_hold_a_number_for_each_offset_and_head():
    positions = RelativePositions(n_heads=2, max_distance=3)
    assert positions.weight.shape == (2, 7)
    assert not positions(5).any()  # nothing is known before training
    torch.nn.init.normal_(positions.weight)
    bias = positions(9)
    for query, key in [(0, 0), (4, 2), (2, 4), (0, 8), (8, 0)]:
        offset = max(-3, min(3, key - query))
        assert torch.equal(bias[:, query, key], positions.weight[:, offset + 3])
    with pytest.raises(ShapeError, match="max_distance must be at least 1, got 0"):
        RelativePositions(2, 0)


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize(("n_buckets", "max_distance"), [(32, 128), (8, 20), (64, 1000)])
def test_t5_buckets_equal_transformers(causal, n_buckets, max_distance):
    t5 = pytest.importorskip("transformers.models.t5.modeling_t5")
    offset = torch.arange(-1500, 1501)
    theirs = t5.T5Attention._relative_position_bucket(
        offset, bidirectional=not causal, num_buckets=n_buckets, max_distance=max_distance
    )
    assert torch.equal(t5_bucket(offset, n_buckets, max_distance, causal), theirs)


def test_t5_positions_share_a_number_in_a_bucket():
    positions = T5Positions(n_heads=2, causal=True)
    torch.nn.init.normal_(positions.weight)
    bias = positions(200)
    assert torch.equal(bias[:, 199, 0], bias[:, 199, 20])  # 199 and 179 tokens back
    assert torch.equal(bias[:, 3, 1], positions.weight[:, 2])
    with pytest.raises(ShapeError, match="6 buckets up to a distance of 128 do not work"):
        T5Positions(2, n_buckets=6)
    with pytest.raises(ShapeError, match="32 buckets up to a distance of 8 do not work"):
        t5_bucket(torch.tensor([1]), max_distance=8)


def test_alibi_slopes_are_the_papers():
    for n_heads in (1, 2, 4, 8, 16, 32):
        expected = [2 ** (-8 / n_heads * (n + 1)) for n in range(n_heads)]
        assert_close(alibi_slopes(n_heads), torch.tensor(expected))
    assert alibi_slopes(8).tolist() == [1 / 2**n for n in range(1, 9)]
    assert_close(alibi_slopes(12)[8:], alibi_slopes(16)[:8:2])
    bias = alibi(4, 5)
    assert bias[1, 4].tolist() == [-(2**-4) * distance for distance in (4, 3, 2, 1, 0)]
    with pytest.raises(ShapeError, match="n_heads must be at least 1, got 0"):
        alibi_slopes(0)


@pytest.mark.parametrize("n_heads", [3, 6, 8, 12, 25])
def test_alibi_slopes_equal_transformers(n_heads):
    bloom = pytest.importorskip("transformers.models.bloom.modeling_bloom")
    theirs = bloom.build_alibi_tensor(torch.ones(1, 2), n_heads, torch.float32)
    assert_close(alibi_slopes(n_heads), theirs[:, 0, 1])


# --- rotary ---------------------------------------------------------------------------------


def test_rotary_scores_depend_on_the_offset_only():
    torch.manual_seed(0)
    q, k = torch.randn(2, 16, dtype=torch.float64)
    turned_q, turned_k = (rotate(x.expand(300, 16)) for x in (q, k))  # the same at each place
    scores = turned_q @ turned_k.T
    for offset in (-7, 0, 1, 99):
        diagonal = scores.diagonal(offset)
        assert_close(diagonal, diagonal[:1].expand_as(diagonal))
    assert scores[:, 0].std() > 0.1
    assert_close(turned_q.norm(dim=-1), q.norm().expand(300))


def test_rotary_equals_the_matrix_of_the_paper_and_transformers():
    torch.manual_seed(0)
    x = torch.randn(9, 6)
    for position in (0, 1, 8):
        blocks = []
        for angle in (position / 10_000 ** (2 * i / 6) for i in range(3)):
            cos, sin = math.cos(angle), math.sin(angle)
            blocks.append(torch.tensor([[cos, -sin], [sin, cos]]))
        assert_close(rotate(x)[position], torch.block_diag(*blocks) @ x[position])
    llama = pytest.importorskip("transformers.models.llama.modeling_llama")
    halves = torch.cat([x[:, 0::2], x[:, 1::2]], dim=-1)  # they pair first half and second
    angle = turning_angles(9, 6).float().repeat(1, 2)
    theirs, _ = llama.apply_rotary_pos_emb(*[halves[None, None]] * 2, angle.cos(), angle.sin(), 0)
    ours = rotate(x)
    assert_close(torch.cat([ours[:, 0::2], ours[:, 1::2]], dim=-1), theirs[0, 0])


@torch.no_grad()
def test_rotary_attention_shifts_with_its_input_and_keeps_a_cache():
    torch.manual_seed(0)
    layer = RotaryAttention(d_model=12, n_heads=3, causal=True)
    x = torch.randn(2, 7, 12)
    cache = KVCache(batch=2, n_heads=3, context=7, d_head=4)
    steps = [layer(part, cache=cache) for part in x.split([3, 1, 1, 2], dim=1)]
    assert_close(torch.cat(steps, dim=1), layer(x), atol=1e-6, rtol=1e-5)
    still = MultiHeadAttention(d_model=12, n_heads=3)
    turning = RotaryAttention(d_model=12, n_heads=3)
    turning.load_state_dict(still.state_dict())
    order = torch.tensor([2, 0, 1, 3, 4, 5, 6])
    assert_close(still(x)[:, 6], still(x[:, order])[:, 6], atol=1e-6, rtol=1e-5)
    assert not torch.allclose(turning(x)[:, 6], turning(x[:, order])[:, 6], atol=1e-4)
    with pytest.raises(ShapeError, match="need one sequence: they take no separate context"):
        layer(x, context=x)
    with pytest.raises(ShapeError, match="K must be even, got 3"):
        RotaryAttention(d_model=6, n_heads=2)(torch.zeros(1, 2, 6))


def test_a_block_takes_another_attention():
    torch.manual_seed(0)
    block = Block(8, 2, causal=True, attention=RotaryAttention)
    assert isinstance(block.attention, RotaryAttention)
    assert block.attention.causal
    assert block(torch.randn(1, 5, 8)).shape == (1, 5, 8)

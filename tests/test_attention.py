import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.testing import assert_close

from tutorial_lib.attention import (
    KVCache,
    MultiHeadAttention,
    attention,
    capture_attention,
    causal_mask,
    padding_mask,
    token_mask,
)
from tutorial_lib.blocks import DecoderBlock, EncoderBlock
from tutorial_lib.capture import Tap, tapped
from tutorial_lib.errors import ContextError, MaskError, ShapeError


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


def pair(d_model=12, n_heads=3, **options):
    """Our layer and PyTorch's with the same weights."""
    ours = MultiHeadAttention(d_model, n_heads, **options)
    theirs = nn.MultiheadAttention(
        d_model, n_heads, batch_first=True, bias=options.get("bias", True)
    )
    with torch.no_grad():
        for parameter in ours.parameters():
            parameter.normal_(std=0.5)
        theirs.in_proj_weight.copy_(ours.qkv.weight)
        theirs.out_proj.weight.copy_(ours.output.weight)
        if options.get("bias", True):
            theirs.in_proj_bias.copy_(ours.qkv.bias)
            theirs.out_proj.bias.copy_(ours.output.bias)
    return ours, theirs


MASKS = {
    "none": lambda t, s: (None, None, None),
    "causal": lambda t, s: (causal_mask(t, s), ~causal_mask(t, s), None),
    "padding": lambda t, s: (
        padding_mask([s, 2], s),
        None,
        ~padding_mask([s, 2], s)[:, 0, 0],
    ),
    "both": lambda t, s: (
        causal_mask(t, s) & padding_mask([s, 2], s),
        ~causal_mask(t, s),
        ~padding_mask([s, 2], s)[:, 0, 0],
    ),
}


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("cross", [False, True])
@pytest.mark.parametrize("mask", MASKS)
def test_equals_torch_forward_and_gradient(mask, cross, bias):
    ours, theirs = pair(bias=bias)
    t, s = (5, 7) if cross else (5, 5)
    x = torch.randn(2, t, 12)
    context = torch.randn(2, s, 12)
    own_mask, attn_mask, key_padding = MASKS[mask](t, s)
    x1, x2 = x.clone().requires_grad_(), x.clone().requires_grad_()
    c1, c2 = context.clone().requires_grad_(), context.clone().requires_grad_()

    out = ours(x1, c1 if cross else None, mask=own_mask)
    source = c2 if cross else x2
    expected, weights = theirs(
        x2,
        source,
        source,
        attn_mask=attn_mask,
        key_padding_mask=key_padding,
        average_attn_weights=False,
    )
    assert_close(out, expected, atol=1e-5, rtol=1e-5)
    with capture_attention(ours) as maps:
        ours(x1, c1 if cross else None, mask=own_mask)
    assert_close(maps[0], weights.detach(), atol=1e-6, rtol=1e-5)

    probe = torch.randn_like(out)
    (out * probe).sum().backward()
    (expected * probe).sum().backward()
    assert_close(x1.grad, x2.grad, atol=1e-4, rtol=1e-4)
    if cross:
        assert_close(c1.grad, c2.grad, atol=1e-4, rtol=1e-4)
    assert_close(ours.qkv.weight.grad, theirs.in_proj_weight.grad, atol=1e-4, rtol=1e-4)
    assert_close(ours.output.weight.grad, theirs.out_proj.weight.grad, atol=1e-4, rtol=1e-4)
    if bias:
        assert_close(ours.qkv.bias.grad, theirs.in_proj_bias.grad, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("with_bias", [False, True])
@pytest.mark.parametrize("with_mask", [False, True])
def test_fused_equals_written_out_with_gradient(causal, with_bias, with_mask):
    layer = MultiHeadAttention(8, 2, causal=causal)
    x = torch.randn(3, 6, 8, requires_grad=True)
    bias = torch.randn(2, 6, 6, requires_grad=True) if with_bias else None
    mask = padding_mask([6, 1, 3], 6) if with_mask else None

    class Rewrites(Tap):
        changes = True

    def run():
        out = layer(x, mask=mask, bias=bias)
        inputs = [x, *layer.parameters(), *([bias] if with_bias else [])]
        return out, torch.autograd.grad(out.square().sum(), inputs)

    fused, fused_gradients = run()
    with tapped([(layer, Rewrites())]):
        written, written_gradients = run()
    assert_close(fused, written, atol=1e-6, rtol=1e-5)
    assert_close(fused_gradients, written_gradients, atol=1e-5, rtol=1e-4)


def test_dropout_acts_in_training_only_with_and_without_a_change():
    class Rewrites(Tap):
        changes = True

    layer = MultiHeadAttention(8, 2, dropout=0.5)
    x = torch.randn(1, 6, 8)
    for taps in ([], [(layer, Rewrites())]):
        with tapped(taps):
            assert not torch.allclose(layer.train()(x), layer(x))
            assert torch.equal(layer.eval()(x), layer(x))


def test_layer_equals_the_function():
    layer = MultiHeadAttention(8, 2)
    x, bias = torch.randn(2, 5, 8), torch.randn(2, 2, 5, 5)
    mask = causal_mask(5)
    q, k, v = layer.project(x)
    mixed, weights = attention(q, k, v, mask, bias)
    assert_close(layer(x, mask=mask, bias=bias), layer.output(mixed.transpose(1, 2).flatten(2)))
    assert_close(weights.sum(-1), torch.ones(2, 2, 5))
    assert (weights[..., ~mask] == 0).all()


def test_scale_and_two_words_by_hand():
    q = torch.tensor([[2.0, 0.0], [0.0, 2.0]])
    weights = attention(q, q, q)[1]
    high = 4 / math.sqrt(2)
    expected = math.exp(high) / (math.exp(high) + 1)
    assert weights[0, 0].item() == pytest.approx(expected)
    assert attention(q, q, q, scale=1.0)[1][0, 0].item() == pytest.approx(
        math.exp(4) / (math.exp(4) + 1)
    )


def test_causal_layer_never_looks_ahead():
    layer = MultiHeadAttention(8, 2, causal=True)
    x = torch.randn(1, 6, 8)
    changed = x.clone()
    changed[:, 4] += 1
    assert torch.equal(layer(x)[:, :4], layer(changed)[:, :4])
    assert not torch.equal(layer(x)[:, 4:], layer(changed)[:, 4:])
    assert_close(layer(x), layer(x, mask=causal_mask(6)))


def test_without_positions_attention_is_permutation_equivariant():
    layer = MultiHeadAttention(8, 4).double()
    x = torch.randn(2, 7, 8, dtype=torch.float64)
    order = torch.randperm(7)
    assert_close(layer(x[:, order]), layer(x)[:, order])
    masked = MultiHeadAttention(8, 4, causal=True).double()
    assert not torch.allclose(masked(x[:, order]), masked(x)[:, order])


def test_padding_changes_nothing_for_real_tokens():
    layer = MultiHeadAttention(8, 2)
    x = torch.randn(1, 4, 8)
    padded = torch.cat([x, torch.full((1, 3, 8), 1e3)], dim=1)
    assert_close(layer(padded, mask=padding_mask([4], 7))[:, :4], layer(x))


# --- cache ---------------------------------------------------------------------------------


def test_cached_equals_uncached_token_by_token():
    layer = MultiHeadAttention(8, 2, causal=True)
    x = torch.randn(2, 9, 8)
    cache = KVCache(batch=2, n_heads=2, context=9, d_head=4)
    with torch.no_grad():
        whole = layer(x)
        prompt = layer(x[:, :3], cache=cache)
        steps = [layer(x[:, t : t + 1], cache=cache) for t in range(3, 7)]
        rest = layer(x[:, 7:], cache=cache)  # two at once, aligned at the end
    assert_close(torch.cat([prompt, *steps, rest], dim=1), whole, atol=1e-6, rtol=1e-5)
    assert len(cache) == 9


def test_cross_attention_computes_the_context_once():
    layer = MultiHeadAttention(8, 2)
    x, context = torch.randn(1, 3, 8), torch.randn(1, 5, 8)
    cache = KVCache(batch=1, n_heads=2, context=5, d_head=4)
    with torch.no_grad():
        whole = layer(x, context)
        steps = [layer(x[:, t : t + 1], context, cache=cache) for t in range(3)]
    assert_close(torch.cat(steps, dim=1), whole, atol=1e-6, rtol=1e-5)
    assert len(cache) == 5
    with pytest.raises(ShapeError, match="keeps a context of 5 positions, got one of 4"):
        layer(x, context[:, :4], cache=cache)


def test_cache_is_allocated_once_and_says_when_it_is_full():
    cache = KVCache(batch=1, n_heads=2, context=4, d_head=3)
    k = torch.randn(1, 2, 3, 3)
    start = cache.keys.data_ptr()
    keys, _ = cache.append(k, k)
    assert keys.data_ptr() == start
    with pytest.raises(ContextError, match=r"room for 4 positions; it holds 3 and 3 more"):
        cache.append(k, k)
    with pytest.raises(ShapeError, match=r"up to 4, 3\), got \(1, 1, 1, 3\)"):
        cache.append(k[:, :1, :1], k[:, :1, :1])


# --- capture -------------------------------------------------------------------------------


class EncoderDecoder(nn.Module):
    """The smallest model with all three kinds of attention."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.ModuleList([EncoderBlock(8, 2) for _ in range(3)])
        self.decoder = nn.ModuleList([DecoderBlock(8, 2) for _ in range(2)])

    def encode(self, source):
        for block in self.encoder:
            source = block(source)
        return source

    def forward(self, source, target):
        source = self.encode(source)
        for block in self.decoder:
            target = block(target, source)
        return target


def test_capture_of_encoder_and_decoder():
    model = EncoderDecoder()
    with capture_attention(model) as maps:
        model(torch.randn(2, 5, 8), torch.randn(2, 4, 8))
    shapes = [[tuple(m.shape) for m in part] for part in (maps.encoder, maps.decoder, maps.cross)]
    assert shapes == [[(2, 2, 5, 5)] * 3, [(2, 2, 4, 4)] * 2, [(2, 2, 4, 5)] * 2]
    assert len(maps) == 7
    assert all((m.triu(1) == 0).all() for m in maps.decoder)


@pytest.mark.parametrize("training", [True, False])
def test_capture_changes_no_bit_and_leaves_nothing(training):
    model = nn.Sequential(*(EncoderBlock(8, 2, dropout=0.1) for _ in range(2))).train(training)
    x = torch.randn(2, 5, 8)
    torch.manual_seed(1)
    expected = model(x)
    torch.manual_seed(1)
    with capture_attention(model) as maps:
        watched = model(x)
    assert torch.equal(watched, expected)
    assert watched.requires_grad
    assert not any(m.requires_grad for m in maps)
    assert_close(maps[1].sum(-1), torch.ones(2, 2, 5))
    assert all(block.attention.taps == [] for block in model)
    assert not model._forward_hooks
    assert not model._forward_pre_hooks
    kept = maps[0].clone()
    model(torch.randn(1, 3, 8))
    assert torch.equal(maps[0], kept)


def test_causal_capture_changes_no_bit():
    model = EncoderBlock(16, 2, causal=True)
    x = torch.randn(2, 33, 16)
    with capture_attention(model):
        watched = model(x)
    assert torch.equal(watched, model(x))


def test_last_forward_wins_and_captures_nest():
    model = EncoderBlock(8, 2)
    with capture_attention(model) as outer:
        model(torch.randn(1, 3, 8))
        with capture_attention(model) as inner:
            model(torch.randn(1, 4, 8))
        assert len(model.attention.taps) == 1
        assert inner[0].shape == outer[0].shape == (1, 2, 4, 4)
        model(torch.randn(1, 5, 8))
    assert inner[0].shape == (1, 2, 4, 4)
    assert outer[0].shape == (1, 2, 5, 5)


def test_exceptions_leave_no_tap_and_no_half_filled_maps():
    model = EncoderDecoder()
    good = torch.randn(1, 3, 8)
    with capture_attention(model) as maps:
        model(good, good)
        kept = maps.encoder
        model.decoder[1].cross_attention.register_forward_pre_hook(
            lambda module, inputs: (inputs[0], inputs[1][..., :2], *inputs[2:])
        )
        with pytest.raises(ShapeError, match="context must"):
            model(torch.randn(1, 4, 8), good)
    assert all(torch.equal(a, b) for a, b in zip(maps.encoder, kept, strict=True))
    with pytest.raises(ShapeError, match="x must"), capture_attention(model):
        model(good[0], good)
    assert all(m.taps == [] for m in model.modules() if isinstance(m, MultiHeadAttention))


def test_maps_before_and_without_a_whole_forward_pass():
    model = EncoderDecoder()
    with capture_attention(model) as maps:
        assert len(maps) == 0
        assert repr(maps) == "AttentionMaps(no forward pass yet)"
        with pytest.raises(IndexError, match="no forward pass has ended"):
            maps[0]
        model.encode(torch.randn(1, 3, 8))
    assert len(maps.encoder) == 3
    assert maps.cross == []
    with pytest.raises(TypeError, match="Linear has no attention layer"):
        capture_attention(nn.Linear(2, 2)).__enter__()


# --- masks and bad input -------------------------------------------------------------------


@given(st.integers(1, 8), st.integers(0, 8))
def test_every_query_of_a_causal_mask_sees_one_key_more_than_the_last(n_queries, more):
    mask = causal_mask(n_queries, n_queries + more)
    assert mask.sum(1).tolist() == list(range(more + 1, more + n_queries + 1))
    assert torch.equal(mask, causal_mask(n_queries + more)[more:])


@given(st.lists(st.integers(1, 9), min_size=1, max_size=5), st.integers(0, 3))
def test_a_padding_mask_shows_each_sequence_its_own_length(lengths, more):
    mask = padding_mask(lengths, max(lengths) + more)
    assert mask.sum(-1).flatten().tolist() == lengths
    assert mask[..., 0].all()
    q, k = torch.randn(len(lengths), 1, 2, 4), torch.randn(len(lengths), 1, mask.size(-1), 4)
    weights = attention(q, k, k, mask)[1]
    assert_close(weights.sum(-1), torch.ones(len(lengths), 1, 2))
    assert (weights.masked_select(~mask.expand_as(weights)) == 0).all()


def test_masks():
    assert causal_mask(3).tolist() == torch.ones(3, 3).tril().bool().tolist()
    assert causal_mask(1, 4).all()
    assert padding_mask(torch.tensor([2, 3]), 3).shape == (2, 1, 1, 3)
    with pytest.raises(MaskError, match="3 queries and 2 keys: the first 1"):
        causal_mask(3, 2)
    with pytest.raises(MaskError, match="sequence 1 of the batch is all padding"):
        padding_mask([2, 0], 3)
    with pytest.raises(MaskError, match="between 1 and the number of keys, 3; sequence 0 has 4"):
        padding_mask([4], 3)
    with pytest.raises(ShapeError, match="whole numbers of shape"):
        padding_mask([1.5], 3)
    with pytest.raises(ShapeError, match=r"got torch\.float32"):
        token_mask(torch.ones(1, 3))


def test_bad_input_is_named():
    q, wide, long = torch.randn(1, 2, 3, 4), torch.randn(1, 2, 3, 5), torch.randn(1, 2, 6, 4)
    with pytest.raises(ShapeError, match="equally wide, got 4 and 5"):
        attention(q, wide, wide)
    with pytest.raises(ShapeError, match="3 keys, 6 values"):
        attention(q, q, long)
    with pytest.raises(ShapeError, match=r"q must be floating point.*int64"):
        attention(q.long(), q, q)
    with pytest.raises(ShapeError, match=r"True = may look; got torch\.float32"):
        attention(q, q, q, mask=torch.ones(3, 3))
    with pytest.raises(ShapeError, match=r"mask must broadcast.*\(1, 2, 3, 3\), got \(4, 3\)"):
        attention(q, q, q, mask=torch.ones(4, 3, dtype=torch.bool))
    with pytest.raises(ShapeError, match=r"bias must broadcast"):
        attention(q, q, q, bias=torch.ones(2, 2))
    with pytest.raises(ShapeError, match="3 heads do not divide d_model 8"):
        MultiHeadAttention(8, 3)
    layer = MultiHeadAttention(8, 2)
    with pytest.raises(ShapeError, match=r"x must have shape \(B, T, 8\), got \(3, 8\)"):
        layer(torch.randn(3, 8))
    with pytest.raises(ShapeError, match=r"context must have shape"):
        layer(torch.randn(1, 3, 8), torch.randn(1, 3, 6))
    with pytest.raises(ShapeError, match="mask must broadcast"):
        layer(torch.randn(1, 3, 8), mask=torch.ones(2, 2, dtype=torch.bool))

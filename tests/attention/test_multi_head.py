import math

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from tutorial_lib.attention import (
    KVCache,
    MultiHeadAttention,
    Tap,
    attention,
    capture_attention,
    causal_mask,
    fused_attention,
    look_back,
    padding_mask,
    tapped,
)
from tutorial_lib.errors import MaskError, ShapeError


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


def pair(d_model=12, n_heads=3, linear_bias=True):
    """Our layer and PyTorch's with the same weights."""
    ours = MultiHeadAttention(d_model, n_heads, linear_bias=linear_bias)
    theirs = nn.MultiheadAttention(d_model, n_heads, batch_first=True, bias=linear_bias)
    with torch.no_grad():
        for parameter in ours.parameters():
            parameter.normal_(std=0.5)
        theirs.in_proj_weight.copy_(ours.qkv.weight)
        theirs.out_proj.weight.copy_(ours.output.weight)
        if linear_bias:
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


@pytest.mark.parametrize("linear_bias", [True, False])
@pytest.mark.parametrize("cross", [False, True])
@pytest.mark.parametrize("mask", MASKS)
def test_equals_torch_forward_and_gradient(mask, cross, linear_bias):
    ours, theirs = pair(linear_bias=linear_bias)
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
    if linear_bias:
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


@pytest.mark.parametrize("mask", [None, "padding", "own"])
@pytest.mark.parametrize("with_bias", [False, True])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("n_keys", [5, 8])
def test_the_kernel_equals_the_function(causal, with_bias, mask, n_keys):
    q, k, v = torch.randn(3, 2, 5, 4), torch.randn(3, 2, n_keys, 4), torch.randn(3, 2, n_keys, 4)
    bias = torch.randn(2, 5, n_keys) if with_bias else None
    if mask == "padding":
        mask = padding_mask([n_keys, 1, 3], n_keys)
    elif mask == "own":
        mask = torch.rand(3, 1, 5, n_keys) > 0.5
        mask[..., 0] = True
    complete = look_back(mask, 5, n_keys) if causal else mask
    expected = attention(q, k, v, complete, bias)[0]
    found = fused_attention(q, k, v, mask, bias, causal)
    assert_close(found, expected, atol=1e-6, rtol=1e-5)


def test_the_layer_reads_as_its_three_steps():
    layer = MultiHeadAttention(8, 2, causal=True)
    x = torch.randn(2, 5, 8)
    layer.attend = lambda q, k, v, mask, bias: attention(q, k, v, causal_mask(5))[0]
    plain = layer(x)
    del layer.attend
    assert_close(layer(x), plain)


@pytest.mark.parametrize("grad", [False, True])
def test_a_mask_that_leaves_a_query_nothing_is_refused(grad):
    layer, x = MultiHeadAttention(8, 2, causal=True), torch.randn(2, 4, 8)
    on_the_left = torch.tensor([[True] * 4, [False, True, True, True]])[:, None, None]
    ahead = torch.ones(4, 4, dtype=torch.bool).triu()
    ahead[2, 2] = False  # query 2 is left with key 3, which lies ahead
    with torch.set_grad_enabled(grad):
        for mask in (on_the_left, ahead):
            with pytest.raises(MaskError, match="some query has nothing to look at"):
                layer(x, mask=mask)
            with pytest.raises(MaskError), capture_attention(layer):
                layer(x, mask=mask)
            assert not MultiHeadAttention(8, 2)(x, mask=mask).isnan().any()
        cache = KVCache(batch=2, n_heads=2, context=4, d_head=4)
        with torch.no_grad():  # a later query sees more: with one real key before it all is well
            layer(x[:, :2], mask=on_the_left.flip(-1)[..., :2], cache=cache)
            assert layer(x[:, 2:], mask=on_the_left, cache=cache).isfinite().all()


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


def test_batches_heads_and_types_that_disagree_are_named():
    q, k = torch.zeros(2, 1, 3, 4), torch.zeros(3, 1, 3, 4)
    with pytest.raises(ShapeError, match=r"batch or heads, got \(2, 1, 3, 4\), \(3, 1, 3, 4\)"):
        attention(q, k, k)
    layer = MultiHeadAttention(8, 2)
    with pytest.raises(ShapeError, match="x and context differ in batch, got 2 and 3"):
        layer(torch.zeros(2, 3, 8), context=torch.zeros(3, 4, 8))
    with pytest.raises(ShapeError, match=r"x must hold vectors, floating point; got torch\.int64"):
        layer(torch.zeros(2, 3, 8, dtype=torch.long))


def test_no_key_to_look_at_is_named():
    with pytest.raises(ShapeError, match="no key to look at"):
        MultiHeadAttention(8, 2)(torch.zeros(2, 3, 8), context=torch.zeros(2, 0, 8))


def test_one_query_row_may_serve_a_batch_of_keys_and_masks():
    q, k = torch.randn(1, 1, 2, 4), torch.randn(3, 1, 5, 4)
    mask = padding_mask([1, 5, 3], 5)
    assert attention(q, k, k, mask)[1].shape == (3, 1, 2, 5)


def test_a_causal_layer_obeys_a_mask_as_well():
    layer, x = MultiHeadAttention(8, 2, causal=True), torch.randn(2, 5, 8)
    mask = padding_mask([5, 2], 5)
    with capture_attention(layer) as maps:
        output = layer(x, mask=mask)
    allowed = (mask & causal_mask(5)).expand(2, 2, 5, 5)
    assert torch.equal(maps[0] > 0, allowed)
    plain = MultiHeadAttention(8, 2)
    plain.load_state_dict(layer.state_dict())
    assert_close(output, plain(x, mask=allowed))

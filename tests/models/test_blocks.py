import pytest
import torch
from torch import nn
from torch.testing import assert_close

from tutorial_lib.attention import KVCache, MultiHeadAttention, causal_mask, padding_mask
from tutorial_lib.models.blocks import Block, DecoderBlock, FeedForward


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


def copy_attention(ours, theirs):
    theirs.in_proj_weight.copy_(ours.qkv.weight)
    theirs.in_proj_bias.copy_(ours.qkv.bias)
    theirs.out_proj.weight.copy_(ours.output.weight)
    theirs.out_proj.bias.copy_(ours.output.bias)


def copy(ours, theirs):
    theirs.load_state_dict(ours.state_dict())


@torch.no_grad()
def copy_block(ours, theirs):
    for parameter in ours.parameters():
        parameter.normal_(std=0.3)
    copy_attention(ours.attention, theirs.self_attn)
    copy(ours.attention_norm, theirs.norm1)
    copy(ours.feed_forward.hidden, theirs.linear1)
    copy(ours.feed_forward.output, theirs.linear2)
    if isinstance(ours, DecoderBlock):
        copy_attention(ours.cross_attention, theirs.multihead_attn)
        copy(ours.cross_attention_norm, theirs.norm2)
        copy(ours.feed_forward_norm, theirs.norm3)
    else:
        copy(ours.feed_forward_norm, theirs.norm2)


def gradient(output, x):
    return torch.autograd.grad(output.square().sum(), x)[0]


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_encoder_block_equals_torch(norm, activation):
    ours = Block(12, 3, 20, norm, activation, eps=1e-6)
    theirs = nn.TransformerEncoderLayer(
        12, 3, 20, 0.0, activation, 1e-6, batch_first=True, norm_first=norm == "pre"
    )
    copy_block(ours, theirs)
    x = torch.randn(2, 7, 12, requires_grad=True)
    mask = padding_mask([7, 4], 7)
    out, expected = ours(x, mask), theirs(x, src_key_padding_mask=~mask[:, 0, 0])
    assert_close(out, expected, atol=1e-5, rtol=1e-5)
    assert_close(gradient(out, x), gradient(expected, x), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_decoder_block_equals_torch(norm):
    ours = DecoderBlock(12, 3, 20, norm)
    theirs = nn.TransformerDecoderLayer(12, 3, 20, 0.0, batch_first=True, norm_first=norm == "pre")
    copy_block(ours, theirs)
    x = torch.randn(2, 5, 12, requires_grad=True)
    context, mask = torch.randn(2, 7, 12), padding_mask([7, 3], 7)
    out = ours(x, context, context_mask=mask)
    expected = theirs(x, context, tgt_mask=~causal_mask(5), memory_key_padding_mask=~mask[:, 0, 0])
    assert_close(out, expected, atol=1e-5, rtol=1e-5)
    assert_close(gradient(out, x), gradient(expected, x), atol=1e-4, rtol=1e-4)


@torch.no_grad()
def test_cached_blocks_equal_uncached():
    gpt, decoder = Block(8, 2, causal=True), DecoderBlock(8, 2)
    x, context = torch.randn(1, 6, 8), torch.randn(1, 4, 8)
    cache = KVCache(1, 2, 6, 4)
    steps = [gpt(x[:, t : t + 1], cache=cache) for t in range(6)]
    assert_close(torch.cat(steps, 1), gpt(x), atol=1e-6, rtol=1e-5)
    caches = KVCache(1, 2, 6, 4), KVCache(1, 2, 4, 4)
    steps = [decoder(x[:, t : t + 1], context, caches=caches) for t in range(6)]
    assert_close(torch.cat(steps, 1), decoder(x, context), atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_dropout_acts_on_what_each_sublayer_adds_and_on_the_attention_weights(norm):
    x, context = torch.randn(2, 5, 8), torch.randn(2, 3, 8)
    cases = [(Block, (x,), 2), (DecoderBlock, (x, context), 3)]
    for kind, inputs, n_sublayers in cases:
        block = kind(8, 2, norm=norm, dropout=0.5)
        rates = [module.p for module in block.modules() if isinstance(module, nn.Dropout)]
        assert rates == [0.5]
        dropped = []
        block.dropout.register_forward_hook(lambda *args, dropped=dropped: dropped.append(args[2]))
        block(*inputs)
        assert len(dropped) == n_sublayers
        for added in dropped:
            assert 0.3 < (added == 0).float().mean() < 0.7
        layers = [module for module in block.modules() if isinstance(module, MultiHeadAttention)]
        assert {layer.dropout for layer in layers} == {0.5}
        assert torch.equal(block.eval()(*inputs), block(*inputs))


def test_feed_forward_treats_every_position_alike():
    layer = FeedForward(4)
    assert layer.hidden.out_features == 16
    x = torch.randn(1, 5, 4)
    assert_close(layer(x)[:, 2], layer(x[:, 2]))


def test_bad_choices_are_named():
    known = r"one of \['gelu', 'gelu_tanh', 'quick_gelu', 'relu'\], got 'swish'"
    with pytest.raises(ValueError, match=known):
        FeedForward(4, activation="swish")
    with pytest.raises(ValueError, match='"pre" or "post", got \'middle\''):
        Block(4, 2, norm="middle")

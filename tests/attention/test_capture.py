import pytest
import torch
from torch import nn
from torch.testing import assert_close

from tutorial_lib.attention import attention_layers, capture_attention, is_watched
from tutorial_lib.errors import ShapeError
from tutorial_lib.models.blocks import Block, DecoderBlock


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


class EncoderDecoder(nn.Module):
    """The smallest model with all three kinds of attention."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.ModuleList([Block(8, 2) for _ in range(3)])
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
    model = nn.Sequential(*(Block(8, 2, dropout=0.1) for _ in range(2))).train(training)
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
    assert not any(is_watched(block.attention) for block in model)
    assert all("attend" not in vars(block.attention) for block in model)
    assert not model._forward_hooks
    assert not model._forward_pre_hooks
    kept = maps[0].clone()
    model(torch.randn(1, 3, 8))
    assert torch.equal(maps[0], kept)


def test_causal_capture_changes_no_bit():
    model = Block(16, 2, causal=True)
    x = torch.randn(2, 33, 16)
    with capture_attention(model):
        watched = model(x)
    assert torch.equal(watched, model(x))


def test_last_forward_wins_and_captures_nest():
    model = Block(8, 2)
    with capture_attention(model) as outer:
        model(torch.randn(1, 3, 8))
        with capture_attention(model) as inner:
            model(torch.randn(1, 4, 8))
        assert len(model.attention.attend.taps) == 1
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
    assert not any(is_watched(layer) for layer in attention_layers(model))


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

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from tutorial_lib.attention import (
    GroupedQueryAttention,
    MultiHeadAttention,
    attend_by,
    attention,
    capture_attention,
    padding_mask,
)
from tutorial_lib.interpret import Zero, intervene


@pytest.mark.parametrize(
    "layer",
    [
        MultiHeadAttention(12, 3),
        MultiHeadAttention(12, 3, causal=True),
        GroupedQueryAttention(12, 3, 1, causal=True),
    ],
    ids=["all", "causal", "shared keys"],
)
@pytest.mark.parametrize("padded", [False, True])
def test_a_sound_function_gives_the_same_output_and_the_same_maps(layer, padded):
    x = torch.randn(2, 5, 12)
    options = {"mask": padding_mask(torch.tensor([5, 3]), 5)} if padded else {}
    with torch.no_grad(), capture_attention(layer) as maps:
        wanted = layer(x, **options)
    with torch.no_grad(), attend_by(attention, layer) as mine:
        assert_close(layer(x, **options), wanted)
    assert_close(mine[0], maps[0])


def test_layers_are_as_they_were_afterwards_also_after_an_error():
    layers = nn.ModuleList(MultiHeadAttention(8, 2) for _ in range(2))
    with pytest.raises(NotImplementedError), attend_by(unwritten, layers):
        layers[1](torch.randn(1, 3, 8))
    assert not any("attend" in vars(layer) for layer in layers)
    with (
        pytest.raises(TypeError, match="no attention layer"),
        attend_by(attention, nn.Linear(1, 1)),
    ):
        pass


def test_a_bias_is_refused():
    layer, x = MultiHeadAttention(8, 2), torch.randn(1, 3, 8)
    with pytest.raises(TypeError, match="no bias"), attend_by(attention, layer):
        layer(x, bias=torch.zeros(3, 3))


def test_it_and_an_intervention_refuse_each_other_in_either_order():
    layer, x = MultiHeadAttention(8, 2), torch.randn(1, 3, 8)
    wanted = layer(x)
    message = "neither watched nor changed inside attend_by"
    with (
        attend_by(attention, layer),
        pytest.raises(RuntimeError, match=message),
        intervene(layer, Zero(0, 0)),
    ):
        pass
    with (
        intervene(layer, Zero(0, 0)),
        pytest.raises(RuntimeError, match="one `with` block"),
        attend_by(attention, layer),
    ):
        pass
    with (
        attend_by(attention, layer),
        pytest.raises(RuntimeError, match="another function"),
        attend_by(attention, layer),
    ):
        pass
    assert "attend" not in vars(layer)
    assert_close(layer(x), wanted)


def unwritten(q, k, v, mask):
    raise NotImplementedError

import torch
from torch import nn
from torch.testing import assert_close

from tutorial_lib.attention import MultiHeadAttention, attention, capture_attention, copy_head


def test_a_copied_head_looks_where_it_looked_in_its_layer():
    torch.manual_seed(0)
    layer, head, x = MultiHeadAttention(12, 3), nn.Module(), torch.randn(2, 5, 12)
    for name in ("query", "key", "value"):
        setattr(head, name, nn.Linear(12, 4))
    with torch.no_grad(), capture_attention(layer) as maps:
        layer(x)
    for number in range(3):
        assert copy_head(head, layer, number) is head
        weights = attention(head.query(x), head.key(x), head.value(x))[1]
        assert_close(weights, maps[0][:, number])
    before = layer.qkv.weight.detach().clone()
    head.key.weight.data.zero_()
    assert layer.qkv.weight.equal(before)

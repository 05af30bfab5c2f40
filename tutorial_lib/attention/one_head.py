"""A single head, taken out of a trained layer of many."""


def copy_head(head, layer, number):
    """Copy head `number` of a MultiHeadAttention layer into three linear maps; return `head`.

    head: a module with `query`, `key` and `value`, each an nn.Linear from D to K with a bias. The
    layer keeps the maps of its H heads stacked, so head h owns the rows h * K to (h + 1) * K - 1
    of its (D, D) matrices. The copies share nothing with the layer.

    >>> from torch import nn
    >>> from tutorial_lib.attention import MultiHeadAttention
    >>> head = nn.Module()
    >>> head.query, head.key, head.value = nn.Linear(6, 2), nn.Linear(6, 2), nn.Linear(6, 2)
    >>> layer = MultiHeadAttention(6, n_heads=3)
    >>> copy_head(head, layer, 1).key.weight.equal(layer.qkv.weight.chunk(3)[1][2:4])
    True
    """
    linears, width = (head.query, head.key, head.value), head.query.out_features
    rows = slice(number * width, (number + 1) * width)
    weights, biases = layer.qkv.weight.chunk(3), layer.qkv.bias.chunk(3)  # (D, D) and (D,) each
    for linear, weight, bias in zip(linears, weights, biases, strict=True):
        linear.weight.data = weight[rows].detach().clone()
        linear.bias.data = bias[rows].detach().clone()
    return head

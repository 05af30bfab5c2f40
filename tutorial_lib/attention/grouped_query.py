"""Grouped-query attention: several heads ask, one head of keys and values answers them all.

What grows with the text is the cache of keys and values. With fewer of them it is smaller, and
each new token has less to read.
"""

from torch import nn

from tutorial_lib.attention.checks import check_one_sequence
from tutorial_lib.attention.multi_head import RotaryAttention
from tutorial_lib.errors import ShapeError
from tutorial_lib.positions import rotate


class GroupedQueryAttention(RotaryAttention):
    """Self-attention whose H heads of queries share G heads of keys and values.

    G = n_kv_heads (Ainslie et al. 2023, figure 2). Heads 0 ... H/G - 1 of the queries share the
    first of them, the next H/G the second, and so on. G = H is RotaryAttention, G = 1 multi-query
    attention (Shazeer 2019). A KVCache for it has G heads. base: of the rotary angles.

    Raises ShapeError when G does not divide H, and as RotaryAttention does.

    >>> import torch
    >>> layer = GroupedQueryAttention(d_model=8, n_heads=4, n_kv_heads=2)
    >>> layer(torch.zeros(1, 3, 8)).shape, layer.qkv.out_features
    (torch.Size([1, 3, 8]), 16)
    """

    def __init__(
        self,
        d_model,
        n_heads,
        n_kv_heads,
        dropout=0.0,
        linear_bias=True,
        causal=False,
        stack=None,
        base=10_000,
    ):
        super().__init__(d_model, n_heads, dropout, linear_bias, causal, stack)
        if n_kv_heads < 1 or n_heads % n_kv_heads:
            raise ShapeError(
                f"{n_kv_heads} heads of keys and values cannot be shared evenly by {n_heads} heads"
            )
        self.n_kv_heads = n_kv_heads
        self.d_head = d_model // n_heads
        self.base = base
        # Fewer rows than the parent's: those of H heads of queries, then G of keys, G of values.
        self.qkv = nn.Linear(d_model, (n_heads + 2 * n_kv_heads) * self.d_head, bias=linear_bias)

    def project(self, x, context=None, cache=None):
        """Return turned queries (B, H, T, K) and keys (B, G, S, K), and values (B, G, S, K)."""
        check_one_sequence(context)
        start = 0 if cache is None else len(cache)  # how many tokens were read before x
        heads = self.qkv(x).unflatten(-1, (-1, self.d_head)).transpose(1, 2)  # (B, H + 2 G, T, K)
        qk, v = heads.split([self.n_heads + self.n_kv_heads, self.n_kv_heads], dim=1)
        turned = rotate(qk, start, self.base)  # both at once: the same angles, looked up once
        q, k = turned.split([self.n_heads, self.n_kv_heads], dim=1)  # (B, H, T, K), (B, G, T, K)
        if cache is not None:
            k, v = cache.append(k, v)  # (B, G, S, K)
        return q, k, v


def for_each_query_head(x, n_heads):
    """Return keys or values (B, H, S, K) from those that heads share, (B, G, S, K).

    >>> import torch
    >>> for_each_query_head(torch.tensor([5, 7]).view(1, 2, 1, 1), n_heads=4).flatten().tolist()
    [5, 5, 7, 7]
    """
    return x.repeat_interleave(n_heads // x.size(1), dim=1) if x.size(1) < n_heads else x

"""Attention: one function, then the layer around it.

The layer's `attend` computes what `attention` computes, with PyTorch's fused kernel (`kernels`).
To watch or change the steps in between, `capture` replaces `attend` for a while.
"""

import math

import torch.nn.functional as F
from torch import nn

from tutorial_lib.attention.checks import (
    check_attention,
    check_cached_context,
    check_layer,
    check_one_sequence,
)
from tutorial_lib.attention.kernels import fused_attention
from tutorial_lib.errors import ShapeError
from tutorial_lib.positions import rotate


def attention(q, k, v, mask=None, bias=None, scale=None):
    """Scaled dot-product attention (Vaswani et al. 2017, eq. 1): softmax(Q Kᵀ / √d_k) V.

    q (B, H, T, K), k (B, H, S, K), v (B, H, S, K); mask (..., T, S), True = may look;
    bias (..., T, S) is added to the scores (ALiBi, relative positions); scale defaults to
    1/sqrt(K).
    Returns the mixed values (B, H, T, K) and the weights (B, H, T, S), rows summing to 1.
    Raises ShapeError when batches, heads, widths or lengths disagree, there is no key, a tensor
    is not floating point, the mask is not boolean, or mask or bias do not broadcast to
    (B, H, T, S).

    >>> import torch
    >>> x = torch.eye(2).view(1, 1, 2, 2)
    >>> attention(x, x, x)[1].sum(-1)
    tensor([[[1., 1.]]])
    """
    check_attention(q, k, v, mask, bias)
    scores = attention_scores(q, k, mask, bias, scale)  # (B, H, T, S)
    weights = scores.softmax(dim=-1)  # (B, H, T, S): each row sums to 1
    return weights @ v, weights


def attention_scores(q, k, mask=None, bias=None, scale=None):
    """Return how well each query fits each key, before the softmax: (B, H, T, S).

    Arguments as in `attention`. A key that may not be looked at scores minus infinity, so the
    softmax gives it a weight of exactly 0.

    >>> import torch
    >>> q = torch.ones(1, 1, 1, 4)
    >>> attention_scores(q, q)  # 4 products of 1, over sqrt(4)
    tensor([[[[2.]]]])
    """
    scale = q.size(-1) ** -0.5 if scale is None else scale
    scores = q @ k.transpose(-2, -1) * scale  # (B, H, T, S)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    return scores


class AttentionHeads(nn.Module):
    """What every attention layer has: H heads, and one way to attend.

    stack: which list of layers this one belongs to, for who looks at its weights: "encoder",
    "decoder" or "cross". dropout acts on the attention weights.
    """

    def __init__(self, n_heads, dropout=0.0, causal=False, stack="encoder"):
        super().__init__()
        self.n_heads = n_heads
        self.dropout = dropout
        self.causal = causal
        self.stack = stack

    def split(self, x):
        """Return (B, H, T, K) from x (B, T, D): the numbers of head 0, then of head 1, ..."""
        return x.view(*x.shape[:2], self.n_heads, -1).transpose(1, 2)

    def attend(self, q, k, v, mask=None, bias=None):
        """Return the mixed values (B, H, T, K): the first result of `attention`, only faster."""
        dropout = self.dropout if self.training else 0.0
        return fused_attention(q, k, v, mask, bias, self.causal, dropout)


class MultiHeadAttention(AttentionHeads):
    """H attention heads side by side, each K = D / H wide (Vaswani et al. 2017, section 3.2.2).

    x (B, T, D) asks; context (B, S, D) answers (x itself by default), so the same layer does
    self-attention and cross-attention. mask and bias broadcast to (B, H, T, S), as in `attention`.
    A causal layer never looks ahead, on top of any mask. Returns (B, T, D).

    linear_bias: whether the linear maps have biases. dropout and stack as in AttentionHeads.
    d_head: another width K for the heads, which then need not divide D.

    Raises ShapeError when the heads do not divide the width or an input does not fit, MaskError
    when mask and causality together leave a query no key to look at.

    >>> import torch
    >>> layer = MultiHeadAttention(d_model=8, n_heads=2)
    >>> layer(torch.zeros(1, 3, 8)).shape
    torch.Size([1, 3, 8])
    """

    def __init__(
        self, d_model, n_heads, dropout=0.0, linear_bias=True, causal=False, stack=None, d_head=None
    ):
        super().__init__(n_heads, dropout, causal, stack or ("decoder" if causal else "encoder"))
        if n_heads < 1 or (d_head is None and d_model % n_heads):
            raise ShapeError(f"{n_heads} heads do not divide d_model {d_model} evenly")
        width = n_heads * (d_head or d_model // n_heads)  # of all heads side by side: D
        self.qkv = nn.Linear(d_model, 3 * width, bias=linear_bias)  # three maps in one matrix
        self.output = nn.Linear(width, d_model, bias=linear_bias)  # mixes what the heads found

    def forward(self, x, context=None, mask=None, bias=None, cache=None):
        """Return what each position of x gathers from the context: (B, T, D).

        cache is a KVCache. In self-attention the new keys and values join the ones it holds;
        in cross-attention it keeps those of the context, computed at the first call.
        """
        check_layer(self, x, context, mask, bias, cache)
        q, k, v = self.project(x, context, cache)  # (B, H, T, K), then (B, H, S, K) twice
        heads = self.attend(q, k, v, mask, bias)  # (B, H, T, K)
        return self.output(heads.transpose(1, 2).flatten(2))  # heads side by side: (B, T, D)

    def project(self, x, context=None, cache=None):
        """Return queries (B, H, T, K), keys and values (B, H, S, K)."""
        if context is not None:
            return self.project_both(x, context, cache)
        q, k, v = self.qkv(x).chunk(3, dim=-1)  # (B, T, D) each
        q, k, v = self.split(q), self.split(k), self.split(v)  # (B, H, T, K) each
        if cache is not None:
            k, v = cache.append(k, v)  # (B, H, S, K): of all that was read so far
        return q, k, v

    def project_both(self, x, context, cache=None):
        """Return queries of x, keys and values of the context, as `project`: cross-attention."""
        n, w, b = self.output.in_features, self.qkv.weight, self.qkv.bias
        b_q, b_kv = (None, None) if b is None else (b[:n], b[n:])
        q = self.split(F.linear(x, w[:n], b_q))  # (B, H, T, K)
        if cache is not None and len(cache):
            check_cached_context(cache, context)
            return q, *cache.contents()
        k, v = F.linear(context, w[n:], b_kv).chunk(2, dim=-1)  # (B, S, D) each
        k, v = self.split(k), self.split(v)  # (B, H, S, K) each
        if cache is not None:
            k, v = cache.append(k, v)
        return q, k, v


class RotaryAttention(MultiHeadAttention):
    """Self-attention that knows distances: queries and keys are turned before they meet.

    As MultiHeadAttention, with `rotate` (Su et al. 2021). A cache keeps the turned keys.
    Raises ShapeError for an odd head width, or when there is a context beside x.

    >>> import torch
    >>> RotaryAttention(d_model=8, n_heads=2)(torch.zeros(1, 3, 8)).shape
    torch.Size([1, 3, 8])
    """

    def project(self, x, context=None, cache=None):
        """Return turned queries (B, H, T, K) and keys, and values (B, H, S, K)."""
        check_one_sequence(context)
        start = 0 if cache is None else len(cache)  # how many tokens were read before x
        q, k, v = super().project(x)  # (B, H, T, K) each
        q, k = rotate(q, start), rotate(k, start)
        if cache is not None:
            k, v = cache.append(k, v)
        return q, k, v

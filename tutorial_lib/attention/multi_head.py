"""Who looks at whom: attention, its masks, many heads, and a way to watch them.

Read from top to bottom: one function, then the layer around it. The masks stand in `masks`, the
cache for generation in `cache`, the captured maps in `capture`; all are exported from here.
"""

import math

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import nn

from tutorial_lib.attention.cache import KVCache
from tutorial_lib.attention.capture import capture_attention
from tutorial_lib.attention.masks import causal_mask, padding_mask, token_mask
from tutorial_lib.errors import ShapeError
from tutorial_lib.positions import rotate

__all__ = [
    "KVCache",
    "MultiHeadAttention",
    "RotaryAttention",
    "attention",
    "attention_scores",
    "capture_attention",
    "causal_mask",
    "padding_mask",
    "token_mask",
]


def attention(q, k, v, mask=None, bias=None, scale=None):
    """Scaled dot-product attention (Vaswani et al. 2017, eq. 1).

    q (B, H, T, K), k (B, H, S, K), v (B, H, S, K); mask (..., T, S), True = may look;
    bias (..., T, S) is added to the scores (ALiBi, relative positions); scale defaults to
    1/sqrt(K).
    Returns the mixed values (B, H, T, K) and the weights (B, H, T, S), rows summing to 1.
    Raises ShapeError when batches, heads, widths or lengths disagree, there is no key, a tensor
    is not floating point, the mask is not boolean, or mask or bias do not broadcast to
    (B, H, T, S).

    >>> x = torch.eye(2).view(1, 1, 2, 2)
    >>> attention(x, x, x)[1].sum(-1)
    tensor([[[1., 1.]]])
    """
    _check(q, k, v, mask, bias)
    weights = attention_scores(q, k, mask, bias, scale).softmax(dim=-1)
    return weights @ v, weights


def attention_scores(q, k, mask=None, bias=None, scale=None):
    """Return how well each query fits each key, before the softmax: (B, H, T, S).

    Arguments as in `attention`; a key that may not be looked at scores minus infinity.

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


class MultiHeadAttention(nn.Module):
    """H attention heads side by side, each K = D / H wide (Vaswani et al. 2017, section 3.2.2).

    x (B, T, D) asks; context (B, S, D) answers (x itself by default), so the same layer does
    self-attention and cross-attention. mask and bias broadcast to (B, H, T, S). A causal
    layer never looks ahead, on top of any mask. Returns (B, T, D).

    The fused kernel does the work. `taps` is empty unless somebody watches (`capture`,
    `tracing`) or intervenes (`interventions`); `stack` says which list of layers this one
    belongs to: "encoder", "decoder" or "cross".

    Raises ShapeError when the heads do not divide the width or an input does not fit.

    >>> layer = MultiHeadAttention(d_model=8, n_heads=2)
    >>> layer(torch.zeros(1, 3, 8)).shape
    torch.Size([1, 3, 8])
    """

    def __init__(self, d_model, n_heads, dropout=0.0, bias=True, causal=False, stack=None):
        super().__init__()
        if n_heads < 1 or d_model % n_heads:
            raise ShapeError(f"{n_heads} heads do not divide d_model {d_model} evenly")
        self.n_heads = n_heads
        self.dropout = dropout
        self.causal = causal
        self.stack = stack or ("decoder" if causal else "encoder")
        self.qkv = nn.Linear(d_model, 3 * d_model, bias=bias)
        self.output = nn.Linear(d_model, d_model, bias=bias)
        self.taps = []

    def forward(self, x, context=None, mask=None, bias=None, cache=None):
        """Return what each position of x gathers from the context: (B, T, D).

        cache is a KVCache. In self-attention the new keys and values join the ones it holds;
        in cross-attention it keeps those of the context, computed at the first call.
        """
        self._check_width(x, "x")
        q, k, v = self.project(x, context, cache)
        _check(q, k, v, mask, bias)
        heads = self.mix(q, k, v, mask, bias)
        return self.output(rearrange(heads, "batch heads time width -> batch time (heads width)"))

    def project(self, x, context=None, cache=None):
        """Return queries (B, H, T, K), keys and values (B, H, S, K)."""
        if context is None:
            q, k, v = self._split(self.qkv(x), 3)
            return q, *(cache.append(k, v) if cache is not None else (k, v))
        self._check_width(context, "context")
        d_model = x.size(-1)
        w, b = self.qkv.weight, self.qkv.bias
        b_q, b_kv = (None, None) if b is None else (b[:d_model], b[d_model:])
        (q,) = self._split(F.linear(x, w[:d_model], b_q), 1)
        if cache is not None and len(cache):
            if len(cache) != context.size(1):
                raise ShapeError(
                    f"this cache keeps a context of {len(cache)} positions, "
                    f"got one of {context.size(1)}: each context needs its own cache"
                )
            return q, *cache.contents()
        k, v = self._split(F.linear(context, w[d_model:], b_kv), 2)
        return q, *(cache.append(k, v) if cache is not None else (k, v))

    def mix(self, q, k, v, mask=None, bias=None):
        """Return the mixed values of every head, (B, H, T, K), showing the taps what happens.

        A tap that only looks cannot change a bit of the result: the fused kernel still
        computes it. A tap that changes something gets the written-out computation.
        """
        dropout = self.dropout if self.training else 0.0
        if any(tap.changes for tap in self.taps):
            return self.written_out(q, k, v, self._look_back(mask, q, k), bias, dropout)
        if self.taps:
            with torch.no_grad():
                self.written_out(q, k, v, self._look_back(mask, q, k), bias)
        # The kernel has a causal mask of its own, for as many keys as queries and nothing else.
        built_in = self.causal and mask is None and bias is None and q.size(-2) == k.size(-2)
        if not built_in:
            mask = self._look_back(mask, q, k)
        if bias is not None:  # the kernel takes one mask: the bias, minus infinity where hidden
            bias = bias.to(q.dtype)
            mask = bias if mask is None else torch.where(mask, bias, -math.inf)
        return F.scaled_dot_product_attention(q, k, v, mask, dropout, is_causal=built_in)

    def written_out(self, q, k, v, mask, bias, dropout=0.0):
        """Return the mixed values as `attention` does, handing each step to the taps."""
        q = self._tap("queries", q)
        k = self._tap("keys", k)
        v = self._tap("values", v)
        scores = self._tap("scores", attention_scores(q, k, mask, bias))  # (B, H, T, S)
        weights = self._tap("weights", scores.softmax(dim=-1))
        return self._tap("heads", F.dropout(weights, dropout) @ v)  # (B, H, T, K)

    def _look_back(self, mask, q, k):
        if not self.causal or q.size(-2) == 1:  # a single query is the last: it may see all
            return mask
        behind = causal_mask(q.size(-2), k.size(-2), q.device)
        return behind if mask is None else mask & behind

    def _tap(self, name, tensor):
        for tap in self.taps:
            tensor = tap(name, tensor)
        return tensor

    def _split(self, projected, parts):
        return rearrange(
            projected,
            "batch time (parts heads width) -> parts batch heads time width",
            parts=parts,
            heads=self.n_heads,
        )

    def _check_width(self, x, name):
        d_model = self.output.in_features
        if x.dim() != 3 or x.size(-1) != d_model:
            raise ShapeError(f"{name} must have shape (B, T, {d_model}), got {tuple(x.shape)}")
        if not x.is_floating_point():
            raise ShapeError(f"{name} must hold vectors, floating point; got {x.dtype}")


class RotaryAttention(MultiHeadAttention):
    """Self-attention that knows distances: queries and keys are turned before they meet.

    As MultiHeadAttention, with `rotate` (Su et al. 2021). A cache keeps the turned keys.
    Raises ShapeError for an odd head width, or a context that is not x itself.

    >>> RotaryAttention(d_model=8, n_heads=2)(torch.zeros(1, 3, 8)).shape
    torch.Size([1, 3, 8])
    """

    def project(self, x, context=None, cache=None):
        """Return turned queries (B, H, T, K) and keys, and values (B, H, S, K)."""
        if context is not None:
            raise ShapeError("rotary positions need one sequence, not a context beside it")
        start = 0 if cache is None else len(cache)
        q, k, v = self._split(self.qkv(x), 3)
        q, k = rotate(q, start), rotate(k, start)
        return q, *(cache.append(k, v) if cache is not None else (k, v))


def _check(q, k, v, mask, bias):
    for name, tensor in (("q", q), ("k", k), ("v", v)):
        if not tensor.is_floating_point() or tensor.dim() < 2:
            raise ShapeError(
                f"{name} must be floating point of shape (B, H, length, K), "
                f"got {tensor.dtype} {tuple(tensor.shape)}"
            )
    if q.size(-1) != k.size(-1):
        raise ShapeError(
            f"queries and keys must be equally wide, got {q.size(-1)} and {k.size(-1)}"
        )
    if k.size(-2) != v.size(-2):
        raise ShapeError(f"each key needs one value, got {k.size(-2)} keys, {v.size(-2)} values")
    if not k.size(-2):
        raise ShapeError("there is no key to look at: the sequence is empty")
    batch = _common_batch(q, k, v)
    if mask is not None and mask.dtype != torch.bool:
        raise ShapeError(f"the mask must be torch.bool, True = may look; got {mask.dtype}")
    wanted = (*batch, q.size(-2), k.size(-2))
    for name, tensor in (("mask", mask), ("bias", bias)):
        if tensor is not None and not _broadcasts(tensor.shape, wanted):
            raise ShapeError(
                f"the {name} must broadcast to (B, H, T, S) = {wanted}, got {tuple(tensor.shape)}"
            )


def _common_batch(q, k, v):
    batch = q.shape[:-2]
    if batch == k.shape[:-2] == v.shape[:-2]:  # nearly always, and cheap to tell
        return batch
    try:
        return torch.broadcast_shapes(batch, k.shape[:-2], v.shape[:-2])
    except RuntimeError:
        shapes = ", ".join(str(tuple(tensor.shape)) for tensor in (q, k, v))
        raise ShapeError(f"q, k and v differ in batch or heads, got {shapes}") from None


def _broadcasts(shape, wanted):
    return len(shape) <= len(wanted) and all(
        have in (1, want) for have, want in zip(reversed(shape), reversed(wanted), strict=False)
    )

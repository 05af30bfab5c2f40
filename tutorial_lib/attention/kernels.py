"""`attention`, fast: PyTorch's fused kernel, which never stores the (T, S) weights."""

import math

import torch
import torch.nn.functional as F

from tutorial_lib.attention.masks import look_back


def fused_attention(q, k, v, mask=None, bias=None, causal=False, dropout=0.0):
    """Return the mixed values (B, H, T, K) of `attention(q, k, v, mask, bias)`, without weights.

    k and v may have fewer heads than q: then each of theirs serves several of q, in a row.
    causal: a query sees its own position and what came before, on top of the mask; dropout is the
    share of the weights set to 0. Raises MaskError when causal and mask leave a query no key.

    >>> x = torch.eye(2).view(1, 1, 2, 2)
    >>> fused_attention(x, x, x, causal=True)[0, 0, 0]  # the first position sees itself alone
    tensor([1., 0.])
    """
    options = {"dropout_p": dropout, "enable_gqa": q.size(-3) != k.size(-3)}
    if causal and mask is None and bias is None and q.size(-2) == k.size(-2):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True, **options)
    if causal:
        mask = look_back(mask, q.size(-2), k.size(-2), q.device)
    if bias is not None:  # the kernel takes one mask: the bias, minus infinity where hidden
        bias = bias.to(q.dtype)
        mask = bias if mask is None else torch.where(mask, bias, -math.inf)
    return F.scaled_dot_product_attention(q, k, v, mask, **options)

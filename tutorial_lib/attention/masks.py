"""What a query may look at: boolean masks, True = may look, that broadcast to (B, H, T, S).

A mask that hides every key from some query is refused here, where masks are built and combined.
"""

import torch
from einops import rearrange

from tutorial_lib.errors import MaskError, ShapeError


def causal_mask(n_queries, n_keys=None, device=None):
    """Return the mask (T, S) with which a position looks only at itself and what came before.

    With more keys than queries the queries are the last ones, as in generation with a cache.
    Raises MaskError when there are fewer keys than queries: the first rows would see nothing.

    >>> causal_mask(2, 3).int()
    tensor([[1, 1, 0],
            [1, 1, 1]], dtype=torch.int32)
    """
    n_keys = n_queries if n_keys is None else n_keys
    if n_keys < n_queries:
        raise MaskError(
            f"a causal mask needs at least as many keys as queries, got {n_queries} queries "
            f"and {n_keys} keys: the first {n_queries - n_keys} would have nothing to look at"
        )
    allowed = torch.ones(n_queries, n_keys, dtype=torch.bool, device=device)
    return allowed.tril(n_keys - n_queries)  # (T, S)


def look_back(mask, n_queries, n_keys, device=None):
    """Return a mask that also hides the future, (..., T, S): no query sees a later key.

    None for a single query without a mask: nothing is hidden from it.

    mask (..., T or 1, S) or None; the queries are the last ones, as in `causal_mask`.
    Raises MaskError when some query would see nothing: with padding on the left, for instance, the
    first queries have nothing but padding before them.

    >>> look_back(torch.tensor([[True, False, True]]), 3, 3).int()
    tensor([[1, 0, 0],
            [1, 0, 0],
            [1, 0, 1]], dtype=torch.int32)
    """
    if n_queries == 1:  # a single query is the last one: no key is later
        return mask
    behind = causal_mask(n_queries, n_keys, device)
    if mask is None:
        return behind
    if not torch.compiler.is_compiling():  # reading values would break the compiled graph in two
        # If all queries share one row of the mask, the first query sees the least: judge that one.
        least = mask[..., : n_keys - n_queries + 1] if mask.size(-2) == 1 else mask & behind
        if not least.any(dim=-1).all():
            raise MaskError(
                "some query has nothing to look at: the mask hides every earlier key from it, and "
                "a causal layer never looks at later ones (put the padding on the right)"
            )
    return mask & behind


def padding_mask(lengths, n_keys, device=None):
    """Return the mask (B, 1, 1, S) that hides the padding after the first `lengths[b]` keys.

    lengths is a list or an integer tensor (B,); device: where the mask goes, by default where the
    lengths are.
    Raises MaskError when a length is 0 (nothing left to look at) or more than n_keys.

    >>> padding_mask([1, 3], 3).int().squeeze()
    tensor([[1, 0, 0],
            [1, 1, 1]], dtype=torch.int32)
    """
    lengths = torch.as_tensor(lengths, device=device)
    if lengths.dim() != 1 or lengths.is_floating_point() or lengths.dtype == torch.bool:
        raise ShapeError(
            f"lengths must be whole numbers of shape (B,), got {lengths.dtype} "
            f"{tuple(lengths.shape)}"
        )
    wrong = ((lengths < 0) | (lengths > n_keys)).nonzero().flatten().tolist()
    if wrong:
        raise MaskError(
            f"a length must lie between 1 and the number of keys, {n_keys}; "
            f"sequence {wrong[0]} has {lengths[wrong[0]].item()}"
        )
    return token_mask(torch.arange(n_keys, device=lengths.device) < lengths[:, None])


def token_mask(real):
    """Return the mask (B, 1, 1, S) that hides the keys where real (B, S) is False.

    Raises ShapeError when real is not boolean of shape (B, S), MaskError when a row of it
    is all False.

    >>> token_mask(torch.tensor([[True, False]])).shape
    torch.Size([1, 1, 1, 2])
    """
    if real.dtype != torch.bool or real.dim() != 2:
        raise ShapeError(
            "a mask of tokens must be torch.bool of shape (B, S), True = a real token; "
            f"got {real.dtype} {tuple(real.shape)}"
        )
    if not torch.compiler.is_compiling():  # reading values would break the compiled graph in two
        empty = (~real.any(dim=1)).nonzero().flatten().tolist()
        if empty:
            raise MaskError(
                f"sequence {empty[0]} of the batch is all padding: its queries have nothing to "
                "look at"
            )
    return rearrange(real, "batch keys -> batch 1 1 keys")

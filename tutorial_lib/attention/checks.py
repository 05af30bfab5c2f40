"""What attention asks of its input, said in words before PyTorch says it in its own."""

import torch

from tutorial_lib.errors import ShapeError


def check_attention(q, k, v, mask=None, bias=None):
    """Raise ShapeError unless these are arguments of `attention`."""
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
    try:
        batch = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    except RuntimeError:
        shapes = ", ".join(str(tuple(tensor.shape)) for tensor in (q, k, v))
        raise ShapeError(f"q, k and v differ in batch or heads, got {shapes}") from None
    check_mask_and_bias(mask, bias, (*batch, q.size(-2), k.size(-2)))


def check_layer(layer, x, context=None, mask=None, bias=None, cache=None):
    """Raise ShapeError unless a MultiHeadAttention can read these: a few comparisons of sizes."""
    check_vectors("x", x, layer.output.out_features)
    if context is not None:
        check_vectors("context", context, layer.output.out_features)
        if len(context) != len(x):
            raise ShapeError(f"x and context differ in batch, got {len(x)} and {len(context)}")
    if mask is not None or bias is not None:
        n_before = 0 if cache is None else len(cache)
        n_keys = n_before + x.size(1) if context is None else context.size(1)
        check_mask_and_bias(mask, bias, (len(x), layer.n_heads, x.size(1), n_keys))


def check_vectors(name, x, d_model):
    """Raise ShapeError unless x holds vectors, (B, T, D) with at least one position."""
    if x.dim() != 3 or x.size(-1) != d_model:
        raise ShapeError(f"{name} must have shape (B, T, {d_model}), got {tuple(x.shape)}")
    if not x.is_floating_point():
        raise ShapeError(f"{name} must hold vectors, floating point; got {x.dtype}")
    if not x.size(1):
        raise ShapeError(f"there is no key to look at: {name} is empty, {tuple(x.shape)}")


def check_mask_and_bias(mask, bias, wanted):
    """Raise ShapeError unless mask is boolean and both broadcast to wanted, (B, H, T, S)."""
    if mask is not None and mask.dtype != torch.bool:
        raise ShapeError(f"the mask must be torch.bool, True = may look; got {mask.dtype}")
    for name, tensor in (("mask", mask), ("bias", bias)):
        if tensor is not None and not broadcasts(tensor.shape, wanted):
            raise ShapeError(
                f"the {name} must broadcast to (B, H, T, S) = {wanted}, got {tuple(tensor.shape)}"
            )


def broadcasts(shape, wanted):
    """Return whether a tensor of this shape can be repeated to fill the wanted one.

    >>> broadcasts((2, 1, 1, 5), (2, 4, 3, 5)), broadcasts((2, 5), (2, 4, 3, 5))
    (True, False)
    """
    return len(shape) <= len(wanted) and all(
        have in (1, want) for have, want in zip(reversed(shape), reversed(wanted), strict=False)
    )


def check_one_sequence(context):
    """Raise ShapeError when a layer with rotary positions is given a context beside x."""
    if context is not None:
        raise ShapeError("rotary positions need one sequence: they take no separate context")


def check_cached_context(cache, context):
    """Raise ShapeError when a cache keeps the keys and values of a context of another length."""
    if len(cache) != context.size(1):
        raise ShapeError(
            f"this cache keeps a context of {len(cache)} positions, "
            f"got one of {context.size(1)}: each context needs its own cache"
        )

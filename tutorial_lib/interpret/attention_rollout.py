"""Attention rollout: how much of each input token reaches each position, through all layers.

Abnar and Zuidema (2020), "Quantifying attention flow in transformers". A rough estimate: it uses
the attention weights and the residual path, and ignores what values and feed-forward layers do.
"""

from collections.abc import Iterable

import torch

from tutorial_lib.errors import ShapeError


def rollout(maps: Iterable[torch.Tensor], identity: bool = True) -> torch.Tensor:
    """Return the rollout (B, T, T) of a stack of layers; each row sums to 1.

    maps: the weights (B, H, T, T) of each layer, first layer first, as `capture_attention` yields
    them for an encoder. Heads are averaged. A layer adds what its heads bring to what was there
    before, so half of its weight goes to the token itself; identity=False leaves this residual
    path out, for comparison. The layers' matrices are multiplied, the last one on the left.
    Raises ShapeError when there are no maps, or they are not square or differ in shape.

    >>> looks_left = torch.tensor([[1.0, 0.0], [1.0, 0.0]]).view(1, 1, 2, 2)
    >>> rollout([looks_left, looks_left])
    tensor([[[1.0000, 0.0000],
             [0.7500, 0.2500]]])
    """
    maps = list(maps)
    shapes = sorted({tuple(weights.shape) for weights in maps})
    if len(shapes) != 1 or len(shapes[0]) != 4 or shapes[0][-1] != shapes[0][-2]:
        raise ShapeError(f"expected layers of one shape (B, H, T, T), got {shapes or 'no layer'}")
    reached = torch.eye(shapes[0][-1], dtype=maps[0].dtype, device=maps[0].device)
    for weights in maps:
        step = weights.mean(dim=1)  # (B, T, T)
        if identity:
            step = (step + torch.eye(step.size(-1), dtype=step.dtype, device=step.device)) / 2
        reached = step @ reached
    return reached

"""A model that attends with a function of one's own: one head of one text at a time."""

from contextlib import contextmanager

import torch

from tutorial_lib.attention.capture import attention_layers
from tutorial_lib.attention.grouped_query import for_each_query_head
from tutorial_lib.attention.masks import look_back


@contextmanager
def attend_by(function, model):
    """Let `function(q, k, v, mask)` do the attention of every layer inside the `with` block.

    It is called for one head of one text: q (T, K), k (S, K), v (S, K) and mask (T, S), True = may
    look. It returns the mixed values (T, K) and the weights (T, S). Yields the list of all maps so
    far, one (B, H, T, S) for each layer that was run, detached. Raises TypeError when the model has
    no attention layer, and RuntimeError while somebody watches or changes its heads: the function
    takes the place of all the steps that they see.

    >>> from tutorial_lib.attention import MultiHeadAttention
    >>> layer = MultiHeadAttention(d_model=8, n_heads=2)
    >>> def equally(q, k, v, mask):
    ...     weights = mask / mask.sum(dim=-1, keepdim=True)
    ...     return weights @ v, weights
    >>> with attend_by(equally, layer) as maps:
    ...     _ = layer(torch.zeros(1, 2, 8))
    >>> maps[0][0, 1]
    tensor([[0.5000, 0.5000],
            [0.5000, 0.5000]])
    """
    layers, maps = attention_layers(model), []
    if any("attend" in vars(layer) for layer in layers):
        raise RuntimeError(
            "attend_by takes the place of the whole attention, so it cannot work in a model that "
            "is watched or changed (capture_attention, intervene, trace) or attends by another "
            "function: use one `with` block at a time"
        )

    def attend_in(layer):
        def attend(q, k, v, mask=None, bias=None):
            if bias is not None:
                raise TypeError("attend_by knows no bias on the scores")
            if layer.causal:
                mask = look_back(mask, q.size(-2), k.size(-2), q.device)
            shape = *q.shape[:3], k.size(-2)  # (B, H, T, S)
            seen = torch.ones(shape, dtype=torch.bool, device=q.device)
            seen = seen if mask is None else seen & mask
            k, v = for_each_query_head(k, q.size(1)), for_each_query_head(v, q.size(1))
            parts = (tensor.flatten(0, 1) for tensor in (q, k, v, seen))  # (B H, ...) each
            found = [function(*head) for head in zip(*parts, strict=True)]
            mixed, weights = (torch.stack(part) for part in zip(*found, strict=True))
            maps.append(weights.detach().view(shape))
            return mixed.view(*q.shape[:3], -1)  # (B, H, T, K)

        return attend

    for layer in layers:
        layer.attend = attend_in(layer)
    try:
        yield maps
    finally:
        for layer in layers:
            del layer.attend  # what is left is the method of its class

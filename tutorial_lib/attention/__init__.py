"""Who looks at whom: attention, its masks, many heads, and a way to watch them.

Start with `multi_head`: one function, then the layer around it. Masks are in `masks`, the cache
for generation in `cache`, captured maps in `capture`.
"""

from tutorial_lib.attention.cache import KVCache, ModelCache
from tutorial_lib.attention.capture import (
    AttentionMaps,
    Tap,
    attention_layers,
    capture_attention,
    tapped,
)
from tutorial_lib.attention.masks import causal_mask, padding_mask, token_mask
from tutorial_lib.attention.multi_head import (
    MultiHeadAttention,
    RotaryAttention,
    attention,
    attention_scores,
)

__all__ = [
    "AttentionMaps",
    "KVCache",
    "ModelCache",
    "MultiHeadAttention",
    "RotaryAttention",
    "Tap",
    "attention",
    "attention_layers",
    "attention_scores",
    "capture_attention",
    "causal_mask",
    "padding_mask",
    "tapped",
    "token_mask",
]

"""Who looks at whom: attention, its masks, many heads, and a way to watch them.

Start with `multi_head`: one function, then the layer around it. Then `masks`, `kernels` (the same,
fast), `cache` (for generation), `grouped_query` (a smaller cache), `cross_widths` (few vectors that
ask many) and `capture` (looking at the
weights); `by_hand` attends with a function of your own; `checks` holds the refusals.
"""

from tutorial_lib.attention.by_hand import attend_by
from tutorial_lib.attention.cache import KVCache, ModelCache
from tutorial_lib.attention.capture import (
    AttentionMaps,
    Tap,
    attention_layers,
    capture_attention,
    is_watched,
    tapped,
)
from tutorial_lib.attention.cross_widths import CrossAttention
from tutorial_lib.attention.grouped_query import GroupedQueryAttention, for_each_query_head
from tutorial_lib.attention.kernels import fused_attention
from tutorial_lib.attention.masks import causal_mask, look_back, padding_mask, token_mask
from tutorial_lib.attention.multi_head import (
    AttentionHeads,
    MultiHeadAttention,
    RotaryAttention,
    attention,
    attention_scores,
)
from tutorial_lib.attention.one_head import copy_head

__all__ = [
    "AttentionHeads",
    "AttentionMaps",
    "CrossAttention",
    "GroupedQueryAttention",
    "KVCache",
    "ModelCache",
    "MultiHeadAttention",
    "RotaryAttention",
    "Tap",
    "attend_by",
    "attention",
    "attention_layers",
    "attention_scores",
    "capture_attention",
    "causal_mask",
    "copy_head",
    "for_each_query_head",
    "fused_attention",
    "is_watched",
    "look_back",
    "padding_mask",
    "tapped",
    "token_mask",
]

import pytest
import torch

from tutorial_lib.attention import (
    KVCache,
)
from tutorial_lib.errors import ContextError, ShapeError


def test_cache_is_allocated_once_and_says_when_it_is_full():
    cache = KVCache(batch=1, n_heads=2, context=4, d_head=3)
    k = torch.randn(1, 2, 3, 3)
    start = cache.keys.data_ptr()
    keys, _ = cache.append(k, k)
    assert keys.data_ptr() == start
    with pytest.raises(ContextError, match=r"room for 4 positions; it holds 3 and 3 more"):
        cache.append(k, k)
    with pytest.raises(ShapeError, match=r"up to 4, 3\), got \(1, 1, 1, 3\)"):
        cache.append(k[:, :1, :1], k[:, :1, :1])


# --- capture -------------------------------------------------------------------------------

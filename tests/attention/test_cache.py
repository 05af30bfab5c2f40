import pytest
import torch

from tutorial_lib.attention import KVCache, ModelCache
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


def test_a_cache_that_restarts_keeps_its_room_and_its_source():
    def full():
        cache = KVCache(batch=1, n_heads=2, context=4, d_head=3)
        cache.append(torch.randn(1, 2, 4, 3), torch.randn(1, 2, 4, 3))
        return cache

    cache = ModelCache([full(), full()])
    cache.restart()  # nothing was read of a source yet
    assert len(cache) == 0
    cache = ModelCache([full(), full()])
    cache.cross = [full(), full()]
    rooms = [layer.keys.data_ptr() for layer in cache.layers]
    source = [layer.contents()[0].clone() for layer in cache.cross]
    cache.restart()
    assert [len(layer) for layer in cache.layers] == [0, 0]
    k = torch.randn(1, 2, 3, 3)
    for layer, room in zip(cache.layers, rooms, strict=True):
        keys, _ = layer.append(k, k)
        assert torch.equal(keys, k)
        assert keys.data_ptr() == room
    for layer, keys in zip(cache.cross, source, strict=True):
        assert torch.equal(layer.contents()[0], keys)

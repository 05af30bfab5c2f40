import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from tutorial_lib.attention import attention, causal_mask, padding_mask, token_mask
from tutorial_lib.errors import MaskError, ShapeError


@given(st.integers(1, 8), st.integers(0, 8))
def test_every_query_of_a_causal_mask_sees_one_key_more_than_the_last(n_queries, more):
    mask = causal_mask(n_queries, n_queries + more)
    assert mask.sum(1).tolist() == list(range(more + 1, more + n_queries + 1))
    assert torch.equal(mask, causal_mask(n_queries + more)[more:])


@given(st.lists(st.integers(1, 9), min_size=1, max_size=5), st.integers(0, 3))
def test_a_padding_mask_shows_each_sequence_its_own_length(lengths, more):
    mask = padding_mask(lengths, max(lengths) + more)
    assert mask.sum(-1).flatten().tolist() == lengths
    assert mask[..., 0].all()
    q, k = torch.randn(len(lengths), 1, 2, 4), torch.randn(len(lengths), 1, mask.size(-1), 4)
    weights = attention(q, k, k, mask)[1]
    assert_close(weights.sum(-1), torch.ones(len(lengths), 1, 2))
    assert (weights.masked_select(~mask.expand_as(weights)) == 0).all()


def test_masks():
    assert causal_mask(3).tolist() == torch.ones(3, 3).tril().bool().tolist()
    assert causal_mask(1, 4).all()
    assert padding_mask(torch.tensor([2, 3]), 3).shape == (2, 1, 1, 3)
    with pytest.raises(MaskError, match="3 queries and 2 keys: the first 1"):
        causal_mask(3, 2)
    with pytest.raises(MaskError, match="sequence 1 of the batch is all padding"):
        padding_mask([2, 0], 3)
    with pytest.raises(MaskError, match="between 1 and the number of keys, 3; sequence 0 has 4"):
        padding_mask([4], 3)
    with pytest.raises(ShapeError, match="whole numbers of shape"):
        padding_mask([1.5], 3)
    with pytest.raises(ShapeError, match=r"got torch\.float32"):
        token_mask(torch.ones(1, 3))


def test_masks_are_made_where_they_are_wanted():
    with torch.device("meta"):  # what says no device of its own lands there
        for lengths in ([1, 3], torch.tensor([1, 3], device="cpu")):
            mask = padding_mask(lengths, 3, device="cpu")
            assert mask.device.type == "cpu"
            assert mask.int().squeeze().tolist() == [[1, 0, 0], [1, 1, 1]]
        assert causal_mask(2, device="cpu").device.type == "cpu"

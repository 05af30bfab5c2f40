"""Decoders beside those of transformers, with the same weights."""

import torch
from torch.testing import assert_close

from tutorial_lib.attention import capture_attention


def batch(length=11):
    """Three texts of a vocabulary of 23, and which of their tokens are no padding."""
    torch.manual_seed(1)
    ids = torch.randint(23, (3, length))
    return ids, torch.arange(length) < torch.tensor([[length], [1], [length // 2]])


@torch.no_grad()
def assert_equal(ours, other, ids, mask):
    """Our decoder and one of transformers give the same logits, hidden states and weights."""
    with capture_attention(ours) as maps:
        logits = ours(ids, mask)
    states = ours.hidden_states(ids, mask)
    expected = other(
        ids, attention_mask=mask.long(), output_hidden_states=True, output_attentions=True
    )
    assert_close(logits, expected.logits, atol=1e-5, rtol=1e-5)
    assert len(maps) == len(expected.attentions)
    for state, wanted in zip(states, expected.hidden_states, strict=True):
        assert_close(state, wanted, atol=1e-5, rtol=1e-5)
    for weights, wanted in zip(maps, expected.attentions, strict=True):
        assert_close(weights, wanted, atol=1e-5, rtol=1e-5)

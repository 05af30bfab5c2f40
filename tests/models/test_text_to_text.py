"""BART and T5 against transformers' own, from odd sizes, with padding on both sides."""

import pytest
import torch
from text_to_text_files import CASES, saved
from torch.testing import assert_close

from tutorial_lib.attention import capture_attention


def inputs():
    """Return ids and masks of three sources and three targets, padded on the right."""
    torch.manual_seed(1)
    source, target = torch.randint(2, 23, (3, 11)), torch.randint(2, 23, (3, 13))
    source_mask = torch.arange(11) < torch.tensor([[11], [1], [5]])
    target_mask = torch.arange(13) < torch.tensor([[2], [13], [7]])
    return source, target, source_mask, target_mask


@pytest.mark.parametrize("case", CASES)
@torch.no_grad()
def test_equals_transformers(tmp_path, case):
    ours, other = saved(tmp_path, case)
    source, target, source_mask, target_mask = inputs()
    with capture_attention(ours) as maps:
        found = ours(source, target, source_mask, target_mask)
    expected = other(
        source,
        attention_mask=source_mask.long(),
        decoder_input_ids=target,
        decoder_attention_mask=target_mask.long(),
        output_attentions=True,
        output_hidden_states=True,
    )
    assert_close(found[target_mask], expected.logits[target_mask], atol=2e-5, rtol=2e-5)
    encoder, decoder = ours.hidden_states(source, target, source_mask, target_mask)
    for states, wanted, mask in (
        (encoder, expected.encoder_hidden_states, source_mask),
        (decoder, expected.decoder_hidden_states, target_mask),
    ):
        for state, theirs in zip(states, wanted, strict=True):
            assert_close(state[mask], theirs[mask], atol=2e-5, rtol=2e-5)
    for weights, wanted in zip(maps.cross, expected.cross_attentions, strict=True):
        assert_close(weights, wanted, atol=1e-5, rtol=1e-5)
    for weights, wanted in zip(maps.encoder, expected.encoder_attentions, strict=True):
        assert_close(weights, wanted, atol=1e-5, rtol=1e-5)
    assert not ours.training

"""Translated pairs, and how often languages are drawn."""

import math

import pytest
import torch
from torch.testing import assert_close

from tutorial_lib.errors import ContextError, ShapeError
from tutorial_lib.models import XLMConfig
from tutorial_lib.objectives import (
    mask_tokens,
    masked_token_loss,
    pack_translated,
    sampling_shares,
    tlm_pair,
)


def test_a_pair_counts_its_positions_twice():
    pair = tlm_pair([5, 6, 7], [8], sep_id=1, languages=(3, 2))
    assert pair.ids == [1, 5, 6, 7, 1, 1, 8, 1]
    assert pair.languages == [3, 3, 3, 3, 3, 2, 2, 2]
    assert pair.positions == [0, 1, 2, 3, 4, 0, 1, 2]


def test_a_long_pair_loses_tokens_of_its_longer_sentence():
    long, short = list(range(10, 20)), [5, 6]
    assert tlm_pair(long, short, 1, context=9).ids == [1, 10, 11, 12, 1, 1, 5, 6, 1]
    assert tlm_pair(short, long, 1, context=9).ids == [1, 5, 6, 1, 1, 10, 11, 12, 1]
    assert tlm_pair(long, short, 1, context=16) == tlm_pair(long, short, 1)
    with pytest.raises(ContextError, match="are 6 tokens, context is 5"):
        tlm_pair(long, short, 1, context=5)
    with pytest.raises(ValueError, match="in another language, got 2 for both"):
        tlm_pair(long, short, 1, languages=(2, 2))


def test_a_batch_and_its_loss():
    pairs = [tlm_pair([5, 6, 7], [8, 4], 1), tlm_pair([4], [5], 1)]
    batch = pack_translated(pairs, pad_id=2)
    assert batch.ids.tolist() == [[1, 5, 6, 7, 1, 1, 8, 4, 1], [1, 4, 1, 1, 5, 1, 2, 2, 2]]
    assert batch.mask.tolist()[1] == [True] * 6 + [False] * 3
    assert batch.positions.tolist()[1] == [0, 1, 2, 0, 1, 2, 0, 0, 0]
    with pytest.raises(ShapeError, match="at least one pair"):
        pack_translated([], pad_id=2)
    torch.manual_seed(0)
    sizes = {"vocab_size": 9, "context": 6, "d_model": 8, "n_layers": 2, "n_heads": 2}
    model = XLMConfig(**sizes, mlm=True).build().eval()
    tokens = mask_tokens(
        batch.ids, 3, 9, [1, 2], batch.languages, batch.mask, share=0.5,
        generator=torch.Generator().manual_seed(0),
    )  # fmt: skip
    hidden = model(tokens.ids, batch.languages, batch.mask, batch.positions)
    expected = torch.nn.functional.cross_entropy(
        model.mlm_logits(hidden)[tokens.chosen], batch.ids[tokens.chosen]
    )
    assert_close(masked_token_loss(model, tokens, batch.positions), expected)


def test_shares_are_powers_of_the_shares_of_text():
    counts = {"en": 300, "de": 100, "sw": 4, "none": 0}
    for alpha in (1.0, 0.5, 0.3):
        shares = sampling_shares(counts, alpha)
        assert shares.keys() == counts.keys()
        assert sum(shares.values()) == pytest.approx(1)
        assert shares["en"] / shares["sw"] == pytest.approx(75**alpha)
        assert shares["none"] == 0
    assert sampling_shares(counts, 1)["en"] == pytest.approx(300 / 404)
    assert sampling_shares([300, 4], 0) == [0.5, 0.5]
    assert sampling_shares([300, 4, 0], 0) == [0.5, 0.5, 0]
    assert sampling_shares([1e300, 1e299], 5)[0] == pytest.approx(1e5 / (1e5 + 1))


@pytest.mark.parametrize(
    ("counts", "alpha", "message"),
    [
        ([1, -1], 1, "counts are numbers of at least 0, some of them above 0, got -1"),
        ([0, 0], 1, r"some of them above 0, got \[0, 0\]"),
        ({}, 1, r"some of them above 0, got \[\]"),
        ([1, math.nan], 1, "got nan"),
        ([1, 2], -0.1, "alpha must be a number of at least 0, got -0.1"),
        ([1, 2], math.inf, "alpha must be a number of at least 0, got inf"),
    ],
)
def test_shares_of_nothing(counts, alpha, message):
    with pytest.raises(ValueError, match=message):
        sampling_shares(counts, alpha)

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from tutorial_lib.decoding.sampling import greedy, sample, temperature, top_k, top_p

numbers = st.floats(-20, 20, width=32)
rows = st.lists(numbers, min_size=1, max_size=12).map(torch.tensor)
shares = st.floats(0.01, 1.0)
relaxed = settings(max_examples=150)


def kept(logits):
    return [i for i, value in enumerate(logits.tolist()) if value > -math.inf]


@relaxed
@given(rows, st.integers(1, 12))
def test_top_k_keeps_the_k_highest_and_ties_with_the_last(logits, k):
    k = min(k, len(logits))
    left = top_k(logits, k)
    border = sorted(logits.tolist(), reverse=True)[k - 1]
    assert kept(left) == [i for i, value in enumerate(logits.tolist()) if value >= border]
    assert torch.equal(left[kept(left)], logits[kept(left)])


@relaxed
@given(rows, shares)
def test_top_p_keeps_the_smallest_set_that_holds_p(logits, p):
    left = top_p(logits, p)
    probabilities = logits.double().softmax(-1)
    stay = kept(left)
    assert stay
    assert torch.equal(left[stay], logits[stay])
    total = probabilities[stay].sum().item()
    assert total >= p - 1e-5
    if p < 1 and len(stay) > 1:  # without its least likely token it would not hold p
        assert total - probabilities[stay].min().item() < p + 1e-5
    gone = sorted(set(range(len(logits))) - set(stay))
    if gone:
        assert logits[gone].max() <= logits[stay].min()


def test_top_p_keeps_the_token_that_crosses_p():
    logits = torch.tensor([0.4, 0.3, 0.2, 0.1]).log()
    assert kept(top_p(logits, 0.4)) == [0]
    assert kept(top_p(logits, 0.41)) == [0, 1]
    assert kept(top_p(logits, 0.69)) == [0, 1]
    assert kept(top_p(logits, 0.71)) == [0, 1, 2]
    assert kept(top_p(logits, 0.01)) == [0]
    assert kept(top_p(logits, 1)) == [0, 1, 2, 3]
    even = torch.zeros(4)  # of equal tokens the lower ids come first
    assert kept(top_p(even, 0.5)) == [0, 1]


def test_top_p_1_keeps_even_what_rounds_to_nothing():
    logits = torch.tensor([0.0, -1.0, -60.0, -80.0])
    assert kept(top_p(logits, 1.0)) == [0, 1, 2, 3]


@relaxed
@given(rows, st.permutations(range(12)), shares, st.floats(0.1, 5))
def test_filters_do_not_depend_on_the_order_of_the_vocabulary(logits, order, p, t):
    logits = logits + torch.arange(len(logits)) * 1e-3  # no ties
    if len(set(logits.tolist())) < len(logits):
        return
    order = [i for i in order if i < len(logits)]
    for chosen in (lambda x: top_k(x, 1 + len(x) // 2), lambda x: temperature(x, t)):
        assert torch.equal(chosen(logits)[order], chosen(logits[order]))
    # Sums in another order round differently: stay away from the border.
    reached = logits.double().sort(descending=True).values.softmax(-1).cumsum(-1)
    if (reached - p).abs().min() > 1e-5:
        assert torch.equal(top_p(logits, p)[order], top_p(logits[order], p))


@relaxed
@given(st.lists(st.tuples(*[numbers] * 5), min_size=1, max_size=4), shares)
def test_rows_of_a_batch_are_filtered_one_by_one(batch, p):
    together = torch.tensor(batch)
    assert torch.equal(top_p(together, p), torch.stack([top_p(row, p) for row in together]))
    assert torch.equal(top_k(together, 2), torch.stack([top_k(row, 2) for row in together]))


def test_filters_equal_transformers():
    from transformers import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

    logits = torch.randn(50, 200, generator=torch.Generator().manual_seed(0)).double() * 3
    for p in (0.05, 0.5, 0.9, 0.99):
        assert torch.equal(top_p(logits, p), TopPLogitsWarper(p)(None, logits))
    for k in (1, 7, 200):
        assert torch.equal(top_k(logits, k), TopKLogitsWarper(k)(None, logits))
    assert torch.equal(temperature(logits, 0.7), TemperatureLogitsWarper(0.7)(None, logits))


def test_filters_leave_their_input_alone():
    logits = torch.randn(3, 9)
    before = logits.clone()
    for filtered in (top_k(logits, 2), top_p(logits, 0.3), temperature(logits, 2.0)):
        assert not torch.equal(filtered, before)
    assert torch.equal(logits, before)


def test_temperature_sharpens_and_flattens():
    logits = torch.tensor([0.0, 1.0, 2.0])
    best = [temperature(logits, t).softmax(-1)[2].item() for t in (0.01, 0.5, 1, 2, 100)]
    assert best == sorted(best, reverse=True)
    assert best[0] == pytest.approx(1)
    assert best[-1] == pytest.approx(1 / 3, abs=0.01)


@pytest.mark.parametrize("value", [1e-36, 1e-38, 1e-46, 5e-324])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
def test_a_temperature_of_nearly_0_is_greedy(value, dtype):
    logits = torch.tensor(
        [
            [-300.0, 250.0, 249.75, -math.inf],
            [-300.0, -2.0, -500.0, -2.5],
            [0.0, -1.0, -math.inf, -4.0],
            [7.0, 7.0, -7.0, 6.0],
        ],
        dtype=dtype,
    )
    expected = torch.tensor([[0, 1, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0], [0.5, 0.5, 0, 0]])
    cold = temperature(logits, value)
    assert torch.equal(cold.softmax(-1), expected.to(dtype))
    assert torch.equal(top_p(top_k(cold, 2), 0.9).softmax(-1), expected.to(dtype))
    drawn = sample(cold[:3].expand(50, 3, 4).reshape(-1, 4))
    assert torch.equal(drawn, greedy(logits[:3]).repeat(50))


def test_a_row_is_divided_alike_whatever_stands_beside_it():
    small, large = torch.tensor([1e-30, 2e-30, -3e-30]), torch.tensor([300.0, 250.0, 0.0])
    together = temperature(torch.stack([small, large]), 1e-37)
    assert torch.equal(together[0], small / 1e-37)
    assert together[1].softmax(-1).tolist() == [1, 0, 0]


def test_samples_follow_the_probabilities_and_the_seed():
    logits = torch.tensor([0.5, 0.3, 0.2, 0.0]).log().expand(20_000, 4)
    drawn = sample(logits, torch.Generator().manual_seed(0))
    frequencies = torch.bincount(drawn, minlength=4) / 20_000
    assert_close(frequencies, torch.tensor([0.5, 0.3, 0.2, 0.0]), atol=0.015, rtol=0)
    assert torch.equal(drawn, sample(logits, torch.Generator().manual_seed(0)))
    assert not torch.equal(drawn, sample(logits, torch.Generator().manual_seed(1)))


def test_greedy_takes_the_highest():
    assert greedy(torch.tensor([[0.0, 2.0], [5.0, 1.0]])).tolist() == [1, 0]


@pytest.mark.parametrize("value", [0, -1, -0.5, math.nan, math.inf])
def test_temperature_must_be_above_0(value):
    with pytest.raises(
        ValueError, match=f"temperature must be a finite number above 0, got {value}"
    ):
        temperature(torch.zeros(3), value)


@pytest.mark.parametrize("k", [0, -1, 4, 2.0])
def test_top_k_must_fit_the_vocabulary(k):
    with pytest.raises(ValueError, match=f"between 1 and the vocabulary's 3, got {k}"):
        top_k(torch.zeros(3), k)


@pytest.mark.parametrize("p", [0, -0.1, 1.01, math.nan])
def test_top_p_must_be_a_share(p):
    with pytest.raises(ValueError, match=f"top_p must be above 0 and at most 1, got {p}"):
        top_p(torch.zeros(3), p)


@pytest.mark.parametrize("p", [1e-50, 1e-320, 1e-9])
def test_the_smallest_p_keeps_the_likeliest_token(p):
    logits = torch.tensor([[0.0, 2.0, 1.0], [5.0, 5.0, 5.0]])
    assert top_p(logits, p).isfinite().tolist() == [
        [False, True, False],
        [True, False, False],
    ]


def test_a_temperature_may_be_a_large_whole_number():
    logits = torch.tensor([0.0, 3.0])
    assert_close(temperature(logits, 10**30), torch.tensor([0.0, 3e-30]))
    with pytest.raises(ValueError, match="temperature must be a finite number above 0"):
        temperature(logits, 10**400)

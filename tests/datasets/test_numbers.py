import itertools

import pytest
import torch

from tutorial_lib.datasets import bag_ceiling, number_words, numbers_in_words


def test_words():
    assert number_words(100) == ["one", "hundred"]
    assert number_words(117) == ["one", "hundred", "and", "seventeen"]
    assert number_words(342) == ["three", "hundred", "and", "forty", "two"]
    assert number_words(1200) == ["one", "thousand", "two", "hundred"]


def test_the_ceiling_is_64_percent():
    # By hand: of the nine bags with a repeated digit and of all bags without a units digit every
    # number is readable; the others collide in pairs.
    assert bag_ceiling() == 576 / 900 == 0.64
    assert bag_ceiling(range(110, 120)) == 1.0
    assert bag_ceiling([203, 302, 303]) == 2 / 3


def test_columns_agree():
    data = numbers_in_words()
    assert data.ids.shape == (900, 5)
    assert data.vocabulary[0] == "[PAD]"
    assert len(set(data.vocabulary)) == 30
    for index in range(0, 900, 37):
        value = int(data.values[index])
        assert data.words(index) == number_words(value)
        assert data.digits[index] == value // 100
        assert (data.ids[index, data.lengths[index] :] == 0).all()
        assert (data.ids[index, : data.lengths[index]] > 0).all()


def test_split_is_fixed_and_disjoint():
    data = numbers_in_words()
    train, held_out = data.split()
    again, _ = data.split()
    other, _ = data.split(seed=1)
    assert torch.equal(train.values, again.values)
    assert not torch.equal(train.values, other.values)
    assert sorted(train.values.tolist() + held_out.values.tolist()) == list(range(100, 1000))
    assert len(held_out) == 180


def test_batches_cover_an_epoch_and_repeat_with_the_seed():
    data = numbers_in_words()
    epoch = list(itertools.islice(data.batches(100, seed=3), 9))
    again = list(itertools.islice(data.batches(100, seed=3), 9))
    assert all(torch.equal(a[0], b[0]) for a, b in zip(epoch, again, strict=True))
    seen = torch.cat([ids for ids, _, _ in epoch])
    assert len(seen.unique(dim=0)) == 900


def test_bad_arguments():
    with pytest.raises(ValueError, match="at least one number"):
        numbers_in_words([])
    with pytest.raises(ValueError, match="share between 0 and 1, got 1"):
        numbers_in_words().split(held_out=1)


def test_the_ceiling_counts_the_hundreds_digit_and_needs_numbers():
    assert bag_ceiling([1203, 1302]) == 0.5
    assert bag_ceiling([1200, 2200]) == 1.0  # the same digit, whatever the thousands
    with pytest.raises(ValueError, match="at least one number, got none"):
        bag_ceiling([])

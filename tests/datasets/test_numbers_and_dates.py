import datetime
import functools

import pytest

from tutorial_lib.datasets import date_in_words, load_dates, load_numbers, number_in_words

FINGERPRINTS = {
    (load_numbers, "de"): "e70ebdb937272a3284c199693b622ad45131d334bfecffed6437ce8937f4be61",
    (load_numbers, "fr"): "fa5f2a9d093ebe72264d3ac6f7248901a508b4457ed0660c3e5a98fa23570a68",
    (load_dates, "de"): "761a279a21ae23b621d40c9bfb13685f8a5187d21c46ea12faac4eadc503615f",
    (load_dates, "fr"): "f66fdbaa18a10e30b031b3d789718a3082f68316c9b60a72eaaea64b4cbb2698",
}
LARGE = 100_000
load_once = functools.cache(lambda load, *languages: load(*languages, n_train=LARGE))
WRITE = {load_numbers: number_in_words, load_dates: date_in_words}

both = pytest.mark.parametrize("load", [load_numbers, load_dates])


@pytest.mark.parametrize(("load", "target"), FINGERPRINTS)
def test_the_split_is_the_fixed_one(load, target):
    splits = load(target)
    assert [len(part) for part in splits] == [20_000, 500, 1_000]
    assert splits.fingerprint == FINGERPRINTS[load, target]


@both
def test_held_out_values_are_never_trained_on_in_any_language_or_size(load):
    held_out = {value for part in (load("de").validation, load("de").test) for value in part.values}
    assert len(held_out) == 1_500
    for splits in (load_once(load, "fr"), load("de"), load("en", "fr", n_train=5_000)):
        assert held_out.isdisjoint(splits.train.values)
        assert held_out == {*splits.validation.values, *splits.test.values}
        assert len(set(splits.train.values)) == len(splits.train)


@both
def test_no_held_out_text_is_trained_on(load):
    splits = load_once(load, "fr")
    assert set(splits.train.sources).isdisjoint(splits.test.sources)
    assert set(splits.train.targets).isdisjoint(splits.test.targets)


@both
def test_a_smaller_training_set_is_the_start_of_a_larger_one(load):
    assert load("de", n_train=500).train.values == load("fr").train.values[:500]


@both
def test_pairs_say_the_same_value(load):
    test = load("fr", "de").test
    write = WRITE[load]
    for index in range(0, 1_000, 97):
        value = test.values[index]
        assert test[index] == (write(value, "de"), write(value, "fr"))
    assert list(test)[3] == test[3]
    assert repr(test) == "Pairs(1,000 from de to fr)"


def test_numbers_of_every_length_are_trained_on_and_tested():
    train, validation, test = load_numbers()
    assert set(range(100)) <= set(train.values)
    for part in (validation, test):
        lengths = [len(str(value)) for value in part.values]
        assert sorted(set(lengths)) == [3, 4, 5, 6]
        assert all(0.2 < lengths.count(n) / len(part) < 0.4 for n in (4, 5, 6))
        assert 0.05 < lengths.count(3) / len(part) < 0.15


def test_every_word_of_the_held_out_numbers_and_dates_is_trained_on():
    for load in (load_numbers, load_dates):
        train, _, test = load("fr")
        for texts in ("sources", "targets"):
            known = {word for text in getattr(train, texts) for word in text.split()}
            assert {word for text in getattr(test, texts) for word in text.split()} <= known


def test_dates_span_three_centuries():
    values = load_dates().train.values
    assert min(values) >= datetime.date(1800, 1, 1)
    assert max(values) <= datetime.date(2099, 12, 31)
    assert len({value.year for value in values}) == 300
    assert len({(value.month, value.day) for value in values}) >= 365


@both
def test_bad_arguments(load):
    with pytest.raises(ValueError, match="two languages, got 'en' twice"):
        load("en")
    with pytest.raises(ValueError, match="one of en, de, fr, got 'it'"):
        load("it")
    with pytest.raises(ValueError, match="got 600,000"):
        load(n_train=600_000)
    with pytest.raises(ValueError, match="got 0"):
        load(n_train=0)

"""The six tasks of the text-to-text model: what is right, and that nothing of a test is trained."""

import datetime
from collections import Counter

import pytest

from tutorial_lib.datasets import (
    TASKS,
    date_in_words,
    load_dates,
    load_numbers,
    load_text_task,
    number_in_words,
)


@pytest.mark.parametrize("task", TASKS)
def test_no_test_or_validation_example_is_trained_on_at_any_size(task):
    train, validation, test = load_text_task(task, 5_000)
    sources = [{pair.source for pair in part} for part in (train, validation, test)]
    assert [len(part) for part in (train, validation, test)] == [5_000, 200, 500]
    assert not sources[0] & sources[1]
    assert not (sources[0] | sources[1]) & sources[2]
    assert load_text_task(task, 100).train == train[:100]
    assert {pair.task for pair in (*train, *test)} == {task}


def said(pair):
    return pair.source.partition(": ")[2]


def test_sums_are_sums():
    for pair in load_text_task("add", 2_000).train:
        first, second = said(pair).split(" + ")
        assert number(first) + number(second) == number(pair.target)


def number(digits):
    return int(digits.replace(" ", ""))


def test_letters_are_sorted():
    for pair in load_text_task("sort", 2_000).train:
        assert Counter(pair.target) == Counter(said(pair))
        assert pair.target.split() == sorted(said(pair).split())


def test_the_larger_number_is_copied_and_length_alone_does_not_give_it_away():
    value = {number_in_words(number): number for number in range(1_000_000)}
    test = load_text_task("larger", 100).test
    longer = 0
    for pair in test:
        first, second = said(pair).split(" or ")
        assert pair.target == max(first, second, key=value.get)
        longer += pair.target == max(first, second, key=len)
    assert 0.5 < longer / len(test) < 0.9


def test_dates_and_numbers_are_those_that_chapter_04_holds_out():
    dates = {date_in_words(day): day for day in load_dates("de").test.values}
    for pair in load_text_task("date", 100).test:
        assert dates[said(pair)] == datetime.date.fromisoformat(pair.target)
    held_out = dict(load_numbers("fr").test)
    assert all(held_out[said(pair)] == pair.target for pair in load_text_task("french", 100).test)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("shout",), "a task is one of german, french"),
        (("sort", 99), "n_train of sort is a number from 100 to 50,000, got 99"),
        (("add", 7_401), "n_train of add is a number from 100 to 7,400, got 7,401"),
    ],
)
def test_an_unknown_task_or_size_is_named(arguments, words):
    with pytest.raises(ValueError, match=words):
        load_text_task(*arguments)

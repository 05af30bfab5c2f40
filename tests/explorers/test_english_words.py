import pytest

from tutorial_lib.datasets import load_dates, load_numbers
from tutorial_lib.explorers.english_words import is_number_or_date
from tutorial_lib.recipes.translator import normalise


@pytest.mark.parametrize("load", [load_numbers, load_dates])
def test_all_that_was_trained_on_is_known(load):
    splits = load("de")
    texts = [*splits.train.sources, *splits.test.sources]
    unknown = [text for text in texts if not is_number_or_date(normalise(text).strip())]
    assert unknown == []


@pytest.mark.parametrize(
    "words",
    [
        "",
        "seven seven",
        "hundred",
        "and two",
        "forty ten",
        "two hundred two hundred",
        "one thousand thousand",
        "zero one",
        "monday",
        "monday march",
        "monday march twenty nineteen eighty four",
        "march twenty first nineteen eighty four",
        "monday may thirty second nineteen ten",
        "seventy" + " seventy" * 20,
    ],
)
def test_what_is_neither_number_nor_date_is_told_apart(words):
    assert not is_number_or_date(words)

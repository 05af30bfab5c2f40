import pytest

from tutorial_lib.datasets import load_reviews
from tutorial_lib.datasets.premises import LABELS
from tutorial_lib.datasets.prompt_tasks import (
    LONGEST_REVIEW,
    VERBS,
    WORDS,
    premise_items,
    review_items,
    sum_items,
    verb_items,
    word_items,
)


def test_every_word_has_one_translation_and_comes_once():
    assert all(len(row) == 3 for row in WORDS)
    for language in ("French", "German"):
        items = word_items(language)
        assert len({item.question for item in items}) == len(items) == len(WORDS) >= 64
    assert all(item.answer[0].isupper() for item in word_items("German"))
    assert sum(item.question == item.answer for item in word_items("French")) <= 2
    with pytest.raises(KeyError):
        word_items("Latin")


def test_each_sentence_has_one_wrong_verb():
    assert all(len(row) == 4 for row in VERBS)
    for item in verb_items():
        wrong, right = item.question.split(), item.answer.split()
        assert len(wrong) == len(right)
        assert [a != b for a, b in zip(wrong, right, strict=True)].count(True) == 1
        assert wrong[1].endswith("ed")
    assert len({row[1] for row in VERBS}) == len(VERBS)


def test_sums_are_right_and_all_there():
    items = sum_items()
    assert len(set(items)) == 81
    assert all(eval(item.question) == int(item.answer) for item in items)


def test_premises_come_with_each_label_equally_often():
    items = premise_items(90)
    assert sorted(item.answer for item in items) == sorted(LABELS * 30)
    assert all(len(item.question.split("\n")) == 2 for item in items)


def test_reviews_are_short_balanced_and_none_of_the_test_films():
    items = review_items()
    labels = [item.answer for item in items]
    assert labels.count("fresh") == labels.count("rotten") > 100
    assert max(len(item.question) for item in items) <= LONGEST_REVIEW
    assert review_items() == items
    tested = {review.text for review in load_reviews().test}
    assert tested.isdisjoint(item.question for item in items)
    assert 20 < sum(item.answer == "fresh" for item in items[:80]) < 60

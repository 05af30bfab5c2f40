"""Answers that fresh readers wrote from the texts of the exercises alone, before any check.

A file a chapter in fresh_answers/: RIGHT = {exercise: [answer, ...]} and WRONG = {exercise:
[(what is wrong, answer), ...]}. For a symptom an answer is (letter, repaired code), where None
stands for the right letter, since readers of the texts see no picture; for a claim a number.
"""

import pytest
from property_checks import fresh_chapters, verdict

CHAPTERS = fresh_chapters()
RIGHT = [
    pytest.param(id, answer, id=f"{id} {number}")
    for module in CHAPTERS.values()
    for id, answers in module.RIGHT.items()
    for number, answer in enumerate(answers)
]


@pytest.mark.parametrize(("id", "answer"), RIGHT)
def test_what_is_right_is_accepted(id, answer):
    found = verdict(id, answer)
    assert found.status == "right", found.text


@pytest.mark.slow
@pytest.mark.parametrize("name", CHAPTERS)
def test_what_is_wrong_is_refused_and_nine_of_ten_mistakes_are_named(name):
    judged = [
        (f"{id} {what}", verdict(id, answer).status)
        for id, answers in CHAPTERS[name].WRONG.items()
        for what, answer in answers
    ]
    assert [answer for answer, status in judged if status == "right"] == []
    named = sum(status == "mistake" for _, status in judged)
    assert named >= 0.9 * len(judged)

"""What check says of answers that nobody has written out: for each chapter's test_properties.

A chapter lists its answers as {exercise: {name: (answer, sentences)}}: the beginnings of what is to
be said, in order.
"""

import functools

import pytest
import torch

from tutorial_lib.exercises.engine import registry
from tutorial_lib.exercises.engine.attempts import plainly
from tutorial_lib.exercises.engine.tasks import Symptom
from tutorial_lib.exercises.engine.verdicts import judge


def verdict(id, answer):
    """What check says of an answer, for a symptom of a repair next to the right letter."""
    task = registry.find(id)
    return judge(task, *((task.answer, answer) if isinstance(task, Symptom) else (answer,)))


def rows(answers):
    """One test for each answer."""
    return [
        pytest.param(id, *entry, id=f"{id} {name}")
        for id, named in answers.items()
        for name, entry in named.items()
    ]


def assert_named(id, answer, sentences):
    """Each sentence is said, in order, and nothing else is."""
    text = verdict(id, answer).text
    places = [text.find(sentence) for sentence in sentences]
    assert -1 not in places, text
    assert places == sorted(places), text
    several = f"{len(sentences)} things to mend" in text
    assert several or (len(sentences) == 1 and "things to mend" not in text), text


def assert_right(id, answer):
    """The answer is right, and nothing is said against it."""
    found = verdict(id, answer)
    assert found.status == "right", found.text


def assert_the_solution_holds(id):
    """Every property is True of the solution: None would hide one that fails on its own code."""
    task = registry.find(id)
    for entry in task.properties:
        assert entry.holds(functools.partial(plainly, task, task.solution)) is True, entry.sentence


def assert_right_in_short_floats(id):
    """The solution is right, too, when its result is rounded to float16."""

    def short(*args, **kwargs):
        found = registry.find(id).solution(*args, **kwargs)
        single = isinstance(found, torch.Tensor) and found.is_floating_point()
        return found.half() if single else found

    assert verdict(id, short).status == "right"

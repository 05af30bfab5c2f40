"""What check says of answers that nobody has written out: for each chapter's test_properties, and
for the answers of fresh readers.

A chapter lists its answers as {exercise: {name: (answer, sentences)}}: the beginnings of what is to
be said, in order.
"""

import importlib.util
import re

import pytest
from isolation import ROOT

from tutorial_lib.exercises.engine import registry
from tutorial_lib.exercises.engine.tasks import Symptom
from tutorial_lib.exercises.engine.verdicts import judge

FRESH = ROOT / "tests" / "exercises" / "fresh_answers"


def fresh_chapters():
    """The answers of fresh readers: chapter -> a module with RIGHT and WRONG."""
    found = {}
    for path in sorted(FRESH.glob("chapter*.py")):
        spec = importlib.util.spec_from_file_location(f"fresh_{path.stem}", path)
        found[path.stem] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(found[path.stem])
    return found


def verdict(id, answer):
    """What check says of an answer; for a symptom (letter, repair) or the repair alone, which then
    comes next to the right letter."""
    task = registry.find(id)
    if not isinstance(task, Symptom):
        return judge(task, answer)
    letter, repaired = answer if isinstance(answer, tuple) else (None, answer)
    return judge(task, letter or task.answer, repaired)


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
    told = re.search(r"(\d+) things", text)
    assert (int(told[1]) if told else 1) == len(sentences), text


def assert_right(id, answer):
    """The answer is right, and nothing is said against it."""
    found = verdict(id, answer)
    assert found.status == "right", found.text

"""Every exercise of every chapter keeps its promises; `-s` prints the exercise table."""

import functools
import importlib.util
import itertools

import pytest
import torch

from tutorial_lib.exercises.engine import registry
from tutorial_lib.exercises.engine.attempts import attempts, parted, plainly
from tutorial_lib.exercises.engine.cells import stub
from tutorial_lib.exercises.engine.sources import standing
from tutorial_lib.exercises.engine.table import rows, table
from tutorial_lib.exercises.engine.tasks import Claim, Symptom, message
from tutorial_lib.exercises.engine.verdicts import judge, judge_recall

CHAPTERS = registry.chapters()
TASKS = [task for chapter in CHAPTERS for task in registry.contents(chapter).values()]
CODE = [task for task in TASKS if not isinstance(task, Claim)]
QUESTIONS = [q for c in CHAPTERS for q in registry.contents(c, "recall question").values()]


def each(tasks):
    return pytest.mark.parametrize("task", tasks, ids=lambda task: task.id)


def given(task, code):
    """The arguments of `judge` for a piece of code as the answer."""
    if isinstance(task, Claim):
        return (code(),)
    return (task.answer, code) if isinstance(task, Symptom) else (code,)


@each(TASKS)
def test_solution_and_second_style_pass(task):
    for code in (task.solution, task.second_style):
        verdict = judge(task, *given(task, code))
        assert verdict.status == "right", verdict.text
        assert "in place" not in verdict.text


@each(CODE)
def test_no_property_fails_on_a_right_answer(task):
    # `broken` skips a property that fails, as an answer may be anything: a slip of our own in one
    # would never be seen. None says that there is nothing to judge.
    for code in (task.solution, task.second_style):
        for entry in task.properties:
            assert entry.holds(functools.partial(plainly, task, code)) in (True, None), entry


@each(CODE)
def test_no_property_refuses_a_right_answer_in_short_floats(task):
    if isinstance(task.solution, type):
        pytest.skip("a class has no output of its own")

    def short(*args, **kwargs):
        found = task.solution(*args, **kwargs)
        several = isinstance(found, tuple)
        parts = [
            part.half() if isinstance(part, torch.Tensor) and part.is_floating_point() else part
            for part in (found if several else (found,))
        ]
        return tuple(parts) if several else parts[0]

    verdict = judge(task, *given(task, short))
    assert verdict.status == "right", verdict.text


@each(TASKS)
def test_each_mistake_fails_with_its_own_message(task):
    for mistake in task.mistakes:
        verdict = judge(task, *given(task, mistake))
        shown = isinstance(task, Symptom) and mistake is task.shown
        assert verdict.status == ("halfway" if shown else "mistake"), verdict.text
        assert verdict.mistake is mistake or shown
        assert message(mistake) in verdict.text


@each(TASKS)
def test_three_things_can_go_wrong_and_their_sentences_are_distinct(task):
    messages = [message(mistake) for mistake in task.mistakes]
    messages += [entry.sentence for entry in getattr(task, "properties", ())]
    assert len(messages) >= 3
    assert len(set(messages)) == len(messages)
    for text in messages:
        assert text[0].isupper(), text
        assert text.endswith((".", "?", "!")), text


# What the next test and the table say follows from test_each_mistake_fails_with_its_own_message;
# they say it more plainly.
@pytest.mark.sweep
@each(CODE)
def test_mistakes_differ_from_the_solution_and_from_each_other(task):
    codes = (task.solution, *task.mistakes)
    outcomes = [[outcome for _, outcome in attempts(task, code)] for code in codes]
    for (one, left), (two, right) in itertools.combinations(zip(codes, outcomes, strict=True), 2):
        apart = [parted(a, b, task.tolerance) for a, b in zip(left, right, strict=True)]
        assert any(apart), f"{one.__name__} and {two.__name__} agree on every case"


@each(CODE)
def test_the_stub_of_the_notebook_reads_not_tried_yet(task, tmp_path):
    header = standing(task.solution)[0]
    path = tmp_path / "cell.py"
    path.write_text(f"{header}\n\n\n{stub(task)}\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location("cell", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    written = getattr(module, task.name)
    if not isinstance(task, Symptom):
        assert judge(task, written).status == "open"
        return
    assert judge(task, None, written).status == "open"
    assert judge(task, task.answer, written).status == "halfway"


@each([task for task in TASKS if isinstance(task, Claim)])
def test_an_empty_number_reads_not_tried_yet(task):
    assert judge(task, None).status == "open"
    assert judge(task, float("nan")).status == "error"


@each([task for task in TASKS if isinstance(task, Symptom)])
def test_a_wrong_letter_says_what_it_would_have_looked_like(task):
    assert len(set(task.looks)) == len(task.looks)
    for letter, look in zip(task.choices, task.looks, strict=True):
        if letter != task.answer:
            assert look in judge(task, letter, task.shown).text


@each(TASKS)
def test_text_and_hints_are_there(task):
    assert len(task.hints) >= 2
    assert len(set(task.hints)) == len(task.hints)
    assert task.text.strip()
    assert task.id.split(".")[0].isalnum()


@pytest.mark.sweep
@each(TASKS)
def test_the_table_has_no_unexpected_row(task):
    text = table([task])
    print("\n" + text)
    assert "<-- expected" not in text
    assert len(list(rows(task))) >= len(task.mistakes) + 3


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
def test_recall_questions_know_their_answer(question):
    assert judge_recall(question, question.answer).status == "right"
    assert judge_recall(question, None).status == "open"
    wrong = [letter for letter in question.choices if letter != question.answer]
    for answer in wrong or [question.answer + 2 * question.tolerance + 1]:
        verdict = judge_recall(question, answer)
        assert verdict.status == "differs"
        assert question.see in verdict.text


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_is_complete(chapter):
    module = registry.chapter_module(chapter)
    number = chapter.lstrip("0") or "0"
    for entry in (*module.EXERCISES, *module.RECALL, *module.PREDICTIONS):
        assert entry.id.split(".")[0].lstrip("PR") == number
    for listed in (module.EXERCISES, module.RECALL, module.PREDICTIONS):
        assert len({entry.id for entry in listed}) == len(listed)
    assert module.TITLE
    if chapter == "00":
        return
    # A chapter with a part b (06 and 06b) has all kinds and levels between the two.
    whole = [
        task for c in CHAPTERS if c[:2] == chapter[:2] for task in registry.contents(c).values()
    ]
    kinds = [task.kind for task in whole]
    assert len(module.EXERCISES) >= (5 if chapter.endswith("b") else 7)
    assert kinds.count("symptom") >= 2
    assert kinds.count("claim") >= 1
    assert {task.level for task in whole} == {"easy", "medium", "hard"}
    assert len(module.RECALL) == 3
    assert module.PREDICTIONS

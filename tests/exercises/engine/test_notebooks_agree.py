"""The notebooks and the exercise files say the same."""

import ast
import inspect
import json
import re

import property_checks
import pytest
import torch
from isolation import ROOT

from tutorial_lib.exercises.engine import registry
from tutorial_lib.exercises.engine.tasks import Claim, Symptom
from tutorial_lib.figures.chapter00_start_here.course import READY

NOTEBOOKS = ROOT / "notebooks"
# A chapter's exercises may come before its notebook; nobody is shown them until it is ready.
WRITTEN = [chapter for chapter in registry.chapters() if chapter in READY]
SOLVED = {"0.0"}  # the demonstration is done, not left open


def cells(chapter):
    found = sorted(NOTEBOOKS.glob(f"{chapter}_*.ipynb"))
    assert found, f"chapter {chapter} has no notebook"
    return json.loads(found[0].read_text(encoding="utf-8"))["cells"]


def sources(chapter, kind):
    return ["".join(cell["source"]) for cell in cells(chapter) if cell["cell_type"] == kind]


def headings(chapter):
    text = "\n".join(sources(chapter, "markdown"))
    return re.findall(r"^#+ (.*)$", text, re.MULTILINE)


def pairs(sort):
    return [
        pytest.param(chapter, entry, id=entry.id)
        for chapter in WRITTEN
        for entry in registry.contents(chapter, sort).values()
    ]


def calls(chapter, function, key):
    """The code cells that call `function` with `key` as the first argument."""
    pattern = rf"""^[^#\n]*\b{function}\(\s*["']{re.escape(key)}["']"""
    return [
        cell
        for cell in cells(chapter)
        if cell["cell_type"] == "code" and re.search(pattern, "".join(cell["source"]), re.MULTILINE)
    ]


def checked_with(cell, id):
    """How many arguments a cell's `check` of that exercise has."""
    tree = ast.parse("".join(cell["source"]))
    (found,) = (
        len(node.args)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) == "check"
        and ast.unparse(node.args[0]) == repr(id)
    )
    return found


def test_a_chapter_that_is_not_ready_has_no_notebook():
    found = {path.name.split("_")[0] for path in NOTEBOOKS.glob("*.ipynb")}
    assert found == set(WRITTEN)


def plain(text):
    return " ".join(text.split())


@pytest.mark.parametrize(("chapter", "task"), pairs("exercise"))
def test_the_heading_holds_number_title_and_level(chapter, task):
    named = [h for h in headings(chapter) if re.search(rf"\b{re.escape(task.id)}(?![\d.])", h)]
    fitting = [h for h in named if "Exercise" in h and task.title in h and task.level in h]
    assert fitting, f"no heading for {task.id} {task.title} ({task.level}), only {named}"


@pytest.mark.parametrize(("chapter", "task"), pairs("exercise"))
def test_it_is_checked_and_reads_not_tried_yet(chapter, task):
    found = calls(chapter, "check", task.id)
    # A symptom may be checked twice: the letter by the picture, then the letter with the repair.
    assert len(found) in ((1, 2) if isinstance(task, Symptom) else (1,))
    if isinstance(task, Symptom):
        arguments = [checked_with(cell, task.id) for cell in found]
        assert arguments == [2, 3][-len(found) :], "the letter first, then letter and repair"
    for cell in found:
        if task.id not in SOLVED:
            shown = "".join("".join(output.get("text", "")) for output in cell.get("outputs", []))
            assert f"○ {task.id} {task.title}: not tried yet" in shown


@pytest.mark.parametrize(("chapter", "task"), pairs("exercise"))
def test_the_stub_has_the_solutions_parameters(chapter, task):
    if isinstance(task, Claim):
        pytest.skip("a claim asks for a number")
    found = []
    for source in sources(chapter, "code"):
        if task.name in source:
            found += [
                node
                for node in ast.walk(ast.parse(re.sub(r"^[%!].*$", "", source, flags=re.M)))
                if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == task.name
            ]
    assert found, f"no cell defines {task.name}"
    if inspect.isfunction(task.solution):
        wanted = list(inspect.signature(task.solution).parameters)
        arguments = [
            [a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)] for node in found
        ]
        assert wanted in arguments


def given(chapter):
    """Yield each stub that has code below its `raise`, without the raise."""
    for source in sources(chapter, "code"):
        tree = ast.parse(re.sub(r"^[%!].*$", "", source, flags=re.M))
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and any(
                isinstance(line, ast.Raise) for line in node.body[:-1]
            ):
                node.body = [line for line in node.body if not isinstance(line, ast.Raise)]
                yield node


@pytest.mark.parametrize("chapter", WRITTEN)
def test_code_that_is_given_as_wrong_is_refused_by_name(chapter):
    """What stands below a `raise` runs, and `check` says what is wrong with it."""
    tasks = {task.name: task for task in registry.contents(chapter, "exercise").values()}
    for node in given(chapter):
        space = {"torch": torch}
        exec(ast.unparse(node), space)
        found = property_checks.verdict(tasks[node.name].id, space[node.name])
        assert found.status == "mistake", f"{node.name}: {found}"


@pytest.mark.parametrize(("chapter", "task"), pairs("exercise"))
def test_what_a_miss_points_to_exists(chapter, task):
    if task.see:
        assert any(task.see in heading for heading in headings(chapter))


@pytest.mark.parametrize(("chapter", "question"), pairs("recall question"))
def test_recall_questions_stand_in_the_notebook(chapter, question):
    assert calls(chapter, "recall", question.id)
    text = plain("\n".join(sources(chapter, "markdown")))
    assert plain(question.question) in text
    for choice in question.choices.values():
        assert plain(choice) in text


@pytest.mark.parametrize(("chapter", "prediction"), pairs("prediction"))
def test_a_share_is_asked_for_as_one(chapter, prediction):
    assert prediction.share == ("between 0 and 1" in prediction.question)


@pytest.mark.parametrize(("chapter", "prediction"), pairs("prediction"))
def test_predictions_are_made_before_they_are_revealed(chapter, prediction):
    code = "\n".join(sources(chapter, "code"))
    made = re.search(rf"""predict\(\s*["']{re.escape(prediction.id)}["']""", code)
    revealed = re.search(rf"""reveal\(\s*["']{re.escape(prediction.id)}["']""", code)
    assert made
    assert revealed
    assert made.start() < revealed.start()


@pytest.mark.parametrize(("chapter", "question"), pairs("recall question"))
def test_what_a_recall_question_points_to_exists(chapter, question):
    named = re.match(r"(\d\d[a-z]?), (.*)", question.see)
    where, heading = named.groups() if named else (chapter, question.see)
    known = headings(where)
    assert heading in known or set(heading.split(" and ")) <= set(known), question.see


@pytest.mark.parametrize(
    ("chapter", "task"), [p for p in pairs("exercise") if isinstance(p.values[1], Symptom)]
)
def test_every_letter_of_a_symptom_can_be_read(chapter, task):
    (text,) = (s for s in sources(chapter, "markdown") if f"Exercise {task.id} ·" in s)
    assert re.findall(r"^- \(([a-h])\) \S", text, re.MULTILINE) == list(task.choices)

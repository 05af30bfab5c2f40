"""Keep the source of solved exercises in my_transformer.py, a module that grows with the learner.

Each exercise has one marked section, replaced when it is solved again. Everything outside the
sections is the learner's own text and stays as it is.
"""

import ast
import os
import re
from pathlib import Path

from tutorial_lib.exercises.engine.sources import import_line, standing
from tutorial_lib.exercises.engine.store import open_store, progress_folder
from tutorial_lib.files import write_text
from tutorial_lib.files.my_notebooks import CODE, code_place, course_folder

HEADER = '''"""My transformer: the code I wrote in this course, one section an exercise.

A section is written when `check` says right, and replaced when it says so again.
What stands outside the sections is mine and stays untouched.
"""
'''


def keeping_place():
    """Return the path of my_transformer.py: TUTORIAL_PROGRESS, else the course's my/, else here."""
    if os.environ.get("TUTORIAL_PROGRESS"):
        return progress_folder() / CODE
    course = course_folder()
    return code_place(course) if course else Path.cwd() / CODE


def keep(task, answer, path=None):
    """Write the source of a right answer into its section; return one sentence for the learner.

    Never raises for a file or a source that cannot be used: the sentence says why instead.
    """
    path = path or keeping_place()
    try:
        with open_store().locked():
            text = path.read_text(encoding="utf-8") if path.exists() else HEADER
            body = _body(task, answer, text)
            ast.parse(body)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(path, with_section(text, task, body))
    except SyntaxError:
        return f"Not kept in {path.name}: its source does not parse outside the notebook."
    except OSError as error:
        if error.strerror:
            return f"Not kept in {path.name}: {error.strerror}."
        return f"Not kept in {path.name}: write it as `def {task.name}` in a cell to keep it."
    except UnicodeDecodeError:
        return f"Not kept: {path.name} is not UTF-8 text."
    return f"Kept in {_shown(path)}."


def with_section(text, task, body):
    """Return `text` with the section of `task` replaced, or added at the end."""
    start = f"# --- exercise {task.id}: {task.name} ---"
    end = f"# --- end of exercise {task.id} ---"
    section = f"{start}\n{body.strip()}\n{end}"
    # A section whose end mark is gone is the learner's text now: a new one is added.
    inside = r"(?:(?!^# --- exercise ).)*?"
    pattern = rf"^# --- exercise {re.escape(task.id)}: {inside}^{re.escape(end)}$"
    if re.search(pattern, text, re.DOTALL | re.MULTILINE):
        return re.sub(pattern, lambda _: section, text, count=1, flags=re.DOTALL | re.MULTILINE)
    return text.rstrip("\n") + f"\n\n\n{section}\n"


def _shown(path):
    course = course_folder()
    inside = course and path.is_relative_to(course)
    return path.relative_to(course).as_posix() if inside else path.name


def _body(task, answer, text):
    name = getattr(answer, "__name__", None)
    if getattr(answer, "__module__", None) != "__main__":
        line = import_line(task.name, answer)
        if line is None:
            raise OSError
        return line
    body, left = standing(answer, known=_defined_elsewhere(task, text))
    if left:
        body = f"# also uses from the notebook: {', '.join(left)}\n{body}"
    return body if name == task.name else f"{body}\n\n\n{task.name} = {name}"


def _defined_elsewhere(task, text):
    """Names that other sections define, so that a helper is not written twice."""
    text = with_section(text, task, "")
    try:
        nodes = ast.parse(text).body
    except SyntaxError:  # the learner's own text is in the middle of something
        return set()
    return {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}

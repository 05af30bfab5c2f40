"""Keep the source of solved exercises in my_transformer.py, a module that grows with the learner.

Each exercise has one marked section, replaced when it is solved again. Everything outside the
sections is the learner's own text and stays as it is. A section is found by the key of its
exercise, which stays when exercises are renumbered. In version 1 the marks went by number; such
sections get the marks of today when the file is written next.
"""

import ast
import os
import re
from pathlib import Path

from tutorial_lib.exercises.engine.numbers import NAMED_ALIKE
from tutorial_lib.exercises.engine.sources import import_line, standing
from tutorial_lib.exercises.engine.store import open_store, progress_folder
from tutorial_lib.files import write_text
from tutorial_lib.files.my_notebooks import CODE, code_place, course_folder

ACCEPTED = {}  # key -> the very function or class that `check` called right in this session
VERSION = 2
MARK = f"# --- my_transformer.py, version {VERSION} ---"
VERSION_LINE = re.compile(r"^# --- my_transformer.py, version (\d+) ---$", re.MULTILINE)
START = re.compile(r"# --- (\w+): exercise (\S+) ---\s*")
END = re.compile(r"# --- end of (\w+) ---\s*")
START_1 = re.compile(r"# --- exercise (\S+): (\w+) ---\s*")
END_1 = re.compile(r"# --- end of exercise (\S+) ---\s*")

HEADER = f'''"""My transformer: the code I wrote in this course, one section an exercise.

A section is written when `check` says right, and replaced when it says so again.
What stands outside the sections is mine and stays untouched.
"""

{MARK}
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
            if version_of(text) > VERSION:
                return f"Not kept: {path.name} comes from a later version of this course."
            body, left = _body(task, answer, text)
            ast.parse(body)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(path, with_section(text, task, body))
    except (SyntaxError, MemoryError, RecursionError):
        return f"Not kept in {path.name}: its source does not parse outside the notebook."
    except OSError as error:
        if error.strerror:
            return f"Not kept in {path.name}: {error.strerror}."
        return f"Not kept in {path.name}: write it as `def {task.name}` in a cell to keep it."
    except UnicodeDecodeError:
        return f"Not kept: {path.name} is not UTF-8 text."
    except ValueError:  # text that no file can hold, or a source with zero bytes
        return f"Not kept in {path.name}: its source cannot be written as text."
    missing = f" It uses {', '.join(left)} from your notebook, which is not kept." if left else ""
    return f"Kept in {_shown(path)}.{missing}"


def version_of(text):
    """Return the version of a file: 1 without a line that says it."""
    found = VERSION_LINE.search(text)
    return int(found[1][:9]) if found else 1


def with_section(text, task, body):
    """Return `text`, in today's version, with the section of `task` replaced or added."""
    start = f"# --- {task.key}: exercise {task.id} ---"
    end = f"# --- end of {task.key} ---"
    section = f"{start}\n{body.strip()}\n{end}"
    text = upgraded(text)
    # A section whose end mark is gone is the learner's text now: a new one is added.
    inside = r"(?:(?!^# --- \w+: exercise ).)*?"
    pattern = rf"^# --- {task.key}: exercise {inside}^{end}$"
    if re.search(pattern, text, re.DOTALL | re.MULTILINE):
        return re.sub(pattern, lambda _: section, text, count=1, flags=re.DOTALL | re.MULTILINE)
    return text.rstrip("\n") + f"\n\n\n{section}\n"


def _shown(path):
    course = course_folder()
    inside = course and path.is_relative_to(course)
    return path.relative_to(course).as_posix() if inside else path.name


def upgraded(text):
    """Return the text of my_transformer.py in today's version: nothing but marks is changed.

    >>> print(upgraded("# --- exercise 2.3: f ---\\n...\\n# --- end of exercise 2.3 ---"))
    # --- my_transformer.py, version 2 ---
    # --- f: exercise 2.3 ---
    ...
    # --- end of f ---
    """
    if version_of(text) >= VERSION:
        return text
    lines = with_marks_of_today(text.split("\n"))
    first = next((n for n, line in enumerate(lines) if START.fullmatch(line)), len(lines) - 1)
    return "\n".join([*lines[:first], MARK, *lines[first:]])


def with_marks_of_today(lines):
    """Return the lines of a file with keys for the numbers in marks of version 1."""
    lines, begun = list(lines), None
    for index, line in enumerate(lines):
        if start := START_1.fullmatch(line):
            begun = (index, *start.groups())
            key = NAMED_ALIKE.get(start.groups(), start[2])
            lines[index] = f"# --- {key}: exercise {start[1]} ---"
        elif (end := END_1.fullmatch(line)) and begun and begun[1] == end[1]:
            lines[index] = f"# --- end of {key} ---"
            begun = None
    return lines


def _body(task, answer, text):
    """Return the source to keep, and the names it uses that could not be carried along."""
    name = getattr(answer, "__name__", None)
    if getattr(answer, "__module__", None) != "__main__":
        line = import_line(task.name, answer)
        if line is None:
            raise OSError
        return line, []
    body, left = standing(answer, known=_defined_elsewhere(task, text))
    if left:
        body = f"# also uses from the notebook: {', '.join(left)}\n{body}"
    return (body if name == task.name else f"{body}\n\n\n{task.name} = {name}"), left


def _defined_elsewhere(task, text):
    """Names that other sections define, so that a helper is not written twice."""
    text = with_section(text, task, "")
    try:
        nodes = ast.parse(text).body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return set()  # the learner's own text is in the middle of something
    return {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}

"""Write an exercise's cells for the notebook: statement, stub, check."""

import ast

from tutorial_lib.exercises.engine.sources import source_of
from tutorial_lib.exercises.engine.tasks import Claim, Symptom, message


def statement(task):
    """Return the Markdown cell: number, title, level, text, and a symptom's choices."""
    lines = [f"### Exercise {task.id} · {task.level} · {task.title}", "", task.text.strip()]
    if isinstance(task, Symptom):
        lines += ["", *(f"- ({letter}) {message(m)}" for letter, m in task.choices.items())]
    return "\n".join(lines)


def stub(task):
    """Return the code cell the learner fills in.

    The solution's signatures and docstrings with `raise NotImplementedError` for each body; for a
    symptom the broken code, unless it is written from empty; for a claim the empty number.
    """
    if isinstance(task, Claim):
        return f"{_variable('number', task)} = None  # {task.unit}"
    tree = ast.parse(source_of(task.solution))
    node = tree.body[0]
    node.decorator_list = []
    if isinstance(task, Symptom):
        broken = ast.parse(source_of(task.shown)).body[0]
        own = [broken.body[1:] if ast.get_docstring(broken) else broken.body]
        node.body = [part for part in node.body[:1] if ast.get_docstring(node)] + own[0]
        if task.from_empty:
            _empty(node)
        letters = ", ".join(f'"{letter}"' for letter in task.choices)
        return f"{_variable('choice', task)} = None  # {letters}\n\n\n{_unparse(tree)}"
    if isinstance(node, ast.ClassDef):
        for method in node.body:
            if isinstance(method, ast.FunctionDef):
                _empty(method)
    else:
        _empty(node)
    return _unparse(tree)


def check_line(task):
    """Return the line that checks the stub.

    The names of a symptom's choice and a claim's number carry the exercise's id, so that no two
    exercises of a notebook share a variable.
    """
    if isinstance(task, Claim):
        return f'check("{task.id}", {_variable("number", task)})'
    if isinstance(task, Symptom):
        return f'check("{task.id}", {_variable("choice", task)}, {task.name})'
    return f'check("{task.id}", {task.name})'


def percent_cells(task):
    """Return the three cells in jupytext's py:percent form."""
    text = "\n".join(f"# {line}".rstrip() for line in statement(task).splitlines())
    return f"# %% [markdown]\n{text}\n\n# %%\n{stub(task)}\n\n# %%\n{check_line(task)}\n"


def _variable(word, task):
    return f"{word}_{task.id.replace('.', '_')}"


def _empty(function):
    docstring = function.body[:1] if ast.get_docstring(function) else []
    function.body = [*docstring, ast.parse("raise NotImplementedError").body[0]]


def _unparse(tree):
    return ast.unparse(ast.fix_missing_locations(tree))

"""The cells an exercise makes for its notebook."""

import dataclasses

import pytest
from torch import nn

from tutorial_lib.exercises.engine.cells import check_line, percent_cells, statement, stub


def test_a_written_exercise(write):
    assert statement(write) == "### Exercise 9.1 · easy · Area\n\nWrite `area`."
    assert stub(write) == (
        "def area(width, height):\n"
        '    """Return the area of a rectangle."""\n'
        "    raise NotImplementedError"
    )
    assert check_line(write) == 'check("9.1", area)'
    assert percent_cells(write).startswith("# %% [markdown]\n# ### Exercise 9.1 · easy · Area\n#\n")


def test_a_symptom_starts_from_the_broken_code(symptom_task):
    assert "- (b) This takes the width twice." in statement(symptom_task)
    assert stub(symptom_task) == (
        'choice_9_1 = None  # "a", "b", "c"\n\n\n'
        "def area(width, height):\n"
        '    """Return the area of a rectangle."""\n'
        "    return width * width"
    )
    assert check_line(symptom_task) == 'check("9.1", choice_9_1, area)'


def test_a_symptom_may_be_written_from_empty(symptom_task):
    assert stub(dataclasses.replace(symptom_task, from_empty=True)).endswith(
        '    """Return the area of a rectangle."""\n    raise NotImplementedError'
    )


def test_a_claim_asks_for_a_number(claim):
    assert stub(claim) == "number_9_1 = None  # parameters"
    assert check_line(claim) == 'check("9.1", number_9_1)'


class Shift(nn.Module):
    """Adds one number."""

    size = 1

    def __init__(self):
        """Start at zero."""
        super().__init__()
        self.by = 0

    def forward(self, x):
        return x + self.by


def test_a_class_keeps_its_signatures_only(write, parts):
    text = stub(type(write)(**parts | {"solution": Shift}))
    assert text.count("raise NotImplementedError") == 2
    assert '"""Start at zero."""' in text
    assert "super" not in text


@pytest.mark.parametrize("kind", ["write", "symptom_task", "claim"])
def test_the_statement_names_number_title_and_level(kind, request):
    task = request.getfixturevalue(kind)
    heading = statement(task).splitlines()[0]
    assert all(part in heading for part in ("Exercise", task.id, task.title, task.level))

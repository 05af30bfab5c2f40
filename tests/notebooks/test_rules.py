"""Every notebook keeps every rule; tests/support/notebook_rules.py lists the rules."""

from pathlib import Path

import pytest
from notebook_rules import RULES, Book

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("[0-9]*.ipynb"))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_rule(path, rule):
    assert list(rule(Book.read(path))) == []

"""Running a cell again closes the explorers that its last run made, and no others."""

import gc

import pytest
import torch
from ipywidgets import DOMWidget
from ipywidgets.widgets import widget
from moves import MOVES, attention_text

from tutorial_lib import explorers
from tutorial_lib.explorers import PatchExplorer, SaturationExplorer, SoftmaxExplorer, cells

MAKE = {name: make for name, (make, _) in MOVES.items()} | {
    "attention, MiniLM": attention_text,
    "patches": lambda: PatchExplorer({"grey": torch.full((1, 28, 28), 0.5)}, patch_size=7),
}


class Shell:
    """What a kernel's shell has of cells: the one that runs, and a signal before each."""

    def __init__(self):
        self.kernel = self.events = self
        self.cell, self.listeners = None, []

    def get_parent(self, channel):
        return {"metadata": {"cellId": self.cell}} if self.cell else {}

    def register(self, event, listener):
        assert event == "pre_run_cell"
        self.listeners.append(listener)

    def run(self, cell, code):
        self.cell = cell
        for listener in self.listeners:
            listener(type("Info", (), {"cell_id": cell}))
        made = code()
        self.cell = None
        return made


@pytest.fixture
def shell(monkeypatch):
    shell = Shell()
    monkeypatch.setattr(cells, "_shell", lambda: shell)
    monkeypatch.setattr(cells, "_made", {})
    return shell


def alive():
    return len(widget._instances)


def test_every_explorer_is_among_those_that_are_walked_through():
    named = {getattr(explorers, name) for name in explorers.__all__}
    widgets = [kind for kind in named if isinstance(kind, type) and issubclass(kind, DOMWidget)]
    made = tuple(make() for make in MAKE.values())
    assert len(widgets) > 10
    assert [kind for kind in widgets if not any(isinstance(one, kind) for one in made)] == []


@pytest.mark.parametrize("make", MAKE.values(), ids=MAKE)
def test_the_last_run_of_the_cell_is_closed_with_all_its_parts(shell, make):
    first = shell.run("a", make)
    number = alive()
    second = shell.run("a", make)
    assert first.comm is None
    assert second.comm is not None
    assert alive() == number
    shell.run("a", lambda: None)  # the cell was changed and shows nothing any more
    assert second.comm is None
    assert len(shell.listeners) == 1


def test_other_cells_and_code_outside_of_cells_are_left_alone(shell):
    other = shell.run("b", SoftmaxExplorer)
    loose = SoftmaxExplorer()
    for cell in ("a", "a", None):
        shell.run(cell, SoftmaxExplorer)
    assert other.comm is not None
    assert loose.comm is not None


def test_an_explorer_that_was_never_made_whole_closes_quietly():
    with pytest.raises(ValueError, match="d must be one of"):
        SaturationExplorer(d=3)
    gc.collect()

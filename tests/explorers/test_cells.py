"""Running a cell again closes the explorers that its last run made, and no others."""

import gc

import pytest
from ipywidgets.widgets import widget

from tutorial_lib.explorers import SaturationExplorer, SoftmaxExplorer, cells


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


@pytest.mark.parametrize("make", [SoftmaxExplorer, SaturationExplorer])
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

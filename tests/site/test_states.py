"""What the site shows first is what the notebooks have stored."""

import base64
import importlib
import json
import sys

import nbformat
import pytest
from explorer_pictures import is_explorer, same, take
from isolation import ROOT

STATES = ROOT / "docs" / "site" / "states"
STORED = sorted(STATES.glob("*/*.json"))
# A state of each base class and form in every run; all of them in the sweep.
SOME = {"2148e0f4", "58f85bbf", "9e1890e4", "4138c208", "hook-search"}


def revived(value):
    """Bytes as a widget's state has them."""
    if isinstance(value, dict) and set(value) == {"__bytes__"}:
        return base64.b64decode(value["__bytes__"])
    if isinstance(value, dict):
        return {name: revived(inner) for name, inner in value.items()}
    return list(map(revived, value)) if isinstance(value, list) else value


def explorers_of(notebook):
    """{cell: stored picture} of the explorers in a notebook."""
    return {
        cell.id: output["data"]["image/png"]
        for cell in nbformat.read(notebook, as_version=4).cells
        for output in cell.get("outputs", ())
        if is_explorer(output)
    }


def test_each_explorer_of_the_notebooks_has_a_state():
    shown = {
        (path.stem, cell) for path in ROOT.glob("notebooks/*.ipynb") for cell in explorers_of(path)
    }
    assert shown == {(path.parent.name, path.stem) for path in STORED}


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=() if path.stem in SOME else pytest.mark.sweep, id=path.stem)
        for path in STORED
    ],
)
def test_a_state_looks_as_the_notebook_stores_it(chromium, path):
    stored = json.loads(path.read_text(encoding="utf-8"))
    module = importlib.import_module(f"tutorial_lib.explorers.{stored['module']}")
    kind = getattr(module, stored["class"])
    if not hasattr(kind, "_esm"):
        pytest.skip("drawn by Python")
    state = revived(stored["state"]) | {"_esm": kind._esm, "_css": kind._css}
    png, times = take(chromium, state)
    picture = explorers_of(ROOT / "notebooks" / f"{path.parent.name}.ipynb")[path.stem]
    assert same(picture, base64.b64encode(png).decode(), times)


def test_hints_and_solutions_are_those_of_the_exercises():
    sys.path.append(str(ROOT / "docs" / "site"))
    import answers

    assert answers.collect() == json.loads(answers.STORED.read_text(encoding="utf-8"))

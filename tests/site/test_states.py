"""What the site shows first is what the notebooks have stored."""

import base64
import html
import importlib
import json
import struct
import sys

import nbformat
import pytest
from explorer_pictures import same, take
from isolation import ROOT

sys.path.append(str(ROOT / "docs" / "site"))
from chapters import picture_mark, prepared, stays_a_picture
from states import pictures_of

STATES = ROOT / "docs" / "site" / "states"
STORED = sorted(STATES.glob("*/*.json"))
SOME = {"2148e0f4", "4138c208"}  # in every run; all of them in the sweep


def revived(value):
    """Bytes as a widget's state has them."""
    if isinstance(value, dict) and set(value) == {"__bytes__"}:
        return base64.b64decode(value["__bytes__"])
    if isinstance(value, dict):
        return {name: revived(inner) for name, inner in value.items()}
    return list(map(revived, value)) if isinstance(value, list) else value


def explorers_of(notebook):
    """{cell: stored picture} of the explorers in a notebook."""
    return pictures_of(nbformat.read(notebook, as_version=4))


def fresh(path):
    """Whether a state was stored beside the picture that its notebook has now."""
    stored = json.loads(path.read_text(encoding="utf-8"))
    pictures = explorers_of(ROOT / "notebooks" / f"{path.parent.name}.ipynb")
    return path.stem in pictures and stored.get("picture") == picture_mark(pictures[path.stem])


def only_a_picture(path):
    """Whether nothing on the site answers this explorer, so that its class alone is stored."""
    brains = {path.stem for path in (ROOT / "docs" / "site" / "brains").glob("*.js")}
    return stays_a_picture(json.loads(path.read_text(encoding="utf-8")), brains)


@pytest.mark.sweep
def test_each_explorer_of_the_notebooks_has_a_state_beside_its_picture():
    shown = {
        (path.stem, cell) for path in ROOT.glob("notebooks/*.ipynb") for cell in explorers_of(path)
    }
    assert shown == {(path.parent.name, path.stem) for path in STORED}
    assert [path.stem for path in STORED if not (fresh(path) or only_a_picture(path))] == []


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=() if path.stem in SOME else pytest.mark.sweep, id=path.stem)
        for path in STORED
    ],
)
def test_a_state_looks_as_the_notebook_stores_it(chromium, path):
    if not fresh(path):
        pytest.skip("the site shows the picture")
    stored = json.loads(path.read_text(encoding="utf-8"))
    module = importlib.import_module(f"tutorial_lib.explorers.{stored['module']}")
    kind = getattr(module, stored["class"])
    if not hasattr(kind, "_esm"):
        pytest.skip("drawn by Python")
    state = revived(stored["state"]) | {"_esm": kind._esm, "_css": kind._css}
    png, varying = take(chromium, state)
    picture = explorers_of(ROOT / "notebooks" / f"{path.parent.name}.ipynb")[path.stem]
    assert same(picture, base64.b64encode(png).decode(), varying)


def explorer_cell(name, png):
    """A code cell that shows an explorer, with this stored picture."""
    data = {"text/plain": "Masks: run this cell", "image/png": png}
    output = {"output_type": "display_data", "data": data, "metadata": {}}
    return {"cell_type": "code", "id": name, "source": "x", "metadata": {}, "outputs": [output]}


def test_a_state_of_another_picture_is_named_and_the_picture_stands_in(tmp_path):
    png = base64.b64encode(bytes(16) + struct.pack(">II", 744, 100)).decode()
    stored = {"class": "MaskExplorer", "module": "masks", "extras": {}, "state": {}}
    folder = tmp_path / "states" / "02_x"
    folder.mkdir(parents=True)
    for name, mark in (("now", picture_mark(png)), ("then", "0")):
        text = json.dumps({**stored, "picture": mark})
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
    book = tmp_path / "02_x.ipynb"
    cells = [explorer_cell(name, png) for name in ("now", "then", "never")]
    book.write_text(json.dumps({"cells": cells, "metadata": {}}), encoding="utf-8")
    missed = []
    made = prepared(book, tmp_path / "out", {}, tmp_path / "states", (), missed)
    now, then, never = (cell["outputs"][0]["data"]["text/html"] for cell in made["cells"])
    assert 'data-state="02_x/now"' in now
    for figure in (then, never):
        assert "data-state" not in figure
        assert "<img" in figure
        assert "comes alive where Python runs" in figure
    assert missed == [
        "02_x: the state of the explorer in cell then is older than its picture in the notebook",
        "02_x: the state of the explorer in cell never is not there",
    ]


def test_without_the_large_file_that_it_needs_nothing_answers_an_explorer(tmp_path):
    png = base64.b64encode(bytes(16) + struct.pack(">II", 744, 100)).decode()
    extras = {"large": ["minilm", "speeches"]}
    folder = tmp_path / "states" / "06b_x"
    folder.mkdir(parents=True)
    modules = ("search", "attention")
    for module in modules:
        stored = {"class": "", "module": module, "extras": extras, "state": {"has_model": True}}
        text = json.dumps({**stored, "picture": picture_mark(png)})
        (folder / f"{module}.json").write_text(text, encoding="utf-8")
    book = tmp_path / "06b_x.ipynb"
    cells = [explorer_cell(module, png) for module in modules]
    book.write_text(json.dumps({"cells": cells, "metadata": {}}), encoding="utf-8")
    files = {
        name: [{"file": f"{name}-0.bin", "bytes": 1, "title": name}] for name in extras["large"]
    }

    def shown(large):
        facts = {"large": large}
        made = prepared(book, tmp_path / "out", facts, tmp_path / "states", set(modules))
        return [cell["outputs"][0]["data"]["text/html"] for cell in made["cells"]]

    every = html.escape(json.dumps([file for each in files.values() for file in each]))
    for figure in shown(files):
        assert f'data-brain data-large="{every}"' in figure
    search, attention = shown({"speeches": files["speeches"]})
    assert "data-state" not in search
    assert "comes alive where Python runs" in search
    assert "data-state" in attention  # it moves, and shows the stored text
    assert "data-brain" not in attention
    assert "Here it shows the stored text." in attention


def test_each_question_of_a_notebook_has_hints_or_an_answer(tmp_path):
    import answers

    missed, found = [], answers.collect()
    for path in ROOT.glob("notebooks/[0-9]*.ipynb"):
        prepared(path, tmp_path, found, tmp_path, (), missed)
    assert [line for line in missed if "state of the explorer" not in line] == []

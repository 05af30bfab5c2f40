"""Every explorer brings its alt text, and a stored notebook shows its picture."""

import base64
import io
import os

import explorer_pictures
import nbformat
import pytest
import store_outputs
import torch
from browser import MISSING, find_chromium
from explorer_pictures import LIVE, NoBrowser, same
from moves import MOVES, TYPED
from nbformat.v4 import new_code_cell, new_notebook, new_output
from PIL import Image, ImageDraw, ImageFont

from tutorial_lib.explorers import PatchExplorer
from tutorial_lib.explorers.base import BrowserExplorer

PICTURE = {"steps": torch.linspace(0, 1, 784).view(1, 28, 28)}
SOURCE = """import torch
from tutorial_lib.explorers import PatchExplorer, SoftmaxExplorer
from IPython.display import display
chosen = SoftmaxExplorer()
display(PatchExplorer({"steps": torch.linspace(0, 1, 784).view(1, 28, 28)}, 7))
chosen"""


def words(widget):
    data, metadata = widget._repr_mimebundle_()
    assert LIVE in data
    assert data["text/plain"] == repr(widget)
    return metadata[LIVE]["alt"]


@pytest.mark.slow
@pytest.mark.parametrize("name", [*MOVES, *TYPED])
def test_it_says_what_it_shows(name):
    widget = {**MOVES, **TYPED}[name][0]()
    said = words(widget)
    assert said.startswith(f"{widget.title}: ")
    assert said.endswith(".")
    assert 60 <= len(said) <= 500, said
    widget.close()


def test_a_figures_description_is_its_alt_text():
    assert words(PatchExplorer(PICTURE, 7)).startswith(
        "Patch explorer: A picture of 28 x 28 pixels cut"
    )


def test_an_explorer_without_a_description_is_not_shown():
    with pytest.raises(NotImplementedError, match="describe"):
        BrowserExplorer()._repr_mimebundle_()


@pytest.fixture
def book(tmp_path):
    """The path of a notebook with two explorers in one cell."""
    path = tmp_path / "01_small.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell(SOURCE)]), path)
    before = dict(os.environ)  # storing isolates this process, in folders that are gone afterwards
    yield path
    os.environ.clear()
    os.environ.update(before)


def pictures(path):
    book = nbformat.read(path, as_version=4)
    return [output for cell in book.cells for output in cell.outputs if "image/png" in output.data]


@pytest.mark.slow
def test_pictures_are_stored_and_stay(book):
    if find_chromium() is None:  # not the fixture: two browsers do not share a thread
        (pytest.fail if os.environ.get("TUTORIAL_BROWSER") == "required" else pytest.skip)(MISSING)
    assert store_outputs.main([str(book)]) == 0
    figure, drawn = pictures(book)
    for output in (figure, drawn):
        assert set(output.data) == {"image/png", "text/plain"}
        assert set(output.metadata) == {"image/png"}
        image = Image.open(io.BytesIO(base64.b64decode(output.data["image/png"])))
        assert image.width >= 1000
        assert image.height >= 300
        assert len(image.convert("RGB").getcolors(1 << 20)) > 20
    assert "patches of 7" in figure.metadata["image/png"]["alt"]
    assert "stage 1 of 5" in drawn.metadata["image/png"]["alt"]
    longer = nbformat.read(book, as_version=4)
    longer.cells.append(new_code_cell("chosen.stage = 4"))  # the picture is of the first state
    nbformat.write(longer, book)
    assert store_outputs.main([str(book)]) == 0
    assert pictures(book) == [figure, drawn]


def test_without_chromium_nothing_is_stored(book, monkeypatch, capsys):
    before = book.read_bytes()
    monkeypatch.setattr(explorer_pictures, "find_chromium", lambda: None)
    assert store_outputs.main([str(book)]) == 1
    assert book.read_bytes() == before
    assert "apt-get install chromium" in capsys.readouterr().err


def test_that_chromium_is_missing_is_said_before_the_run(book, monkeypatch):
    stored = nbformat.read(book, as_version=4)
    stored.cells[0].source = "raise SystemExit"
    shown = {"text/plain": "Softmax explorer: run this cell"}
    stored.cells[0].outputs = [new_output("execute_result", shown)]
    nbformat.write(stored, book)
    monkeypatch.setattr(explorer_pictures, "find_chromium", lambda: None)
    with pytest.raises(NoBrowser):
        store_outputs.run(book)


def text(words):
    image = Image.new("RGB", (400, 80), "white")
    font = ImageFont.load_default(20)
    ImageDraw.Draw(image).text((20, 30), words, fill="black", font=font)
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return base64.b64encode(buffer.getvalue()).decode()


def test_another_digit_is_another_picture():
    assert same(text("weight 0.12"), text("weight 0.12"))
    assert not same(text("weight 0.12"), text("weight 0.13"))
    assert same(text("weight 0.12"), text("weight 0.13"), [(20, 30, 300, 30)])

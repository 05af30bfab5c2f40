"""Chapter 05's optional cell reads a folder with GPT-2's files; here one made offline."""

import ast
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

transformers = pytest.importorskip("transformers")
pytestmark = pytest.mark.slow
NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "05_gpt.ipynb"
OFF = "GPT2_WEIGHTS = None"


def definition(cells, name):
    """The source of a function, or of an assignment, from the cell that has it."""
    for source in cells:
        for node in ast.parse(source).body:
            named = [getattr(node, "name", None)]
            named += [getattr(target, "id", None) for target in getattr(node, "targets", ())]
            if name in named:
                first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
                return "\n".join(source.splitlines()[first - 1 : node.end_lineno])
    raise AssertionError(f"no cell of the chapter defines {name}")


def test_a_folder_made_offline(tmp_path):
    config = transformers.GPT2Config(n_positions=64, n_embd=6, n_layer=2, n_head=2)
    transformers.GPT2LMHeadModel(config).save_pretrained(tmp_path)
    book = nbformat.read(NOTEBOOK, as_version=4)
    cells = [cell.source for cell in book.cells if cell.cell_type == "code"]
    (optional,) = [source for source in cells if OFF in source]
    filled = optional.replace(OFF, f"GPT2_WEIGHTS = {str(tmp_path)!r}")
    needed = definition(cells, "SENTENCE")
    small = nbformat.v4.new_notebook()
    small.cells = [nbformat.v4.new_code_cell(source) for source in (cells[0], needed, filled)]
    NotebookClient(small, timeout=300, kernel_name="python3").execute()
    written = "".join(output.get("text", "") for output in small.cells[-1].outputs)
    # What SENTENCE begins with, and 40 tokens of a model that knows nothing.
    sentence = ast.literal_eval(ast.parse(needed).body[0].value)
    assert written.startswith(sentence)
    assert len(written.strip()) > len(sentence) + 40

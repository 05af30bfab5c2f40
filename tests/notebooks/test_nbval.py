"""nbval notices what it should: a changed number, a cleared cell, a cell after a time-out."""

import base64
import io
import subprocess
import sys

import pytest
from example_notebook import example, write
from isolation import ROOT
from kernel_starts import STARTS, starting_again
from nbformat.v4 import new_output
from PIL import Image

pytestmark = pytest.mark.slow


@pytest.fixture
def nbval(tmp_path):
    """Run nbval as `make test` does over one notebook; returns (passed, what it printed)."""

    def run(book, *options):
        path = write(book, tmp_path)
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--color=no"]
        command += ["--nbval", "--nbval-current-env", "-c", str(ROOT / "pyproject.toml")]
        command += ["--nbval-sanitize-with", str(ROOT / "tests/notebooks/sanitize.cfg")]
        # The plugin comes from the root's conftest.py, which a folder elsewhere does not see.
        command += ["-p", "budgets", "-p", "fresh_progress", "-p", "pictures"]
        command += [f"--rootdir={tmp_path}"]
        command += [*options, str(path)]
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=ROOT / "tests/support", check=False
        )
        return done.returncode == 0, done.stdout + done.stderr

    return run


def number_cell(book):
    return next(cell for cell in book.cells if cell.source == "print(6 * 7)")


# In two processes `make test` runs all notebooks and prints their table anyway.
@pytest.mark.parametrize(
    "options", [(), pytest.param(("-n", "2", "--dist", "loadfile"), marks=pytest.mark.sweep)]
)
def test_untouched_copy_passes_and_its_cost_is_printed(nbval, options):
    passed, printed = nbval(example(), *options)
    assert passed, printed
    assert "what the notebooks cost" in printed
    assert "02_example.ipynb" in printed


def test_a_notebook_starts_without_the_progress_of_others(nbval, tmp_path, monkeypatch):
    monkeypatch.setenv("TUTORIAL_PROGRESS", str(tmp_path / "progress"))
    asked = "from tutorial_lib.exercises import hint\nhint('0.0')\n"
    subprocess.run([sys.executable, "-c", asked], check=True, capture_output=True)
    book = example()
    number_cell(book).source = "from tutorial_lib.exercises import hint\n\nhint('0.0')"
    first = "Hint 1 of 2 for 0.0: Arithmetic on a tensor works on every number at once.\n"
    cell = next(cell for cell in book.cells if "hint" in cell.source)
    cell.outputs[0].text = first
    passed, printed = nbval(book)
    assert passed, printed


def test_changed_number_fails(nbval):
    book = example()
    number_cell(book).outputs[0].text = "43\n"
    passed, printed = nbval(book)
    assert not passed
    assert "Cell outputs differ" in printed


@pytest.mark.parametrize(("drawn", "seen"), [(250, "passed"), (90, "a picture has changed")])
def test_a_changed_picture_fails(nbval, drawn, seen):
    book = example()
    cell = number_cell(book)
    cell.source = f"from PIL import Image\n\nImage.new('L', (64, 64), {drawn})"
    buffer = io.BytesIO()
    Image.new("L", (64, 64), 250).save(buffer, "PNG")
    data = {
        "image/png": base64.b64encode(buffer.getvalue()).decode(),
        "text/plain": "<PIL.Image.Image image mode=L size=64x64>",
    }
    number = cell.execution_count
    cell.outputs = [new_output("execute_result", data, execution_count=number)]
    passed, printed = nbval(book)
    assert passed == (drawn == 250), printed
    assert seen in printed


@pytest.mark.parametrize("shown", ["explorers.SoftmaxExplorer()", "'an explorer that was here'"])
def test_a_stored_explorer_is_live_where_it_runs(nbval, shown):
    book = example()
    cell = number_cell(book)
    cell.source = f"from tutorial_lib import explorers\n\n{shown}"
    data = {"image/png": "aGVsbG8=", "text/plain": "Softmax explorer: run this cell"}
    number = cell.execution_count
    cell.outputs = [new_output("execute_result", data, execution_count=number)]
    passed, printed = nbval(book)
    assert passed == ("Softmax" in shown), printed


def test_cleared_cell_fails(nbval):
    book = example()
    number_cell(book).update(execution_count=None, outputs=[])
    passed, printed = nbval(book)
    assert not passed
    assert "this cell was never run" in printed


def test_cells_after_a_time_out_fail(nbval):
    book = example()
    number_cell(book).source = "import time; time.sleep(60)"
    passed, printed = nbval(book, "--nbval-cell-timeout=2")
    assert not passed
    assert "xfailed" not in printed
    assert "one before it took too long" in printed


def test_too_much_memory_fails(nbval):
    book = example()
    number_cell(book).source = "print(len(b'x' * 1_700_000_000) and 42)"
    passed, printed = nbval(book)
    assert not passed
    assert "the budget is 1.6 GB" in printed


def test_kernel_cannot_connect(nbval):
    book = example()
    cell = number_cell(book)
    cell.source = (
        "import socket\n"
        "try:\n"
        "    socket.create_connection(('192.0.2.1', 80), timeout=5)\n"
        "except OSError as error:\n"
        "    print('refused' if 'the tests run offline' in str(error) else error)"
    )
    cell.outputs[0].text = "refused\n"
    passed, printed = nbval(book)
    assert passed, printed


def test_a_kernel_that_dies_while_it_starts_is_started_again():
    deaths = iter([RuntimeError("died"), RuntimeError("died"), None])

    def start(name):
        if death := next(deaths):
            raise death
        return name

    assert starting_again(start)("python") == "python"


def test_a_kernel_that_never_starts_is_an_error():
    def start():
        starts.append(1)
        raise RuntimeError("died")

    starts = []
    with pytest.raises(RuntimeError, match="died"):
        starting_again(start)()
    assert len(starts) == STARTS

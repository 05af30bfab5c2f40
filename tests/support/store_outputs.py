"""Run notebooks from top to bottom and store what they print, in the form that git keeps.

    python tests/support/store_outputs.py notebooks/02_attention.ipynb ...

A notebook with an error stays as it was. `--keep` only normalises, without running.
"""

import sys
import tempfile
import time
from pathlib import Path

import nbformat
from isolation import isolate
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
TAGS = ("nbval-ignore-output",)
# A live widget has a new name in every run and cannot be shown from a file: its text is kept.
LIVE = "application/vnd.jupyter.widget-view+json"


def normalise(book):
    """Bring `book` (changed in place) to the one form in which notebooks are committed."""
    book.metadata = nbformat.from_dict(METADATA)
    book.nbformat, book.nbformat_minor = 4, 5
    for cell in book.cells:
        tags = [tag for tag in cell.metadata.get("tags", ()) if tag in TAGS]
        cell.metadata = nbformat.from_dict({"tags": tags} if tags else {})
        cell.pop("attachments", None)
        for output in cell.get("outputs", ()):
            output.get("data", {}).pop(LIVE, None)
    return book


def run(path):
    """Execute the notebook at `path` in its folder and return it with its new outputs.

    Raises CellExecutionError when a cell does.
    """
    book = nbformat.read(path, as_version=4)
    client = NotebookClient(
        book,
        timeout=None,
        kernel_name="python3",
        record_timing=False,
        store_widget_state=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(Path(path).resolve().parent)}},
    )
    client.execute()
    return book


def main(arguments):
    """Run and store the notebooks named in `arguments`; the exit status is how many failed."""
    paths = [a for a in arguments if a != "--keep"]
    failed = 0
    for path in paths:
        start = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="tutorial-run-") as folder:
            isolate(folder)
            try:
                keep = "--keep" in arguments
                book = nbformat.read(path, as_version=4) if keep else run(path)
            except CellExecutionError as error:
                failed += 1
                print(f"{path}: not stored\n{error}", file=sys.stderr)
                continue
        nbformat.write(normalise(book), path)
        print(f"{path}: {time.monotonic() - start:.0f} s")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

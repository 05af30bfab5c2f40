"""Run notebooks from top to bottom and store what they print, in the form that git keeps.

    python tests/support/store_outputs.py notebooks/02_attention.ipynb ...

A notebook with an error stays as it was. `--keep` only normalises, without running. Beside each
explorer its picture is stored, which takes Chromium, and its state, from which the site shows it.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

import nbformat
from explorer_pictures import (
    LIVE,
    FirstStates,
    NoBrowser,
    add_pictures,
    is_explorer,
    need_browser,
)
from folding import folded
from isolation import ROOT, isolate
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
TAGS = ("nbval-ignore-output",)


def normalise(book):
    """Bring `book` (changed in place) to the one form in which notebooks are committed."""
    book.metadata = nbformat.from_dict(METADATA)
    book.nbformat, book.nbformat_minor = 4, 5
    folds = folded([(c.cell_type, c.source, bool(c.get("outputs"))) for c in book.cells])
    for cell, fold in zip(book.cells, folds, strict=True):
        tags = [tag for tag in cell.metadata.get("tags", ()) if tag in TAGS]
        metadata = {"tags": tags, "jupyter": fold}
        cell.metadata = nbformat.from_dict({k: v for k, v in metadata.items() if v})
        cell.pop("attachments", None)
        for output in cell.get("outputs", ()):
            # A live widget has a new name in every run and cannot be shown from a file.
            output.get("data", {}).pop(LIVE, None)
            output.get("metadata", {}).pop(LIVE, None)
    return book


def run(path):
    """Execute the notebook at `path` in its folder and return it with its new outputs.

    The states of its explorers are written for the site, too.
    Raises CellExecutionError when a cell does, NoBrowser when explorers cannot be drawn.
    """
    sys.path.append(str(ROOT / "docs" / "site"))
    import states as site

    book, before = nbformat.read(path, as_version=4), nbformat.read(path, as_version=4)
    if any(is_explorer(output) for cell in before.cells for output in cell.get("outputs", ())):
        need_browser()  # said now, and not after minutes of running
    client = NotebookClient(
        book,
        timeout=None,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(Path(path).resolve().parent)}},
    )
    states = FirstStates()
    states.watch(client)
    os.environ["PYTHONPATH"] = site.import_path()
    with tempfile.TemporaryDirectory() as folder:
        book.cells.append(site.asking(folder))
        client.execute()
        book.cells.pop()
        add_pictures(book, states.states, before)
        if Path(path).resolve().parent == ROOT / "notebooks":
            site.write(path, book, states.states, folder, site.pictures_of(book))
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
            except (CellExecutionError, NoBrowser) as error:
                failed += 1
                print(f"{path}: not stored\n{error}", file=sys.stderr)
                continue
        nbformat.write(normalise(book), path)
        print(f"{path}: {time.monotonic() - start:.0f} s")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

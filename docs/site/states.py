"""The first state of each explorer of the chapters, from which the site shows it without a kernel.

    python docs/site/states.py notebooks/02_attention.ipynb ...

`make notebooks` writes them when it stores a notebook. This writes them alone: it runs the cells
that make the explorers, and those that they need, and writes
`docs/site/states/<chapter>/<cell id>.json`: the class of the explorer, its traits (bytes in
base64), what its part in JavaScript needs besides (`extras`), and the mark of the picture that the
notebook stores for it. `--all` runs every cell: for chapters whose explorers show a model that the
chapter has trained. The build executes nothing; it reads these files. A state that looks otherwise
than the notebook's picture is named and left out: on the site, the picture stands in its place. Of
an explorer that is only a picture there, since nothing answers it, the class alone is written.
"""

import base64
import functools
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
STATES = HERE / "states"
BRAINS = {path.stem for path in (HERE / "brains").glob("*.js")}
sys.path[:0] = [str(ROOT / "tests" / "support"), str(HERE)]

import nbformat  # noqa: E402
from browser import launched  # noqa: E402
from chapters import picture_mark, stays_a_picture  # noqa: E402
from explorer_pictures import LIVE, FirstStates, is_explorer, same, take  # noqa: E402
from isolation import isolate  # noqa: E402
from nbclient import NotebookClient  # noqa: E402
from slices import needed  # noqa: E402

ASK = "import explorer_extras; explorer_extras.write({!r})"
WITHOUT = ("layout", "tabbable", "tooltip", "children", "box_style")


def plain(value):
    """A trait as JSON takes it: bytes wrapped, so that the page can unwrap them."""
    if isinstance(value, bytes | bytearray | memoryview):
        return {"__bytes__": base64.b64encode(bytes(value)).decode()}
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e9:
        return int(value)  # JavaScript has one kind of number
    return value


def asking(folder):
    """A last cell: it writes below `folder` what the kernel's explorers have besides traits."""
    return nbformat.v4.new_code_cell(ASK.format(str(folder)))


def import_path():
    """PYTHONPATH for a kernel that is to run such a cell."""
    others = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    ours = [str(ROOT), str(HERE)]
    return os.pathsep.join([*ours, *(part for part in others if part and part not in ours)])


def record(path, everything=False):
    """Run what the explorers of a notebook need, and write their states."""
    book = nbformat.read(path, as_version=4)
    stored = pictures_of(book)
    code = [cell for cell in book.cells if cell.cell_type == "code"]
    shown = [n for n, cell in enumerate(code) if any(map(is_explorer, cell.get("outputs", ())))]
    chosen = range(len(code)) if everything else needed([c.source for c in code], [0, *shown])
    book.cells = [code[n] for n in chosen]
    with tempfile.TemporaryDirectory() as folder:
        book.cells.append(asking(folder))
        client = NotebookClient(
            book, timeout=None, kernel_name="python3",
            resources={"metadata": {"path": str(path.parent)}},
        )  # fmt: skip
        states = FirstStates()
        states.watch(client)
        client.execute()
        with launched() as browser:
            looks = functools.partial(looks_as, browser)
            return write(path, book, states.states, folder, stored, looks)


def pictures_of(book):
    """Return {cell id: the picture, in base64, that is stored for its explorer}."""
    return {
        cell.id: output["data"]["image/png"]
        for cell in book.cells
        for output in cell.get("outputs", ())
        if is_explorer(output) and "image/png" in output["data"]
    }


def write(path, book, states, folder, pictures, looks=None):
    """Write the states of a notebook that has just run; returns how many.

    path: the notebook; book: its cells that ran, with live widgets; states: {model id: state right
    after its cell}; folder: where the cell of `asking` has left the rest; pictures: those stored;
    looks(picture, state): whether they show the same, None where they were just drawn from states.
    """
    facts = json.loads((Path(folder) / "extras.json").read_text(encoding="utf-8"))
    place = STATES / Path(path).stem
    shutil.rmtree(place, ignore_errors=True)
    for cell in book.cells:
        for output in filter(is_explorer, cell.get("outputs", ())):
            live = output["data"][LIVE]["model_id"]
            place.mkdir(parents=True, exist_ok=True)
            file = place / f"{cell.id}.json"
            if stays_a_picture(facts[live], BRAINS):
                named = {name: facts[live][name] for name in ("class", "module", "extras")}
                file.write_text(json.dumps(named, separators=(",", ":")) + "\n", encoding="utf-8")
                continue
            if looks and not looks(pictures[cell.id], states[live]):
                print(
                    f"{Path(path).name}: the explorer in cell {cell.id} looks otherwise than stored"
                )
                continue
            traits = facts[live].get("state") or {
                name: plain(value)
                for name, value in states[live].items()
                if not name.startswith("_") and name not in WITHOUT
            }
            mark = picture_mark(pictures[cell.id])
            what = {**facts[live], "picture": mark, "state": traits}
            text = json.dumps(what, ensure_ascii=False, separators=(",", ":"))
            file.write_text(text + "\n", encoding="utf-8")
    return len(list(place.glob("*.json")))


def looks_as(browser, picture, state):
    """Whether a state, drawn in Chromium, looks as the picture (base64) that a notebook stores."""
    png, varying = take(browser, state)
    return same(picture, base64.b64encode(png).decode(), varying)


def main(arguments):
    """Record the notebooks that are named, all without a name."""
    everything = "--all" in arguments
    paths = [Path(a) for a in arguments if a != "--all"] or sorted(ROOT.glob("notebooks/*.ipynb"))
    os.environ["PYTHONPATH"] = import_path()
    for path in paths:
        start = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="tutorial-states-") as folder:
            isolate(folder)
            number = record(path.resolve(), everything)
        print(f"{path.name}: {number} explorers, {time.monotonic() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

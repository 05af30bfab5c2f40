"""A room imports only from lower floors, in no circle, and nothing loads before it is used."""

import ast
import graphlib
import subprocess
import sys
from pathlib import Path

import pytest

import tutorial_lib
from tutorial_lib import FLOORS

PACKAGE = Path(tutorial_lib.__file__).parent
FLOOR = {room: height for height, floor in enumerate(FLOORS) for room in floor}
LOOSE = {"errors", "lazy", "setup_check"}


def module_name(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {
    module_name(path): path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py"))
}


def imported(source, anywhere=True):
    """The dotted names that a source imports: everywhere in it, or only as it is loaded."""
    tree = ast.parse(source)
    for node in ast.walk(tree) if anywhere else tree.body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"a relative import in line {node.lineno}"
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def too_high(room, source):
    """The rooms that a source of `room` imports although they are not on a lower floor."""
    parts = (name.split(".") for name in imported(source))
    rooms = {part[1] for part in parts if part[0] == "tutorial_lib" and part[1:]} & FLOOR.keys()
    return sorted(other for other in rooms - {room} if FLOOR[other] >= FLOOR[room])


def circle(sources):
    """A circle of modules that load one another, or None."""
    graph = {name: set(imported(source, anywhere=False)) & sources.keys() - {name}
             for name, source in sources.items()}  # fmt: skip
    for name, needed in graph.items():  # a folder's own list of names loads its modules
        graph[name] = {other for other in needed if not name.startswith(f"{other}.")}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return error.args[1]


def test_every_room_is_on_a_floor_and_no_module_is_loose():
    rooms = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    loose = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__"}
    assert rooms | loose == FLOOR.keys()
    assert loose == LOOSE


@pytest.mark.parametrize("room", FLOOR)
def test_a_room_imports_only_from_lower_floors(room):
    inside = (f"tutorial_lib.{room}", f"tutorial_lib.{room}.")
    sources = [text for name, text in SOURCES.items() if f"{name}.".startswith(inside[1])]
    assert [found for source in sources for found in too_high(room, source)] == []


@pytest.mark.parametrize(
    "source",
    [
        "from tutorial_lib.models import BERT",
        "from tutorial_lib.models.bert import BERT",
        "from tutorial_lib import models",
        "import tutorial_lib.models.bert",
        "def late():\n    from tutorial_lib.models import BERT",
    ],
)
def test_an_import_from_a_higher_or_the_same_floor_is_seen(source):
    assert too_high("training", source) == ["models"]
    assert too_high("datasets", source) == ["models"]
    assert too_high("objectives", source) == []


def test_no_modules_import_one_another_in_a_circle():
    assert circle(SOURCES) is None


def test_a_circle_is_seen():
    ring = {"tutorial_lib.a": "import tutorial_lib.b", "tutorial_lib.b": "import tutorial_lib.a"}
    assert circle(ring)[0] == circle(ring)[-1]
    assert circle(ring | {"tutorial_lib.b": "def late():\n    import tutorial_lib.a"}) is None


def loaded_by(code, watched):
    """Which of the watched modules a new Python has loaded after some code."""
    code = f"import sys\n{code}\nprint(*sorted({set(watched)!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_naming_the_package_and_its_lazy_parts_loads_nothing_heavy():
    code = "from tutorial_lib import datasets, explorers, figures, models, pages"
    heavy = ("torch", "numpy", "matplotlib", "ipywidgets", "transformers")
    assert loaded_by(code, heavy) == []


def test_importing_the_package_loads_none_of_its_rooms():
    assert loaded_by("import tutorial_lib", [f"tutorial_lib.{room}" for room in FLOOR]) == []


def test_training_and_writing_load_no_scores_of_translations():
    code = "from tutorial_lib.decoding import generate\nfrom tutorial_lib.training import fit"
    assert loaded_by(code, ("sacrebleu",)) == []


def test_the_library_runs_without_what_only_its_tests_need():
    code = "import tutorial_lib\nfor room in dir(tutorial_lib): getattr(tutorial_lib, room)"
    assert loaded_by(code, ("transformers", "tokenizers", "tiktoken", "pytest")) == []


def test_an_unknown_name_is_named():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = tutorial_lib.nothing
    assert {"FLOORS", "attention"} <= set(dir(tutorial_lib))


def unnamed_encodings(source):
    """The lines in which a text file is read or written in whatever encoding the system has."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
        method = isinstance(node.func, ast.Attribute)
        binary = any(isinstance(a, ast.Constant) and "b" in str(a.value) for a in node.args[1:])
        opens = name == "open" and not method and not binary
        reads = name in ("read_text", "write_text") and method
        named = any(keyword.arg == "encoding" for keyword in node.keywords)
        if (opens or (reads and len(node.args) == (name == "write_text"))) and not named:
            yield node.lineno


def test_text_is_read_and_written_in_a_named_encoding():
    # On Windows it would be another one than here.
    assert list(unnamed_encodings("open(p)\np.read_text()\nopen(p, 'rb')\n")) == [1, 2]
    found = [(name, line) for name, text in SOURCES.items() for line in unnamed_encodings(text)]
    assert found == []

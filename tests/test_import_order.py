"""A module imports only from those above it, and nothing loads before it is used."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import tutorial_lib
from tutorial_lib import READING_ORDER

PACKAGE = Path(tutorial_lib.__file__).parent
PLACE = {name: place for place, name in enumerate(READING_ORDER)}


def modules():
    """The modules and packages on the disk, by name."""
    files = {path.stem: [path] for path in PACKAGE.glob("*.py") if path.stem != "__init__"}
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    return files | {name: sorted((PACKAGE / name).rglob("*.py")) for name in folders}


def imported(source):
    """The modules of the package that a source names in its imports, at any depth."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            dotted = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"a relative import in line {node.lineno}"
            dotted = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        for name in dotted:
            parts = name.split(".")
            if parts[0] == "tutorial_lib" and parts[1:] and parts[1] in PLACE:
                yield parts[1]


def below(name, source):
    """The imports of module `name` that break the order."""
    return sorted({other for other in imported(source) if PLACE[other] > PLACE[name]})


def test_the_order_names_every_module_once():
    assert sorted(READING_ORDER) == sorted(modules())


@pytest.mark.parametrize("name", READING_ORDER)
def test_a_module_imports_only_from_those_above_it(name):
    sources = [path.read_text(encoding="utf-8") for path in modules()[name]]
    assert [found for source in sources for found in below(name, source)] == []


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
def test_an_import_from_below_is_seen(source):
    assert below("datasets", source) == ["models"]
    assert below("training", source) == []


def test_naming_the_package_and_its_lazy_parts_loads_nothing_heavy():
    code = (
        "import sys, tutorial_lib\n"
        "from tutorial_lib import datasets, explorers, figures, models\n"
        "heavy = {'torch', 'numpy', 'matplotlib', 'ipywidgets', 'transformers'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_package_is_imported_in_no_time():
    # About 2 ms; measured inside, where starting Python does not count, and the best of five.
    code = (
        "import time; start = time.perf_counter(); import tutorial_lib; "
        "print(time.perf_counter() - start)"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
            for _ in range(5)]  # fmt: skip
    assert min(float(run.stdout) for run in runs) < 0.05


def test_the_library_runs_without_what_only_its_tests_need():
    code = (
        "import sys, tutorial_lib\n"
        "for name in tutorial_lib.READING_ORDER:\n"
        "    getattr(tutorial_lib, name)\n"
        "print(sorted({'transformers', 'tokenizers', 'tiktoken', 'pytest'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_an_unknown_name_is_named():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = tutorial_lib.nothing
    assert {"READING_ORDER", "attention"} <= set(dir(tutorial_lib))

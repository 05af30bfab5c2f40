"""The wheel, installed without this clone: a model, a figure and every page work from it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from isolation import ROOT
from wheel_of_the_package import build

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The folder that pip installed the wheel into; what it needs comes from this environment."""
    folder = tmp_path_factory.mktemp("wheel")
    wheel = build(folder)
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*command, "--target", str(folder / "site"), str(wheel)], check=True)
    return folder / "site"


@pytest.fixture
def run(installed, tmp_path):
    """Run a program in an empty folder with the installed wheel; returns what it printed."""

    def runner(program):
        others = [p for p in os.environ["PYTHONPATH"].split(os.pathsep) if Path(p) != ROOT]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(installed), *others])}
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return runner


def test_every_module_comes_from_the_wheel(run, installed):
    program = (
        "import json, sys, tutorial_lib\n"
        "from tutorial_lib import exercises, explorers, figures, models, recipes, setup_check\n"
        "from tutorial_lib.models import GPT\n"
        "mine = [m for name, m in sys.modules.items() if name.startswith('tutorial_lib')]\n"
        "print(json.dumps([m.__file__ for m in mine]))"
    )
    files = json.loads(run(program))
    assert len(files) > 10
    assert [file for file in files if not Path(file).is_relative_to(installed)] == []


def test_a_trained_model_predicts(run):
    program = (
        "from tutorial_lib.recipes import load_checkpoint\n"
        "model = load_checkpoint('mnist-vit')\n"
        "import torch\n"
        "print(tuple(model(torch.zeros(1, 1, 28, 28)).shape))"
    )
    assert run(program) == "(1, 10)"


def test_a_figure_is_drawn(run, tmp_path):
    program = (
        "import torch\n"
        "from tutorial_lib import figures\n"
        "figures.heat_map(torch.eye(3), list('abc'), list('abc'), 'One each').savefig('map.png')"
    )
    run(program)
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")


def test_every_page_is_imported(run, installed):
    pages, here = (
        sorted(path.stem for path in (root / "tutorial_lib" / "pages").glob("[a-z]*.py"))
        for root in (installed, ROOT)
    )
    assert pages == here
    run("\n".join(f"import tutorial_lib.pages.{page}" for page in pages))


def test_missing_data_names_a_list_that_exists(run, installed):
    program = (
        "from importlib import metadata\n"
        "def absent(name):\n"
        "    raise metadata.PackageNotFoundError(name)\n"
        "metadata.files = absent\n"
        "from tutorial_lib.datasets import minilm_folder\n"
        "try:\n"
        "    minilm_folder()\n"
        "except Exception as error:\n"
        "    print(error)"
    )
    path = run(program).rsplit(" -r ")[-1].strip('"')
    assert Path(path).is_relative_to(installed)
    assert "--hash=sha256:" in Path(path).read_text(encoding="utf-8")


def test_without_a_clone_there_is_nothing_to_copy(run):
    program = "from tutorial_lib.files.my_notebooks import course_folder; print(course_folder())"
    assert run(program) == "None"
    program = "from tutorial_lib.exercises.engine.keep import keeping_place; print(keeping_place())"
    assert run(f"import os; del os.environ['TUTORIAL_PROGRESS']; {program}").endswith(
        "my_transformer.py"
    )

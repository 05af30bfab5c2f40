"""my_transformer.py: what a solved exercise leaves behind."""

import importlib.util

import pytest
import torch

from tutorial_lib.exercises.engine import keep as keeping
from tutorial_lib.exercises.engine import store
from tutorial_lib.exercises.engine.keep import keep, keeping_place


@pytest.fixture
def path(progress_folder):
    return progress_folder / "my_transformer.py"


def load(path):
    spec = importlib.util.spec_from_file_location("my_transformer_test", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_function_is_kept_with_imports_helpers_and_constants(write, learner, path):
    learner.run(
        "import math\nimport torch.nn.functional as F\nfrom einops import rearrange, repeat as rep"
    )
    learner.run("SIDES = 2\ndef helper(x):\n    return x * SIDES / SIDES")
    learner.run(
        "def area(width, height):\n    F, x = 1, [y for y in (width,)]\n"
        "    return math.prod([helper(width), height]) * F"
    )
    assert keep(write, learner.area) == "Kept in my_transformer.py."
    text = path.read_text()
    assert "import math\n" in text
    assert "einops" not in text
    assert "functional" not in text, "a local name is no import"
    assert "# --- area: exercise 9.1 ---" in text
    assert load(path).area(3, 4) == 12


def test_import_forms(write, learner, path):
    learner.run(
        "import torch\nimport torch.nn.functional as F\nfrom torch import nn\nimport numpy as np\n"
        "from einops import rearrange as re"
    )
    learner.run(
        "def area(width: int, height: 'int' = torch.pi):\n"
        "    return re, F.relu, nn.Linear, np.pi, torch.pi"
    )
    keep(write, learner.area)
    text = path.read_text()
    for line in (
        "import numpy as np",
        "import torch",
        "import torch.nn.functional as F",
        "from einops import rearrange as re",
        "from torch import nn",
    ):
        assert f"\n{line}\n" in text
    assert load(path).area(1)


def test_a_class_of_a_notebook_is_kept(write, learner, path):
    learner.run("from torch import nn\nimport torch")
    learner.run(
        "class area(nn.Module):\n    '''Mine.'''\n    width = 3\n\n"
        "    @torch.no_grad()\n    def forward(self, x):\n        return x * self.width"
    )
    assert keep(write, learner.area) == "Kept in my_transformer.py."
    assert load(path).area()(torch.ones(1)) == 3


def test_a_dataclass_is_found_by_its_own_method(write, learner, path):
    learner.run("from dataclasses import dataclass")
    learner.run(
        "@dataclass\nclass area:\n    width: int\n\n    def of(self):\n        return self.width"
    )
    assert keep(write, learner.area) == "Kept in my_transformer.py."
    assert load(path).area(3).of() == 3


def test_solved_again_replaces_its_section_and_nothing_else(write, parts, learner, path):
    other = type(write)(**parts | {"id": "9.10", "slug": "other_area"})
    learner.run("def area(width, height):\n    return width * height")
    keep(write, learner.area)
    keep(other, learner.area)
    mine = path.read_text().replace(
        "\n\n\n# --- other_area: exercise 9.10",
        "\n\nMINE = 1  # \\1\n\n# --- other_area: exercise 9.10",
    )
    path.write_text("# my own start\n" + mine + "\n# my own end\n")
    before = path.read_text()
    learner.run("def area(width, height):\n    return height * width  # \\g<0>")
    keep(write, learner.area)
    assert path.read_text() == before.replace(
        "return width * height", "return height * width  # \\g<0>", 1
    )


def test_a_section_without_its_end_is_the_learners_text(write, learner, path):
    learner.run("def area(width, height):\n    return width * height")
    keep(write, learner.area)
    path.write_text(path.read_text().replace("# --- end of area ---", "# mine"))
    keep(write, learner.area)
    assert path.read_text().count("# --- area: exercise 9.1 ---") == 2
    assert "# mine" in path.read_text()


def test_another_name_gets_an_alias(write, learner, path):
    learner.run("def my_area(width, height):\n    return width * height")
    keep(write, learner.my_area)
    assert load(path).area(2, 3) == load(path).my_area(2, 3) == 6


def test_a_helper_that_is_a_solved_exercise_is_not_repeated(write, parts, learner, path):
    learner.run("def area(width, height):\n    return width * height")
    keep(write, learner.area)
    learner.run("def volume(width, height, depth):\n    return area(width, height) * depth")

    def volume(width, height, depth):
        """Return the volume."""

    keep(type(write)(**parts | {"id": "9.2", "solution": volume}), learner.volume)
    assert path.read_text().count("def area") == 1
    assert load(path).volume(1, 2, 3) == 6


def test_names_that_cannot_be_carried_are_listed(write, learner, path):
    learner.run("import torch\nW = torch.ones(2)\ndef area(width, height):\n    return W.sum()")
    said = keep(write, learner.area)
    assert said == "Kept in my_transformer.py. It uses W from your notebook, which is not kept."
    assert "# also uses from the notebook: W\n" in path.read_text()


def test_what_a_function_encloses_is_carried(write, learner, path):
    learner.run(
        "def made(SIDES, W):\n    def area(width, height):\n"
        "        return W and width * height * SIDES\n    return area\nfound = made(2, [].append)"
    )
    assert keep(write, learner.found).endswith("It uses W from your notebook, which is not kept.")
    assert "\nSIDES = 2\n" in path.read_text()


def test_literal_constants_are_carried_and_other_values_named(write, learner, path):
    learner.run(
        "SIDES = (1, 2)\nNAMES = {'a': [1.5, None]}\nDEEP = float('-inf')\nLONG = 'x' * 5000"
    )
    learner.run(
        "def area(width, height):\n"
        "    return (width * height if DEEP < 0 and LONG else 0) * SIDES[0] + 0 * NAMES['a'][0]"
    )
    keep(write, learner.area)
    text = path.read_text()
    assert "# also uses from the notebook: DEEP, LONG\n" in text
    assert "\nSIDES = (1, 2)\n" in text
    assert "\nNAMES = {'a': [1.5, None]}\n" in text


def test_a_library_function_is_kept_as_an_import(write, path):
    keep(write, torch.nn.functional.softmax)
    assert "from torch.nn.functional import softmax as area" in path.read_text()


@pytest.mark.parametrize(
    "cell", ["area = lambda width, height: width * height", "area = [].append"]
)
def test_code_without_a_name_is_not_kept(write, learner, path, cell):
    assert "write it as `def area` in a cell" in keep(write, learner.run(cell).area)
    assert not path.exists()


def test_a_section_that_does_not_parse_is_not_written(write, learner, path, monkeypatch):
    learner.run("def area(width, height):\n    return width * height")
    monkeypatch.setattr(keeping, "standing", lambda code, known: ("def area(:", []))
    assert "does not parse" in keep(write, learner.area)
    assert not path.exists()


def test_a_broken_file_of_the_learner_is_never_fatal(write, learner, path):
    learner.run("def area(width, height):\n    return width * height")
    path.parent.mkdir(parents=True)
    path.write_text("def half(:\n")
    assert keep(write, learner.area) == "Kept in my_transformer.py."
    assert path.read_text().startswith("def half(:\n")
    path.write_bytes(b"\xff\xfe")
    assert keep(write, learner.area) == "Not kept: my_transformer.py is not UTF-8 text."
    assert path.read_bytes() == b"\xff\xfe"


def test_a_folder_that_cannot_be_written_is_never_fatal(write, learner, monkeypatch):
    def refuse(path, text):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(keeping, "write_text", refuse)
    learner.run("def area(width, height):\n    return width * height")
    assert keep(write, learner.area) == "Not kept in my_transformer.py: Permission denied."


def test_the_place(progress_folder, monkeypatch, tmp_path):
    assert keeping_place() == store.progress_folder() / "my_transformer.py"
    monkeypatch.delenv("TUTORIAL_PROGRESS")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(keeping, "course_folder", lambda: None)
    assert keeping_place() == tmp_path / "my_transformer.py"
    monkeypatch.setattr(keeping, "course_folder", lambda: tmp_path / "course")
    assert keeping_place() == tmp_path / "course" / "my" / "my_transformer.py"


def test_in_a_clone_it_is_kept_in_my_and_the_message_says_so(write, learner, monkeypatch, tmp_path):
    monkeypatch.delenv("TUTORIAL_PROGRESS")
    monkeypatch.setattr(keeping, "open_store", lambda: store.Store(tmp_path / "progress"))
    monkeypatch.setattr(keeping, "course_folder", lambda: tmp_path)
    learner.run("def area(width, height):\n    return width * height")
    assert keep(write, learner.area) == "Kept in my/my_transformer.py."
    assert load(tmp_path / "my" / "my_transformer.py").area(3, 4) == 12

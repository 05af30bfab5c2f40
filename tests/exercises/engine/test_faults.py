"""What a learner's exception turns into, from the cells of a real IPython."""

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import tutorial_lib
from tutorial_lib.exercises.engine.tasks import Write, case
from tutorial_lib.exercises.engine.verdicts import judge


@pytest.fixture
def task(parts):
    def softmax(x):
        return x.softmax(-1)

    parts |= {"solution": softmax, "second_style": softmax, "mistakes": ()}
    return Write(**parts | {"cases": lambda: [case("a row", torch.ones(2))]})


@pytest.fixture
def layer_task(parts):
    class Layer(torch.nn.Identity):
        """The layer."""

    parts |= {"solution": Layer, "second_style": Layer, "mistakes": ()}
    parts |= {"cases": lambda: [case("a row", torch.ones(2))]}
    return Write(**parts, run=lambda answer, x: answer()(x))


@pytest.mark.parametrize(
    "cell",
    [
        "def softmax(x):\n    '''Text.'''\n    raise NotImplementedError",
        "def softmax(x):\n    raise NotImplementedError()",
        "import torch\n@torch.no_grad()\ndef softmax(x):\n    raise NotImplementedError",
        "def softmax(x):\n    def inner():\n        raise NotImplementedError\n    return inner()",
        "class S:\n    def __call__(self, x):\n        raise NotImplementedError\nsoftmax = S()",
    ],
)
def test_the_learners_own_stub_is_not_tried_yet(task, learner, cell):
    assert judge(task, learner.run(cell).softmax).status == "open"


def test_another_open_stub_is_named(task, learner):
    learner.run("def exponentials(x):\n    raise NotImplementedError")
    learner.run("def softmax(x):\n    return exponentials(x)")
    verdict = judge(task, learner.softmax)
    assert verdict.status == "error"
    assert "it calls exponentials, which is still an open stub" in verdict.text


def test_a_message_makes_it_an_error(task, learner):
    learner.run("def softmax(x):\n    raise NotImplementedError('later')")
    verdict = judge(task, learner.softmax)
    assert verdict.status == "error"
    assert "NotImplementedError in line 2 of your code" in verdict.text
    assert "later" in verdict.text


def test_a_misspelt_forward_is_named(layer_task, learner):
    learner.run(
        "from torch import nn\nclass Layer(nn.Module):\n    def foward(self, x):\n        return x"
    )
    text = judge(layer_task, learner.Layer).text
    assert "class Layer has no method `forward`: is `foward` misspelt?" in text
    assert not text.endswith("?.")


def test_a_missing_forward_is_named(layer_task, learner):
    learner.run("from torch import nn\nclass Layer(nn.Module):\n    pass")
    assert judge(layer_task, learner.Layer).text.endswith("has no method `forward`.")


def test_an_open_class_is_not_tried_yet(layer_task, learner):
    learner.run(
        "from torch import nn\nclass Layer(nn.Module):\n"
        "    def __init__(self):\n        raise NotImplementedError"
    )
    assert judge(layer_task, learner.Layer).status == "open"


def test_the_learners_line_is_shown_without_the_files_name(task, learner):
    learner.run("def softmax(x):\n    y = x.exp()\n    return y @ x.view(2, 1).T")
    text = judge(task, learner.softmax).text
    assert text.startswith(
        'in the case "a row", softmax([1, 1]): RuntimeError in line 3 of your code, '
        "`return y @ x.view(2, 1).T`: "
    )
    assert "/" not in text.split("`")[0]


def test_the_deepest_own_line_is_shown(task, learner):
    learner.run("def helper(x):\n    return x.nonsense\ndef softmax(x):\n    return helper(x)")
    assert "line 2 of your code, `return x.nonsense`" in judge(task, learner.softmax).text


def test_an_error_inside_torch_points_to_the_learners_call(task, learner):
    learner.run(
        "import torch\ndef softmax(x):\n    return torch.nn.functional.linear(x, x.view(1, 2), 3)"
    )
    assert "line 3 of your code" in judge(task, learner.softmax).text


def test_endless_recursion_is_an_error_with_a_line(task, learner):
    learner.run("def softmax(x):\n    return softmax(x)")
    gc.collect()  # what other tests left must not be finalised at the bottom of the recursion
    assert "RecursionError in line 2 of your code" in judge(task, learner.softmax).text


def test_a_line_of_the_library_is_not_the_learners_through_a_link(tmp_path):
    """A course folder may be a link: Python then names its files by the link."""
    link = tmp_path / "course"
    try:
        link.symlink_to(Path(tutorial_lib.__file__).parents[1], target_is_directory=True)
    except OSError:
        pytest.skip("no links here")
    code = (
        "from tutorial_lib.exercises import check\n"
        "from tutorial_lib.attention import attention as theirs\n"
        "import tutorial_lib\n"
        "print(tutorial_lib.__file__)\n"
        "check('2.2', lambda q, k, v: theirs(q, k[..., :1], v))\n"
    )
    environment = os.environ | {"PYTHONPATH": str(link), "TUTORIAL_PROGRESS": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment, cwd=tmp_path, check=True, capture_output=True, text=True, encoding="utf-8",
    )  # fmt: skip
    where, verdict = done.stdout.splitlines()
    assert where.startswith(str(link))
    assert "ShapeError" in verdict
    assert "line 5 of your code" in verdict or "of your code" not in verdict
    assert "attention.py" not in verdict


def test_an_error_without_words_or_of_many_lines_is_one_line(task):
    class Unsayable(Exception):
        def __str__(self):
            raise TypeError

    for error, words in ((Unsayable(), "no message"), (ValueError("one\ntwo"), ": one.")):

        def answer(x, error=error):
            raise error

        assert words in judge(task, answer).text


def test_code_that_ends_python_is_an_error_with_a_line(task, learner):
    learner.run("import sys\ndef softmax(x):\n    sys.exit('done')")
    text = judge(task, learner.softmax).text
    assert "SystemExit in line 3 of your code, `sys.exit('done')`: it ends Python" in text

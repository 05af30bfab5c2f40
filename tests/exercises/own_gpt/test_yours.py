"""A chapter runs on with the learner's own function, the library's where there is none."""

import pytest
import torch

from tutorial_lib.exercises import check, yours_or
from tutorial_lib.exercises.chapter00_start_here.demo import double, double_squared
from tutorial_lib.exercises.engine import registry
from tutorial_lib.exercises.engine.keep import ACCEPTED
from tutorial_lib.exercises.own_gpt import yours

CELL = "def double(x):\n    return x + x"


@pytest.fixture
def said(capsys):
    return lambda: capsys.readouterr().out


@pytest.fixture
def kept(progress_folder, learner):
    """The file of a learner who has solved 0.0 in an earlier session."""
    check("0.0", learner.run(CELL).double)
    ACCEPTED.clear()
    return progress_folder / "my_transformer.py"


def test_ours_while_it_is_open(said):
    check("0.0", double_squared)
    said()
    assert yours_or("0.0", double) is double
    assert said() == "Using the library's `double` (exercise 0.0 is open).\n"


def test_yours_is_the_very_function_that_was_accepted_last(learner, said):
    mine = learner.run(CELL).double
    check("0.0", mine)
    check("0.0", double_squared)
    learner.run("def double(x):\n    return 'another'")
    said()
    assert yours_or("0.0", double) is mine
    assert said() == "Using your `double`.\n"


def test_after_a_restart_yours_comes_from_the_file(kept, said):
    said()
    mine = yours_or("0.0", double)
    assert mine is not double
    assert mine(3) == 6
    assert said() == "Using your `double`.\n"


@pytest.mark.parametrize(
    "now",
    ["return 3 * x", "x *= 2\n    return x", "return x +", "raise NotImplementedError"],
    ids=["wrong", "spoils its input", "does not parse", "a stub"],
)
def test_a_section_edited_since_is_used_only_if_it_is_right(kept, said, now):
    text = kept.read_text()
    assert "return x + x" in text
    kept.write_text(text.replace("return x + x", now))
    said()
    assert yours_or("0.0", double) is double
    assert said() == "Using the library's `double` (exercise 0.0 is open).\n"


def test_what_stands_outside_the_sections_is_not_taken_for_an_answer(kept):
    kept.write_text(f"{CELL}\n")
    assert yours_or("0.0", double) is double


def test_a_repair_is_yours_too(symptom_task, monkeypatch, learner, said):
    monkeypatch.setattr(registry, "find", lambda id: symptom_task)
    mine = learner.run("def area(w, h):\n    return w * h").area
    check("9.1", None, mine)
    assert yours_or("9.1", max) is max
    check("9.1", "b", mine)
    assert yours_or("9.1", max) is mine
    ACCEPTED.clear()
    assert yours_or("9.1", max)(3, 4) == 12


def test_a_claim_has_no_code(claim, monkeypatch):
    monkeypatch.setattr(registry, "find", lambda id: claim)
    with pytest.raises(LookupError, match=r"exercise 9\.1 asks for a number"):
        yours_or("9.1", max)


def test_on_a_gpu_new_tensors_come_where_the_arguments_are(monkeypatch):
    """Right answers make masks by torch.ones(n, n), whatever device the ids are on."""
    monkeypatch.setattr(yours, "get_device", lambda: torch.device("meta"))
    one_more = yours_or("0.0", lambda x: x + torch.ones(len(x)))
    assert one_more(torch.zeros(2, device="meta")).device.type == "meta"
    assert one_more(torch.zeros(2)).tolist() == [1, 1]
    assert yours_or("0.0", torch.nn.Linear) is torch.nn.Linear

"""Names that load when they are used are there for editors too, which read and do not run."""

import importlib

import jedi
import pytest

import tutorial_lib
from tutorial_lib import FLOORS

LAZY = ("datasets", "exercises", "explorers", "figures", "files", "models")


def completions(code):
    """What an editor offers at the end of some code."""
    return {completion.name for completion in jedi.Script(code).complete()}


@pytest.mark.parametrize("room", LAZY)
def test_an_editor_offers_every_name_that_a_room_hands_out(room):
    module = importlib.import_module(f"tutorial_lib.{room}")
    names = {name for name in dir(module) if not name.startswith("_")}
    assert len(names) > 5
    assert names <= completions(f"from tutorial_lib import {room}\n{room}.")
    for name in names:
        getattr(module, name)  # and each is really there


def test_an_editor_offers_every_room():
    rooms = {room for floor in FLOORS for room in floor}
    assert rooms | {"FLOORS"} == set(dir(tutorial_lib)) - {"__version__"}
    assert rooms <= completions("import tutorial_lib\ntutorial_lib.")


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("figures.attention_matrix", ["weights", "rows", "columns"]),
        ("datasets.wheel_file", ["distribution", "path_inside"]),
        ("models.GPT", ["config"]),
        ("exercises.assemble", ["path"]),
    ],
)
def test_an_editor_shows_what_a_name_takes_and_does(name, parameters):
    room, _, attribute = name.partition(".")
    script = jedi.Script(f"from tutorial_lib.{room} import {attribute}\n{attribute}(")
    (signature,) = script.get_signatures()
    assert [parameter.name for parameter in signature.params][: len(parameters)] == parameters
    assert signature.docstring(raw=True)

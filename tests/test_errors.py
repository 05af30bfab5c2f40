import ast
from pathlib import Path

import pytest

import tutorial_lib
from tutorial_lib import errors

PACKAGE = Path(tutorial_lib.__file__).parent


def error_classes(source):
    """(name, names of its bases) of each class of a source that is an error by its name."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef) and node.name.endswith(("Error", "Exception", "Warning")):
            yield node.name, {ast.unparse(base).rpartition(".")[2] for base in node.bases}


def test_every_error_of_the_package_is_a_tutorial_error():
    bases = {}
    for path in PACKAGE.rglob("*.py"):
        bases |= dict(error_classes(path.read_text(encoding="utf-8")))
    assert "NonFiniteLossError" in bases
    ours = {"TutorialError"}
    while more := {name for name in bases if bases[name] & ours} - ours:
        ours |= more
    assert bases.keys() - ours == set()


def test_each_is_also_the_built_in_error_that_comes_nearest():
    with pytest.raises(FileNotFoundError):
        raise errors.MissingDataError("a folder")
    for name in ("ShapeError", "MaskError", "VocabularyError", "ContextError", "MissingHeadError"):
        with pytest.raises(ValueError, match="here"):
            raise getattr(errors, name)("here")
    assert not issubclass(errors.MissingHeadError, FileNotFoundError)

"""Packages whose names load their module when they are first used."""

import ast
import importlib
from pathlib import Path


def loading(package, file):
    """Return `__getattr__`, `__dir__` and `__all__` of a package whose names load when used.

    The package writes its imports under `if TYPE_CHECKING:`. There editors find the names, and
    Python passes over them: each is imported here when somebody first asks for it. `file` is the
    package's `__init__.py`, whose text says which names these are.

    >>> from tutorial_lib import files
    >>> load, names, _ = loading("tutorial_lib.files", files.__file__)
    >>> "write_text" in names(), load("write_text").__module__
    (True, 'tutorial_lib.files.atomic')
    """
    home_of = {
        alias.name: block.module
        for statement in ast.parse(Path(file).read_text(encoding="utf-8")).body
        if isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING"
        for block in statement.body
        for alias in block.names
    }

    def load(name):
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(home_of[name]), name)

    return load, lambda: sorted(home_of), sorted(home_of)

"""Packages whose names load their module when they are first used."""

import importlib


def loading(package, homes):
    """Return `__getattr__` and `__dir__` for a package; homes maps a name to its module's name.

    >>> load, names = loading("tutorial_lib", {"ShapeError": "errors"})
    >>> names(), load("ShapeError").__module__
    (['ShapeError'], 'tutorial_lib.errors')
    """

    def load(name):
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{package}.{homes[name]}"), name)

    return load, lambda: sorted(homes)

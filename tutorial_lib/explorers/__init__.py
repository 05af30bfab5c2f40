"""Things to move: one class an explorer, each loaded when it is first used.

Every explorer has a static twin in `tutorial_lib.figures` that draws any of its states without a
widget, so that a printed page or a screen reader misses nothing.
"""

import importlib

_HOME = {
    "AttentionExplorer": "attention",
    "MaskBuilder": "masks",
    "MergeStepper": "merges",
    "SaturationExplorer": "saturation",
    "SoftmaxExplorer": "softmax",
    "TokenizerExplorer": "tokens",
    "WalkExplorer": "walk",
}


def __getattr__(name):
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__():
    return sorted(_HOME)

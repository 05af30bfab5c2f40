"""Transformers, built one tested piece at a time.

The axis alphabet, the same in every shape comment of this package:

    B  batch               T  target / query length     S  source / key length
    H  heads               D  model width               K  width of one head (d_k)
    V  vocabulary          L  layers                    P  side of an image patch
    E  width of token vectors, where it is not D

Start with `pages`: each holds a whole system on one page, for reading, copying and changing. The
rooms hold the same things made robust. They lie on floors, and a room imports only from rooms on
lower floors (`FLOORS`).

Rooms load when they are first used, so `import tutorial_lib` costs nothing.
"""

import importlib

__version__ = "0.1.0"

FLOORS = (
    # what all may use
    ("errors", "lazy"),
    # files, and ideas that need nothing else of the package
    ("files", "positions", "embeddings", "decoding", "pages"),
    # text to ids, who looks at whom, how a model learns
    ("tokenizers", "attention", "training"),
    # what a model learns from, and the models
    ("datasets", "models"),
    # what a model is asked to learn, and looking inside it
    ("objectives", "interpret"),
    # pictures, and trainings too long for a notebook
    ("figures", "recipes"),
    # the course
    ("explorers", "exercises", "setup_check"),
)
_ROOMS = tuple(room for floor in FLOORS for room in floor)


def __getattr__(name):
    if name in _ROOMS:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted([*_ROOMS, "FLOORS", "__version__"])

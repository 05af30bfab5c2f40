"""Transformers, built one tested piece at a time.

The axis alphabet, the same in every shape comment of this package:

    B  batch               T  target / query length     S  source / key length
    H  heads               D  model width               K  width of one head (d_k)
    V  vocabulary          L  layers                    P  side of an image patch

Read the modules in this order and you follow one sentence from text to prediction:
hub, tokenizers, datasets, static_vectors, positions, masks, cache, capture, attention, blocks,
weights, models, devices, schedules, training, interventions, tracing, figures, explorers,
exercises, recipes. A module imports only from those before it; errors may be used by all.

Submodules load when they are first used, so `import tutorial_lib` costs nothing.
"""

import importlib

__version__ = "0.1.0"

_SUBMODULES = frozenset(
    {
        "attention",
        "blocks",
        "cache",
        "capture",
        "datasets",
        "devices",
        "errors",
        "exercises",
        "explorers",
        "figures",
        "hub",
        "interventions",
        "masks",
        "models",
        "positions",
        "recipes",
        "schedules",
        "static_vectors",
        "tokenizers",
        "tracing",
        "training",
        "weights",
    }
)


def __getattr__(name):
    if name in _SUBMODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted(_SUBMODULES | {"__version__"})

"""Transformers, built one tested piece at a time.

The axis alphabet, the same in every shape comment of this package:

    B  batch               T  target / query length     S  source / key length
    H  heads               D  model width               K  width of one head (d_k)
    V  vocabulary          L  layers                    P  side of an image patch

Read the modules in the order of `READING_ORDER` and you follow one sentence from text to
prediction. A module imports only from those above it.

Submodules load when they are first used, so `import tutorial_lib` costs nothing.
"""

import importlib

__version__ = "0.1.0"

READING_ORDER = (
    # what all may use
    "errors",
    "atomic",
    "lazy",
    # text to ids, and data
    "hub",
    "tokenizers",
    "datasets",
    "static_vectors",
    # ids to predictions
    "rotary",
    "distances",
    "patches",
    "positions",
    "masks",
    "cache",
    "capture",
    "attention",
    "blocks",
    "foreign_names",
    "weights",
    "models",
    "text_vectors",
    # learning
    "masking",
    "sentence_pairs",
    "objectives",
    "devices",
    "randomness",
    "interrupts",
    "muon",
    "schedules",
    "history",
    "resume",
    "training",
    # predictions to text
    "spans",
    "sampling",
    "continuation",
    "beam",
    "decoding",
    "copying",
    "translation_scores",
    # looking inside
    "interventions",
    "induction",
    "rollout",
    "records",
    "tracing",
    "figures",
    "explorers",
    # the course
    "pages",
    "exercises",
    "recipes",
    "setup_check",
)


def __getattr__(name):
    if name in READING_ORDER:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted([*READING_ORDER, "READING_ORDER", "__version__"])

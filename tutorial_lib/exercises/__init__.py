"""Exercises that say what went wrong, guesses that are kept, progress that is yours.

>>> from tutorial_lib.exercises import check
>>> check("0.0", None)
○ 0.0 Double a tensor: not tried yet
"""

from tutorial_lib.exercises.engine.desk import (
    check,
    hint,
    predict,
    predictions,
    progress,
    recall,
    reveal,
    solution,
    symptom,
)
from tutorial_lib.lazy import loading

# It needs the models and the tokenizers, which most notebooks do not load.
__getattr__, _ = loading(__name__, {"assemble": "own_gpt.assembly"})

__all__ = [
    "assemble",
    "check",
    "hint",
    "predict",
    "predictions",
    "progress",
    "recall",
    "reveal",
    "solution",
    "symptom",
]

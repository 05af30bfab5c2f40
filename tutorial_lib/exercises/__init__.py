"""Exercises that say what went wrong, guesses that are kept, progress that is yours.

>>> from tutorial_lib.exercises import check
>>> check("0.0", None)
○ 0.0 Double a tensor: not tried yet
"""

from typing import TYPE_CHECKING

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

if TYPE_CHECKING:  # assemble needs the models and the tokenizers: most notebooks load neither
    from tutorial_lib.exercises.own_gpt.assembly import assemble
    from tutorial_lib.exercises.own_gpt.yours import yours_or

__getattr__, _, _ = loading(__name__, __file__)

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
    "yours_or",
]

"""The reader of letters in chapter 03: it takes what a learner's functions return in float64."""

import json
import math
from pathlib import Path

import pytest
import torch
from torch import nn

from tutorial_lib.exercises.chapter03_positional_encoding.doors import attend_with_positions
from tutorial_lib.exercises.chapter03_positional_encoding.rotary import rotate_pairs

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "03_positional_encoding.ipynb"


def reader_with(**functions):
    """The class that cell 3h-reader defines when the learner's functions are these."""
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    (source,) = ("".join(cell["source"]) for cell in cells if cell["id"] == "3h-reader")
    names = {"math": math, "nn": nn, "torch": torch, **functions}
    exec(source.split("\n\n\n", 1)[1], names)  # its first lines take the learner's answers
    return names["LetterReader"]("rotary")


@pytest.mark.parametrize("doubled", ["rotate_pairs", "attend_with_positions"])
def test_answers_in_float64_do_not_stop_the_reader(doubled):
    functions = {"rotate_pairs": rotate_pairs, "attend_with_positions": attend_with_positions}
    plain = functions[doubled]
    functions[doubled] = lambda *args: plain(*args).double()
    scores = reader_with(**functions)(torch.zeros(2, 5, dtype=torch.long))
    assert [part.dtype for part in scores] == [torch.float32] * 3

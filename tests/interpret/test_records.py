import pytest
import torch

from tutorial_lib.interpret import Record, Trace

STORY = Trace(
    [
        Record("token ids", torch.zeros(1, 3), "B T", "input", ""),
        Record("output", torch.zeros(1, 3, 12), "B T V", "x · W", "head"),
    ]
)


def test_records_are_found_by_name_in_order():
    assert [*STORY] == ["token ids", "output"]
    assert STORY["output"].module == "head"
    with pytest.raises(KeyError, match="nothing called 'ids'; the names are token ids, output"):
        STORY["ids"]


def test_the_summary_has_a_line_for_each_in_columns():
    assert STORY.summary().splitlines() == [
        "token ids  B T    (1, 3)      input",
        "output     B T V  (1, 3, 12)  x · W",
    ]
    assert repr(STORY) == "Trace of 2 tensors, from 'token ids' to the output"
    assert repr(STORY["output"]) == "Record('output', B T V = (1, 3, 12), x · W)"

import json

from tutorial_lib.training import History

ROWS = [{"step": 2, "accuracy": 0.25}, {"step": 3, "accuracy": 0.5}]
HISTORY = History([2.0, 1.5, 1.0], [0.1] * 3, [1.0] * 3, ROWS, seconds=0.5, stopped="finished")


def test_it_goes_to_json_and_back():
    assert History(**json.loads(json.dumps(vars(HISTORY)))) == HISTORY


def test_columns_and_words():
    assert HISTORY.steps == [1, 2, 3]
    assert HISTORY.column("accuracy") == ([2, 3], [0.25, 0.5])
    assert repr(HISTORY) == "History(3 steps, last loss 1.000, finished)"
    assert repr(History()) == "History(0 steps, running)"

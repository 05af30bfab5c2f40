from fractions import Fraction

import numpy as np
import pytest
import torch

from tutorial_lib.exercises.engine.compare import difference, settle
from tutorial_lib.exercises.engine.excerpts import show

EXPECTED = torch.tensor([[1.0, 2.0], [3.0, 4.0]]) / 3


def parted(expected, got, tolerance=None):
    return difference(settle(expected), settle(got), tolerance)


@pytest.mark.parametrize(
    "got",
    [
        EXPECTED.double(),
        EXPECTED.half(),
        EXPECTED.bfloat16(),
        EXPECTED.numpy(),
        EXPECTED.tolist(),
        tuple(map(tuple, EXPECTED.tolist())),
        EXPECTED.clone().requires_grad_(),
        torch.nn.Parameter(EXPECTED),
        EXPECTED.to_sparse(),
        (row for row in EXPECTED.tolist()),
    ],
    ids=lambda got: type(got).__name__,
)
def test_any_style_of_the_same_numbers_passes(got):
    assert parted(EXPECTED, got) is None


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        (3, torch.tensor(3)),
        (3, 3.0),
        (0.5, np.float32(0.5)),
        (True, torch.tensor(True)),
        ([1, 2], (1, 2)),
        ([1, 2], torch.tensor([1, 2])),
        ([1, 2], range(1, 3)),
        ([(1, "a")], [[1, "a"]]),
        ({"a": 1.0}, {"a": torch.tensor(1.0)}),
        ({1, 2}, [2, 1]),
        (torch.tensor([1.0, 2.0]), torch.tensor([1, 2])),
        (torch.tensor([1, 2]), torch.tensor([1, 2], dtype=torch.int32)),
        ((EXPECTED, EXPECTED), [EXPECTED, EXPECTED.double()]),
        ((EXPECTED[0], EXPECTED[1]), EXPECTED),
        (float("nan"), float("nan")),
        (torch.tensor([-torch.inf]), torch.tensor([-torch.inf])),
        (None, None),
        ("ab", "ab"),
    ],
    ids=str,
)
def test_equal_in_another_form(expected, got):
    assert parted(expected, got) is None


@pytest.mark.parametrize(
    ("expected", "got", "text"),
    [
        (EXPECTED, EXPECTED + 1, "at [0, 0]: expected 0.3333, got 1.333 (4 of 4 places differ)"),
        (EXPECTED, EXPECTED[0], "expected shape (2, 2), got shape (2,)"),
        (EXPECTED, None, "it returned None: is a `return` missing?"),
        (EXPECTED, "x", "expected a float32 tensor of shape (2, 2), got 'x'"),
        (EXPECTED, [[1.0], [1.0, 2.0]], "got [[1.0], [1.0, 2.0]]"),
        (torch.tensor([1.0]), torch.tensor([torch.nan]), "expected 1, got nan"),
        (torch.tensor([True]), torch.tensor([1.0]), "expected True/False (bool), got decimal"),
        (torch.tensor([1]), torch.tensor([1.0]), "expected whole numbers (int64), got decimal"),
        (torch.tensor([1.0]), torch.tensor([1.0005]), "(they differ by 0.0005)"),
        ((EXPECTED, EXPECTED), EXPECTED[:1], "expected 2 results, got one"),
        ((EXPECTED, EXPECTED), 3, "expected 2 results, got one: 3"),
        ((EXPECTED, EXPECTED), (EXPECTED, -EXPECTED), "in the second result, at [0, 0]: expected"),
        ((EXPECTED, 1), (EXPECTED[0], 1), "in the first result: expected shape (2, 2), got shape"),
        ((EXPECTED, 1), (EXPECTED, 2), "in the second result: expected 1, got 2"),
        (["a", "b"], ["a", "c"], "item 1: expected 'b', got 'c'"),
        (["a"], ["a", "c"], "expected ['a'], got ['a', 'c'] (1 items expected, 2 came)"),
        ({"a": 1}, {}, "key 'a' is missing (expected there: 1)"),
        ({"a": 1}, {"a": 2}, "key 'a': expected 1, got 2"),
        ({}, {"a": 2}, "key 'a' should not be there (got 2)"),
        (
            [("a", "b"), ("e", "t")],
            [("a", "b"), ("p", "e")],
            "item 1: expected ('e', 't'), got ('p', 'e')",
        ),
        ([[1, 2], ["x" * 50, 1]], [[1, 2], ["y", 1]], "item 1: item 0: expected 'xxx"),
        (list(range(90)), [*range(60), 7], "expected [..., 58, 59, 60, 61, "),
        (list(range(90)), [*range(60), 7], "got [..., 58, 59, 7] (90 items expected, 61 came)"),
        ("a" * 200 + "b", "a" * 200 + "c", "ab', got ...'aaa"),
        (True, 1, "expected True, got 1"),
        (30_720_000, 5, "expected 30,720,000, got 5"),
    ],
)
def test_the_first_difference_is_told(expected, got, text):
    assert text in parted(expected, got)


def test_the_tolerance_suits_the_coarser_dtype():
    assert parted(torch.tensor([1.0]), torch.tensor([1.001])) is not None
    assert parted(torch.tensor([1.0]), torch.tensor([1.001], dtype=torch.float16)) is None
    assert parted(torch.tensor([1.0]), torch.tensor([1.1], dtype=torch.float16)) is not None


def test_a_given_tolerance_replaces_it():
    assert parted(torch.tensor([1.0]), torch.tensor([1.05]), 0.1) is None
    assert parted(1.0, 1.00001, 1e-6) is not None


def test_long_values_are_cut():
    assert len(show(list(range(1000)))) == 70


def test_whole_numbers_are_compared_to_the_last_digit():
    ids = torch.tensor([100_000, 3])
    assert difference(ids, ids + torch.tensor([1, 0])).startswith("at [0]: expected 100,000")
    assert difference(ids.double(), ids.double() + 1e-6) is None


def test_a_single_number_has_no_place():
    text = difference(torch.tensor(1.0), torch.tensor(2.0))
    assert text == "expected 1, got 2"


def test_a_whole_number_may_stand_for_a_decimal_one_and_the_other_way_round():
    assert difference(2.0, 2) is None
    assert difference(2, 2.0) is None
    assert difference(2, 2.5) is not None


def test_a_part_that_carries_a_name_is_called_by_it():
    expected, got = {"output": torch.zeros(2)}, {"output": torch.ones(2)}
    text = difference(expected, got, results=("output",))
    assert text == "in the output, at [0]: expected 0, got 1 (2 of 2 places differ)"
    assert difference(expected, got).startswith("key 'output': at [0]")


def test_one_result_in_place_of_several_names_what_is_asked_for():
    expected = settle((torch.ones(2, 4), torch.ones(2, 5)))
    told = difference(expected, torch.ones(2, 4), results=("output", "weights"))
    wanted = "expected 2 results (output, weights), got one: a float32 tensor of shape (2, 4)"
    assert told == wanted
    pair = settle((torch.ones(3), torch.zeros(3)))
    assert difference(pair, torch.stack(pair)) is None


def test_a_part_that_is_none_is_no_missing_return():
    told = difference(settle((torch.ones(2), 3)), settle((torch.ones(2), None)))
    assert told.endswith("expected 3, got None")
    assert "return" in difference(settle([1]), None)


def test_a_part_of_plain_values_is_called_by_its_name():
    told = difference([[1, 2, 3], 4], [[1, 2, 3], 5], results=("prompt", "answer"))
    assert told == "in the answer: expected 4, got 5"


def test_a_fraction_is_a_number():
    assert difference(0.5, settle(Fraction(1, 2))) is None


def test_a_tensor_that_shows_one_number_without_end_is_refused():
    with pytest.raises(ValueError, match="a tensor of 1,000,000,000,000 numbers"):
        settle(torch.ones(1).expand(10**12))


@pytest.mark.parametrize("odd", [object(), torch])
def test_no_address_and_no_path_is_shown(odd):
    assert show(settle(odd)).startswith("an object of the class ")

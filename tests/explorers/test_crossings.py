"""What decides where the order of words turns round: the numbers that chapter 04 tells."""

import pytest
import torch

from tutorial_lib.datasets import load_numbers
from tutorial_lib.exercises.chapter04_transformer.lead import lead_head
from tutorial_lib.explorers.crossings import (
    all_heads,
    crossing,
    crossing_numbers,
    every_other_day,
    mistranslated,
    right_without,
    weight_on_the_unit,
    written_when_led,
)
from tutorial_lib.recipes.translator import Translator

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def german():
    return Translator.load("de")


@pytest.fixture(scope="module")
def values():
    return load_numbers("de", n_train=100).test.values


def test_a_crossing_is_where_the_unit_is_written(german, values):
    found = crossing(german, 742)
    assert found.steps.written[found.row] == "zwei"
    assert (found.steps.source[found.unit], found.steps.source[found.tens]) == ("·two", "·forty")
    assert all(n % 10 and n % 100 > 20 for n in crossing_numbers(values))


def test_most_heads_look_at_the_unit(german, values):
    weights = weight_on_the_unit(german, crossing_numbers(values)[:12])
    assert weights.shape == (2, 4)
    assert (weights > 0.8).sum() >= 6


def test_without_layer_1_only_numbers_without_a_crossing_fail(german, values):
    below = [n for n in values if n < 1_000]
    share, wrong = right_without(german, below, all_heads(german.model, 1))
    assert 0.9 < share < 1
    assert wrong
    assert not set(wrong) & set(crossing_numbers(values))
    assert all(n % 10 == 0 or 10 < n % 100 < 20 for n in wrong)
    nothing, _ = right_without(german, below, [])
    assert nothing == 1


def test_layer_1_decides_what_is_written(german, values):
    some = crossing_numbers(values)[:12]
    counts = {
        name: written_when_led(german, some, heads, lead_head, "tens")
        for name, heads in {
            "nothing": [],
            "one": [(1, 1)],
            "0": all_heads(german.model, 0),
            "1": all_heads(german.model, 1),
        }.items()
    }
    assert counts["nothing"]["unit"] == counts["one"]["unit"] == len(some)
    assert counts["1"]["tens"] > len(some) / 2 > counts["0"]["tens"]


def test_at_the_unit_either_layer_is_enough(german, values):
    some = crossing_numbers(values)[:12]
    for layer in (0, 1):
        heads = all_heads(german.model, layer)
        counts = written_when_led(german, some, heads, lead_head, None)
        assert counts["unit"] == len(some)
    both = written_when_led(german, some, all_heads(german.model, 0, 1), lead_head, None)
    assert both["other"] == len(some)


def test_only_years_with_two_different_centuries_go_wrong():
    french = Translator.load("fr")
    wrong = {year: mistranslated(french, every_other_day(year)) for year in (1818, 1819, 2018)}
    assert not wrong[1818]
    assert all("neuf cent" in written for written in wrong[1819].values())
    assert wrong[1819]
    assert wrong[2018]


def test_taps_are_gone_afterwards(german):
    ids, mask = german.source(["742"])
    before = german.model.encode(ids, mask)
    written_when_led(german, [742], all_heads(german.model, 1), lead_head, "tens")
    torch.testing.assert_close(german.model.encode(ids, mask), before)
    assert german.translate("742") == "siebenhundertzweiundvierzig"

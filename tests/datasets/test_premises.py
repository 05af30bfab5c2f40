import json
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from tutorial_lib import datasets
from tutorial_lib.datasets.premises import (
    KINDS,
    LABELS,
    PremisePair,
    Scene,
    balanced_pairs,
    hypothesis_only,
    leaky_pairs,
    relation,
)

DOGS = Scene("two", "", "dogs", "in the field")


@pytest.mark.parametrize(
    ("parts", "label"),
    [
        (("two", "", "dogs", "in the field"), "entailment"),
        (("some", "", "animals", "outdoors"), "entailment"),
        (("two", "small", "dogs", "in the field"), "neutral"),
        (("three", "", "dogs", "in the field"), "contradiction"),
        (("two", "", "cats", "in the field"), "contradiction"),
        (("two", "", "people", "in the field"), "contradiction"),
        (("two", "", "dogs", "on the beach"), "contradiction"),
        (("two", "small", "dogs", "indoors"), "contradiction"),
    ],
)
def test_the_label_of_a_hypothesis(parts, label):
    assert relation(DOGS, Scene(*parts)) == label


def test_from_the_general_nothing_specific_follows():
    some = Scene("some", "", "animals", "outdoors")
    assert relation(some, DOGS) == "neutral"
    assert relation(some, Scene("some", "", "dogs", "indoors")) == "contradiction"
    assert relation(Scene("two", "small", "dogs", "outdoors"), DOGS) == "neutral"
    large = Scene("two", "large", "dogs", "outdoors")
    assert relation(Scene("two", "small", "dogs", "outdoors"), large) == "contradiction"


def test_every_thing_is_the_name_of_an_emoji():
    path = Path(datasets.__file__).with_name("emoji_names.json")
    names = {row[1] for row in json.loads(path.read_text(encoding="utf-8"))["emoji"]}
    singular = {"fairies": "fairy", "buses": "bus"}
    things = [thing for words in KINDS.values() for thing in words]
    assert [t for t in things if singular.get(t, t.removesuffix("s")) not in names] == []


@pytest.mark.parametrize("make", [leaky_pairs, balanced_pairs])
def test_the_labels_are_equally_frequent_and_no_pair_comes_twice(make):
    train, _, test = make(600, 150)
    for part in (train, test):
        assert set(Counter(pair.label for pair in part).values()) == {len(part) // 3}
    assert len({(p.premise, p.hypothesis) for p in (*train, *test)}) == 750
    assert make(600, 150).fingerprint == make(600, 150).fingerprint
    assert make(600, 150).fingerprint != make(600, 150, seed=1).fingerprint


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_leaky_hypotheses_tell_the_label_and_the_balanced_ones_do_not(seed):
    train, _, test = leaky_pairs(seed=seed)
    assert hypothesis_only(train, test) > 0.9
    train, _, test = balanced_pairs(seed=seed)
    assert hypothesis_only(train, test) == pytest.approx(1 / 3, abs=0.03)


def test_every_balanced_hypothesis_has_each_label_equally_often():
    for part in (balanced_pairs(600, 150).train, balanced_pairs(600, 150).test):
        labels = defaultdict(Counter)
        for pair in part:
            labels[pair.hypothesis][pair.label] += 1
        assert all(len(set(c.values())) == 1 and len(c) == 3 for c in labels.values())


def test_negation_is_a_mark_of_contradiction_only_where_it_leaks():
    leaky = [pair.label for pair in leaky_pairs(600, 150).train if "no " in pair.hypothesis]
    assert set(leaky) == {"contradiction"}
    assert not any("no " in pair.hypothesis for pair in balanced_pairs(600, 150).train)


def test_the_baseline_reads_the_hypothesis_alone():
    pairs = [PremisePair("a", f"word{i}", label) for i, label in enumerate(LABELS)]
    assert hypothesis_only(pairs, pairs) == 1.0
    blind = [PremisePair(label, "word", label) for label in LABELS]
    assert hypothesis_only(blind, blind) == pytest.approx(1 / 3)


def test_pairs_come_in_threes():
    with pytest.raises(ValueError, match="come in threes, one a label, got 10 and 3"):
        balanced_pairs(10, 3)
    with pytest.raises(ValueError, match="got 30 and 0"):
        leaky_pairs(30, 0)

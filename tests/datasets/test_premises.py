import json
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from tutorial_lib import datasets
from tutorial_lib.datasets.premises import (
    KINDS,
    LABELS,
    NUMBERS,
    PLACES,
    SIZES,
    PremisePair,
    Scene,
    balanced_pairs,
    hypothesis_only,
    leaky_pairs,
    premise_only,
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
    train, _, test = make(630, 153)
    for part in (train, test):
        assert set(Counter(pair.label for pair in part).values()) == {len(part) // 3}
    assert len({(p.premise, p.hypothesis) for p in (*train, *test)}) == 783
    assert make(630, 153).fingerprint == make(630, 153).fingerprint
    assert make(630, 153).fingerprint != make(630, 153, seed=1).fingerprint


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_which_side_alone_tells_the_label(seed):
    leaky, balanced = (make(900, 450, seed) for make in (leaky_pairs, balanced_pairs))
    assert hypothesis_only(leaky.train, leaky.test) > 0.9
    assert hypothesis_only(balanced.train, balanced.test) == pytest.approx(1 / 3, abs=0.001)
    assert premise_only(balanced.train, balanced.test) == pytest.approx(1 / 3, abs=0.001)


def test_every_sentence_has_each_label_equally_often():
    train, _, test = balanced_pairs(630, 153)
    for part in (train, test):
        for side in ("premise", "hypothesis"):
            labels = defaultdict(Counter)
            for pair in part:
                labels[getattr(pair, side)][pair.label] += 1
            assert all(len(set(c.values())) == 1 and len(c) == 3 for c in labels.values())


def test_fewer_pairs_to_learn_from_are_tested_on_the_same():
    assert balanced_pairs(36, 90).test == balanced_pairs(90, 90).test


def test_the_labels_of_the_balanced_pairs_are_the_relation_of_their_scenes():
    scenes = {}
    for number in ("some", *NUMBERS):
        for size in ("", *SIZES):
            for things in (list(KINDS), *KINDS.values()):
                for thing in things:
                    for place in (*PLACES, *PLACES["indoors"], *PLACES["outdoors"]):
                        scene = Scene(number, size, thing, place)
                        scenes[scene.text] = scene
    for pair in balanced_pairs(90, 45).train:
        assert relation(scenes[pair.premise], scenes[pair.hypothesis]) == pair.label


def test_negation_is_a_mark_of_contradiction_only_where_it_leaks():
    leaky = [pair.label for pair in leaky_pairs(630, 153).train if "no " in pair.hypothesis]
    assert set(leaky) == {"contradiction"}
    assert not any("no " in pair.hypothesis for pair in balanced_pairs(630, 153).train)


def test_the_baseline_reads_the_hypothesis_alone():
    pairs = [PremisePair("a", f"word{i}", label) for i, label in enumerate(LABELS)]
    assert hypothesis_only(pairs, pairs) == 1.0
    blind = [PremisePair(label, "word", label) for label in LABELS]
    assert hypothesis_only(blind, blind) == pytest.approx(1 / 3)
    assert premise_only(blind, blind) == 1.0


def test_pairs_come_in_groups():
    with pytest.raises(ValueError, match="come in groups of 9, got 30 and 9"):
        balanced_pairs(30, 9)
    with pytest.raises(ValueError, match="come in groups of 3, got 10 and 3"):
        leaky_pairs(10, 3)
    with pytest.raises(ValueError, match="got 30 and 0"):
        leaky_pairs(30, 0)

"""Premise and hypothesis: does one sentence follow from another? Two generators, one that leaks.

A sentence has four parts: a number, a size or none, a thing and a place. Each part is either
specific ("two", "small", "dogs", "in the barn") or general ("some", none, "animals", "indoors");
the specific lies under its general one. Three labels, in the manner of "Two dogs are running
through a field" (Bowman et al. 2015): the hypothesis follows (entailment), cannot be true of the
same scene (contradiction), or may be (neutral). Things are names of emoji, their kinds our own.

- `leaky_pairs` writes hypotheses as people did for such data (Gururangan et al. 2018): general
  words for entailment, an added detail for neutral, often "no" for contradiction. The hypothesis
  alone then gives the label away.
- `balanced_pairs` draws the hypothesis first, and for each label a premise that makes it so: each
  hypothesis stands there once with each label, and alone it tells nothing.
"""

import math
import random
from collections import Counter
from dataclasses import astuple, dataclass

from tutorial_lib.datasets.splits import Splits

LABELS = ("entailment", "neutral", "contradiction")
NUMBERS = ("two", "three", "four", "five", "six", "seven")
SIZES = ("small", "large")
KINDS = {
    "animals": ("dogs", "cats", "horses", "lions", "tigers", "goats"),
    "people": ("boys", "girls", "guards", "detectives", "ninjas", "fairies"),
    "vehicles": ("buses", "taxis", "tractors", "trams", "bicycles", "ambulances"),
}
PLACES = {
    "outdoors": ("in the field", "on the beach", "in the street", "in the park"),
    "indoors": ("in the barn", "in the hall", "in the castle", "in the station"),
}
DETAILS = ("to find food", "to meet friends", "because it rains", "for the first time")

_GENERAL = {"some": NUMBERS, "": SIZES, **KINDS, **PLACES}
_SEED = 2026


@dataclass(frozen=True)
class Scene:
    """The four parts of a sentence; size may be empty.

    >>> Scene("two", "small", "dogs", "in the barn").text
    'two small dogs are in the barn'
    """

    number: str
    size: str
    thing: str
    place: str

    @property
    def text(self):
        """The sentence."""
        return " ".join(f"{self.number} {self.size} {self.thing} are {self.place}".split())


@dataclass(frozen=True)
class PremisePair:
    """Two sentences and the label of the second, seen from the first."""

    premise: str
    hypothesis: str
    label: str


def relation(premise, hypothesis):
    """Return the label of two Scenes, exactly: both speak of the same and only things.

    >>> dogs = Scene("two", "", "dogs", "in the field")
    >>> relation(dogs, Scene("some", "", "animals", "outdoors"))
    'entailment'
    >>> relation(dogs, Scene("two", "small", "dogs", "outdoors"))
    'neutral'
    >>> relation(dogs, Scene("some", "", "animals", "indoors"))
    'contradiction'
    """
    label = "entailment"
    for said, claimed in zip(astuple(premise), astuple(hypothesis), strict=True):
        if said == claimed or said in _GENERAL.get(claimed, ()):
            continue
        if claimed not in _GENERAL.get(said, ()):
            return "contradiction"
        label = "neutral"
    return label


def leaky_pairs(n_train=3_000, n_test=600, seed=_SEED):
    """Return Splits of PremisePairs (validation empty) whose hypotheses give the label away.

    >>> leaky_pairs(30, 9)
    Splits(train 30, validation 0, test 9)
    """
    return _splits(_leaky_triple, n_train, n_test, seed)


def balanced_pairs(n_train=3_000, n_test=600, seed=_SEED):
    """Return Splits of PremisePairs (validation empty): each hypothesis once with each label.

    >>> balanced_pairs(30, 9)
    Splits(train 30, validation 0, test 9)
    """
    return _splits(_balanced_triple, n_train, n_test, seed)


def hypothesis_only(train, test):
    """Return the accuracy of naive Bayes that reads the words of the hypothesis alone.

    Ties go to the label that stands first in LABELS.
    """
    words = {label: Counter() for label in LABELS}
    for pair in train:
        words[pair.label].update(pair.hypothesis.split())
    known = {word for counts in words.values() for word in counts}
    # The labels are equally frequent; one is added to every count (Laplace).
    log_p = {
        label: {
            word: math.log((counts[word] + 1) / (counts.total() + len(known))) for word in known
        }
        for label, counts in words.items()
    }
    right = 0
    for pair in test:
        said = [word for word in pair.hypothesis.split() if word in known]
        best = max(LABELS, key=lambda label: sum(log_p[label][word] for word in said))
        right += best == pair.label
    return right / len(test)


def _splits(triple, n_train, n_test, seed):
    if n_train % 3 or n_test % 3 or min(n_train, n_test) < 3:
        raise ValueError(f"the pairs come in threes, one a label, got {n_train} and {n_test}")
    generator = random.Random(seed)
    seen, parts = set(), []
    for n in (n_test, n_train):
        part = []
        while len(part) < n:
            drawn = triple(generator)
            if seen.isdisjoint(drawn):  # no pair of the test set is trained on, or comes twice
                part.extend(drawn)
                seen.update(drawn)
        generator.shuffle(part)
        parts.append(tuple(part))
    return Splits(parts[1], (), parts[0])


def _balanced_triple(generator):
    hypothesis = _scene(generator)
    pairs = {}
    # `_scene` leaves something specific, without which no premise would be neutral.
    while len(pairs) < len(LABELS):
        premise = _near(hypothesis, generator)
        label = relation(premise, hypothesis)
        pairs.setdefault(label, PremisePair(premise.text, hypothesis.text, label))
    return list(pairs.values())


def _leaky_triple(generator):
    kind, place = generator.choice([*KINDS]), generator.choice([*PLACES])
    thing, spot = generator.choice(KINDS[kind]), generator.choice(PLACES[place])
    premise = Scene(generator.choice(NUMBERS), generator.choice(SIZES), thing, spot)
    general = Scene(generator.choice([premise.number, "some"]), "", kind, place)
    detail = f"{premise.text} {generator.choice(DETAILS)}"
    if generator.random() < 0.6:
        wrong = f"no {thing} are {spot}"
    else:
        other = generator.choice(PLACES["indoors" if place == "outdoors" else "outdoors"])
        wrong = Scene(premise.number, premise.size, thing, other).text
    hypotheses = (general.text, detail, wrong)
    return [
        PremisePair(premise.text, h, label) for h, label in zip(hypotheses, LABELS, strict=True)
    ]


def _scene(generator):
    while True:
        parts = [
            generator.choice([*NUMBERS, "some", "some"]),
            generator.choice([*SIZES, ""]),
            generator.choice([word for kind, words in KINDS.items() for word in (*words, kind)]),
            generator.choice([word for kind, words in PLACES.items() for word in (*words, kind)]),
        ]
        if any(part not in _GENERAL for part in parts):
            return Scene(*parts)


def _near(hypothesis, generator):
    """Return a premise that shares each part with the hypothesis, or is near to it, or not."""
    other = astuple(_scene(generator))
    parts = []
    for own, foreign in zip(astuple(hypothesis), other, strict=True):
        above = [general for general, words in _GENERAL.items() if own in words]
        near = [own, *above, *_GENERAL.get(own, ())]
        parts.append(foreign if generator.random() < 0.2 else generator.choice(near))
    return Scene(*parts)

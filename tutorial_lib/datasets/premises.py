"""Premise and hypothesis: does one sentence follow from another? Two generators, one that leaks.

A sentence has four parts: a number, a size or none, a thing and a place. Each part is either
specific ("two", "small", "dogs", "in the barn") or the general word for it ("some", none,
"animals", "indoors"). There are three labels, in the manner of "Two dogs are running through a
field" (Bowman et al. 2015): the hypothesis follows (entailment), cannot be true of the same scene
(contradiction), or may be true (neutral). Things are names of emoji; their kinds are our own.

- `leaky_pairs` writes hypotheses as people did for such data (Gururangan et al. 2018): general
  words for entailment, an added detail for neutral, often "no" for contradiction. The hypothesis
  alone then gives the label away.
- `balanced_pairs` takes all nine pairs of three premises and three hypotheses, each of which
  occurs once with each label (a Latin square).
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
    """Return the exact label of two Scenes, which speak of the same things and no others.

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


def leaky_pairs(n_train: int = 3_000, n_test: int = 600, seed: int = _SEED) -> Splits:
    """Return Splits of PremisePairs (validation empty) whose hypotheses give the label away.

    Raises ValueError when n_train or n_test is no multiple of 3.

    >>> leaky_pairs(30, 9)
    Splits(train 30, validation 0, test 9)
    """
    return _splits(_leaky_triple, 3, n_train, n_test, seed)


def balanced_pairs(n_train: int = 3_600, n_test: int = 900, seed: int = _SEED) -> Splits:
    """Return the same Splits with each premise and each hypothesis once with each label.

    n_train and n_test are multiples of 9. A smaller n_train keeps the test part as it is.

    >>> balanced_pairs(36, 9)
    Splits(train 36, validation 0, test 9)
    """
    return _splits(_latin_square, 9, n_train, n_test, seed)


def hypothesis_only(train, test):
    """Return the accuracy of naive Bayes on the hypothesis alone; ties go to the first label."""
    return _one_side("hypothesis", train, test)


def premise_only(train, test):
    """Return the same for the premise alone."""
    return _one_side("premise", train, test)


def _one_side(side, train, test):
    words = {label: Counter() for label in LABELS}
    for pair in train:
        words[pair.label].update(getattr(pair, side).split())
    known = set().union(*words.values())
    # The labels are equally frequent; one is added to every count (Laplace).
    log_p = {
        label: {word: math.log((n[word] + 1) / (n.total() + len(known))) for word in known}
        for label, n in words.items()
    }

    def best(pair):
        said = [word for word in getattr(pair, side).split() if word in known]
        return max(LABELS, key=lambda label: sum(log_p[label][word] for word in said))

    return sum(best(pair) == pair.label for pair in test) / len(test)


def _splits(draw, group, n_train, n_test, seed):
    if n_train % group or n_test % group or min(n_train, n_test) < group:
        raise ValueError(f"the pairs come in groups of {group}, got {n_train} and {n_test}")
    generator = random.Random(seed)
    seen, parts = set(), []
    for n in (n_test, n_train):
        part = []
        while len(part) < n:
            drawn = draw(generator)
            if seen.isdisjoint(drawn):  # no pair of the test set is trained on, or comes twice
                part.extend(drawn)
                seen.update(drawn)
        generator.shuffle(part)
        parts.append(tuple(part))
    return Splits(parts[1], (), parts[0])


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
    both = zip((general.text, detail, wrong), LABELS, strict=True)
    return [PremisePair(premise.text, hypothesis, label) for hypothesis, label in both]


def _latin_square(generator):
    """Return all pairs of three premises and three hypotheses, each once with each label.

    Premise i entails hypothesis i and contradicts hypothesis i + 2 (mod 3); one is left to be
    neutral. Three of the four parts, in any order, contradict for one i each.
    """
    while True:
        turns = [0, 1, 2, None]
        generator.shuffle(turns)
        generals = [["some"], [""], [*KINDS], [*PLACES]]
        parts = [
            _words(generator.choice(choice), turn, generator)
            for choice, turn in zip(generals, turns, strict=True)
        ]
        premises = [Scene(*(said[i] for said, _ in parts)) for i in range(3)]
        hypotheses = [Scene(*(claimed[i] for _, claimed in parts)) for i in range(3)]
        square = [
            [PremisePair(p.text, h.text, relation(p, h)) for h in hypotheses] for p in premises
        ]
        lines = (*square, *zip(*square, strict=True))
        if all(len({pair.label for pair in line}) == len(LABELS) for line in lines):
            return [pair for row in square for pair in row]


def _words(general, turn, generator):
    """Return one part of three premises and three hypotheses, where each entails its own."""
    one, other = generator.sample(_GENERAL[general], 2)
    if turn is None:
        both = [(one, one), (one, general), (general, general), (other, general)]
        return [*zip(*generator.choices(both, k=3), strict=True)]
    said = [one, generator.choice([other, general, general]), other]
    claimed = [general, general, other]
    return [[words[(i - turn) % 3] for i in range(3)] for words in (said, claimed)]

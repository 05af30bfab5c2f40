"""Chapter 05b: a generator of pairs whose hypotheses must not give the label away."""

import random
from collections import Counter
from dataclasses import astuple

from tutorial_lib.datasets.premises import (
    LABELS,
    PremisePair,
    Scene,
    hypothesis_only,
    premise_only,
    relation,
)
from tutorial_lib.exercises.engine.tasks import Property, Symptom, case


def balanced(premises, hypotheses):
    """Return a list of PremisePairs; premises and hypotheses are lists of Scenes."""
    pairs = []
    for hypothesis in hypotheses:
        found = {}
        for premise in premises:
            found.setdefault(relation(premise, hypothesis), premise)
        if len(found) == len(LABELS):
            pairs += [PremisePair(found[x].text, hypothesis.text, x) for x in LABELS]
    return pairs


def balanced_search(premises, hypotheses):
    """Second style."""
    pairs = []
    for hypothesis in hypotheses:
        triple = [
            PremisePair(premise.text, hypothesis.text, label)
            for label in LABELS
            for premise in [p for p in premises if relation(p, hypothesis) == label][:1]
        ]
        pairs.extend(triple if len(triple) == 3 else [])
    return pairs


def balanced_premises(premises, hypotheses):
    """This takes the premises one by one, and looks for a hypothesis with each label."""
    pairs = []
    for premise in premises:
        found = {}
        for hypothesis in hypotheses:
            found.setdefault(relation(premise, hypothesis), hypothesis)
        if len(found) == len(LABELS):
            pairs += [PremisePair(premise.text, found[x].text, x) for x in LABELS]
    return pairs


def balanced_first_three(premises, hypotheses):
    """This gives each hypothesis the first three premises, whatever their labels are."""
    pairs = []
    for hypothesis in hypotheses:
        for premise in premises[:3]:
            label = relation(premise, hypothesis)
            pairs += [PremisePair(premise.text, hypothesis.text, label)]
    return pairs


def balanced_partly(premises, hypotheses):
    """This keeps a hypothesis even when no premise gives it one of the labels."""
    pairs = []
    for hypothesis in hypotheses:
        found = {}
        for premise in premises:
            found.setdefault(relation(premise, hypothesis), premise)
        pairs += [PremisePair(found[x].text, hypothesis.text, x) for x in LABELS if x in found]
    return pairs


def balanced_in_turn(premises, hypotheses):
    """This deals out the three labels in turn, without checking that they are true."""
    pairs = []
    for hypothesis in hypotheses:
        for premise, label in zip(premises, LABELS, strict=False):
            pairs.append(PremisePair(premise.text, hypothesis.text, label))
    return pairs


def written(balanced, premises, hypotheses):
    """The hypotheses and labels, in order of the alphabet, and what is wrong with the pair."""
    scenes = {scene.text: scene for scene in (*premises, *hypotheses)}
    lines = []
    for pair in balanced(premises, hypotheses):
        if not {pair.premise, pair.hypothesis} <= scenes.keys():
            lines.append("not the texts of two scenes")
            continue
        true = pair.label == relation(scenes[pair.premise], scenes[pair.hypothesis])
        lines.append(f"{pair.hypothesis}: {pair.label}{'' if true else ', not true'}")
    return sorted(lines)


def balanced_cases():
    """Few scenes, where a hypothesis, or a premise, finds all labels, two of them, or one."""
    field, park, hall = "in the field", "in the park", "in the hall"
    premises = [
        Scene("two", "small", "dogs", field),
        Scene("two", "", "cats", hall),
        Scene("some", "", "animals", field),
        Scene("three", "large", "cats", "indoors"),
        Scene("two", "small", "dogs", park),
        Scene("some", "", "dogs", "outdoors"),
    ]
    hypotheses = [
        Scene("some", "", "dogs", field),
        Scene("some", "", "animals", hall),
        Scene("six", "", "buses", park),
        Scene("two", "small", "dogs", "outdoors"),
    ]
    return [
        case("6 premises, 4 hypotheses", premises, hypotheses),
        case("5 premises, 2 hypotheses", premises[::-1][:5], hypotheses[::3]),
        case(
            "premises that find all labels too",
            [
                Scene("two", "", "dogs", field),
                Scene("two", "", "dogs", hall),
                Scene("some", "", "dogs", field),
            ],
            [
                Scene("some", "", "dogs", field),
                Scene("two", "", "dogs", "outdoors"),
                Scene("some", "", "dogs", hall),
                Scene("two", "small", "dogs", field),
            ],
        ),
    ]


def small_world():
    """All scenes of a small world, in a fixed random order."""
    world = [
        Scene(number, size, thing, place)
        for number in ("two", "three", "some")
        for size in ("small", "large", "")
        for thing in ("dogs", "cats", "animals")
        for place in ("in the field", "in the park", "in the hall", "outdoors")
    ]
    random.Random(0).shuffle(world)
    return world


def label_counts(balanced, half="hypothesis"):
    """Return how many pairs have each of LABELS and a hypothesis of 0 to 4 general choices.

    With half="premise" the premise's choices count. A list of 5 rows of 3 numbers. Premises and
    hypotheses are all scenes of a small world. General are “some”, “animals”, “outdoors”, and to
    say no size.
    """
    world = small_world()
    general = {"some", "", "animals", "outdoors"}
    level = {scene.text: sum(part in general for part in astuple(scene)) for scene in world}
    counts = [Counter() for _ in range(5)]
    for pair in balanced(world, world):
        counts[level[getattr(pair, half)]][pair.label] += 1
    return [[row[label] for label in LABELS] for row in counts]


def label_shares(counts):
    """Return each row of counts as shares that sum to 1; a row without pairs is empty.

    >>> label_shares([[1, 3, 0], [0, 0, 0]])
    [[0.25, 0.75, 0.0], []]
    """
    return [[n / sum(row) for n in row] if any(row) else [] for row in counts]


def blind_shares(balanced=balanced):
    """Return how often a reader of the hypothesis alone is right, and one of the premise alone.

    Both learn from three quarters of the threes of pairs of the small world, and are tested on the
    others.
    """
    world = small_world()
    pairs = balanced(world, world)
    threes = [pairs[i : i + 3] for i in range(0, len(pairs), 3)]
    random.Random(1).shuffle(threes)
    pairs, cut = [pair for three in threes for pair in three], len(threes) * 3 // 4 * 3
    return tuple(reader(pairs[:cut], pairs[cut:]) for reader in (hypothesis_only, premise_only))


def lines(answer, number=0):
    """What an answer writes for the first case, or another one."""
    return answer(*balanced_cases()[number].args)


def writes_hypotheses(answer):
    """What is written as a hypothesis is one."""
    texts = {scene.text for scene in balanced_cases()[0].args[1]}
    return {line.split(": ")[0] for line in lines(answer)} <= texts


def labels_are_true(answer):
    """Each label is that of its two scenes."""
    return (
        not any("not true" in line for line in lines(answer)) if writes_hypotheses(answer) else None
    )


def no_hypothesis(answer, wrong, sentence):
    """Tell of which hypothesis something is wrong, seen from how often it has each label.

    wrong(got, wanted) takes the numbers of the answer and of sound pairs.
    """
    for number, asked in enumerate(balanced_cases()[:2]):
        got, want = (
            Counter(line.removesuffix(", not true") for line in found)
            for found in (lines(answer, number), written(balanced, *asked.args))
        )
        for text in [scene.text for scene in asked.args[1]]:
            if wrong(*([pairs[f"{text}: {x}"] for x in LABELS] for pairs in (got, want))):
                return f"“{text}” {sentence}"
    return True


def no_label_twice(answer):
    """A hypothesis comes once with a label."""
    return no_hypothesis(
        answer, lambda got, want: max(got) > 1, "comes more than once with the same label."
    )


def all_labels_or_none(answer):
    """A hypothesis comes with all labels, or not at all."""
    sentence = "does not come with all three labels: leave out a hypothesis that lacks one."
    return no_hypothesis(answer, lambda got, want: any(got) and 0 in got, sentence)


def none_is_lost(answer):
    """A hypothesis that finds all three labels is there."""
    if not lines(answer) or not writes_hypotheses(answer):
        return None
    sentence = "finds a premise for each of the three labels, and is left out."
    return no_hypothesis(answer, lambda got, want: any(want) and not any(got), sentence)


REPAIR_GENERATOR = Symptom(
    id="5b.8",
    title="Repair the generator",
    level="medium",
    text="""
The picture above counts a generator's pairs by label, and by how many general choices
(“some”, “animals”, “outdoors”, no size) the hypothesis makes, 0 to 4. In a sound data set every row
would be even, and every label true. The code has one of the four mistakes below. Choose the letter,
then repair `balanced`, so that each hypothesis comes once with each label, or not at all.

Both sentences of a pair are about the same animals. `premises` and `hypotheses` are lists of
Scenes; `scene.text` is the sentence. Where several premises fit, take any. Three names help:

- `LABELS` holds the three labels;
- `relation(premise, hypothesis)` says which of them is true of two Scenes;
- `PremisePair(premise, hypothesis, label)` is a pair, of two sentences and a label.
""",
    hints=(
        "How often is a general hypothesis true? What does a model know that reads nothing else?",
        "Which sentence, premise or hypothesis, comes three times in the pairs, once a label?",
        "One outer loop, one inner loop: which of the two lists should the outer one go through?",
    ),
    solution=balanced,
    second_style=balanced_search,
    mistakes=(
        balanced_premises,
        balanced_first_three,
        balanced_partly,
        balanced_in_turn,
    ),
    shown=balanced_premises,
    looks=(
        "General hypotheses would mostly be entailed, specific ones neutral or contradicted, and "
        "overall each label would have a third.",
        "Contradiction would be the most frequent label in each row and overall: two scenes taken "
        "by chance seldom agree.",
        "Each label would have a third wherever a specific word is left; only the hypothesis that "
        "is general throughout would be there without neutral.",
        "Each label would have a third in every row, and the hypothesis would tell nothing, but "
        "the labels would not be true.",
    ),
    cases=balanced_cases,
    properties=(
        Property(
            "It writes no pair at all: some hypotheses do find all three labels.",
            lambda answer: bool(lines(answer)),
        ),
        Property(
            "A pair holds something that is not the text of a scene: `scene.text` is.",
            lambda answer: "not the texts of two scenes" not in lines(answer),
        ),
        Property(
            "A premise is where the hypothesis belongs: a PremisePair has the premise first.",
            writes_hypotheses,
        ),
        Property(
            "A label is not true of its pair: it must be `relation(premise, hypothesis)`, the "
            "premise first.",
            labels_are_true,
        ),
        Property("A hypothesis comes twice with the same label.", no_label_twice),
        Property("A hypothesis lacks a label.", all_labels_or_none),
        Property("A hypothesis that finds all three labels is left out.", none_is_lost),
    ),
    run=written,
    see="5bE In the prompt, or in the weights?",
)

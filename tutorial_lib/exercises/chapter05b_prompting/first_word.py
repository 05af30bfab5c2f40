"""Chapter 05b: how far the first word of the hypothesis leads, without the premise."""

import random
from collections import Counter, defaultdict
from dataclasses import replace

from tutorial_lib.datasets.premises import LABELS, PremisePair
from tutorial_lib.exercises.chapter05b_prompting.first_word_slips import SLIPS
from tutorial_lib.exercises.engine.tasks import Write, case

SEEDS = (117, 35)


def first_word_accuracy(train, test):
    """Return the share of test pairs whose label the first word of the hypothesis tells.

    train and test are lists of pairs with .premise, .hypothesis and .label. The guess is the most
    frequent label of the training pairs whose hypothesis begins with the same word; when there is
    none, the most frequent label of all training pairs.
    """
    by_word, overall = defaultdict(Counter), Counter()
    for pair in train:
        by_word[pair.hypothesis.split()[0]][pair.label] += 1
        overall[pair.label] += 1
    right = 0
    for pair in test:
        counts = by_word.get(pair.hypothesis.split()[0], overall)
        right += counts.most_common(1)[0][0] == pair.label
    return right / len(test)


def first_word_accuracy_lists(train, test):
    """Second style."""

    def guess(word):
        same = [p.label for p in train if p.hypothesis.partition(" ")[0] == word]
        labels = same or [p.label for p in train]
        return max(labels, key=labels.count)

    hits = [guess(p.hypothesis.partition(" ")[0]) == p.label for p in test]
    return sum(hits) / len(hits)


def drawn_pairs(seed, n_train, n_test, common):
    """Return n_train and n_test pairs whose first word tells something; the tests have new words.

    The seeds below are such that no two labels tie, and that no two mistakes give the same shares.
    """
    draw = random.Random(seed)
    likely = {"two": 0, "nine": 0, "no": 2, "some": 0, "notes": 1, "north": 1, "large": 2, "six": 1}
    known, every = [*likely][:6], [*likely]

    def pair(words):
        word, inner = draw.choice(words), draw.choice(known)
        usual = [likely[word]] * 3 + [common] * 2
        label = LABELS[draw.choice([*usual, 0, 1, 2])]
        place = draw.choice(["here", "indoors", "outdoors"])
        premise = f"{draw.choice(known)} dogs are {place}"
        return PremisePair(
            premise, f"{word} {draw.choice(['dogs', 'cats'])} {inner} {place}", label
        )

    train = [pair(known) for _ in range(n_train)]
    test = [pair(every) for _ in range(n_test)]
    again = [replace(pair(every), hypothesis=draw.choice(train).hypothesis) for _ in range(9)]
    return train, test + again


def first_word_accuracy_cases():
    """Words that share letters and stand elsewhere too, new words, hypotheses that come again."""
    return [
        case("72 training pairs", *drawn_pairs(SEEDS[0], 72, 38, common=1)),
        case("55 training pairs", *drawn_pairs(SEEDS[1], 55, 50, common=2)),
    ]


FIRST_WORD_ACCURACY = Write(
    id="5b.1",
    title="The first word alone",
    level="medium",
    text="""
How much does the hypothesis give away by itself? Write `first_word_accuracy(train, test)`. Both are
lists of pairs with `.premise`, `.hypothesis` and `.label`. For each test pair guess the label that
is **most frequent in training** among the hypotheses with the same first word. If no training
hypothesis begins with that word, guess the most frequent label of all training pairs. Return the
share of right guesses, from 0 to 1. (In the cases of the check no two labels tie for a guess.)
""",
    hints=(
        "First a table: for each first word, how often each label came with it.",
        "`collections.Counter` counts; `counter.most_common(1)[0][0]` is the most frequent key.",
        "The table and the most frequent label of all come from `train`; `test` is only guessed.",
    ),
    solution=first_word_accuracy,
    second_style=first_word_accuracy_lists,
    mistakes=SLIPS,
    cases=first_word_accuracy_cases,
    see="5b.2 Premise and hypothesis",
)

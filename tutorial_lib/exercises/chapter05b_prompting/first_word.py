"""Chapter 05b: how far the first word of the hypothesis leads, without the premise."""

import random
from collections import Counter, defaultdict
from dataclasses import replace

from tutorial_lib.datasets.premises import LABELS, PremisePair
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


def first(text):
    """The first word of a text."""
    return text.split()[0]


def guesses(train, test, key=lambda pair: first(pair.hypothesis), unseen=None):
    """The guessed label of each test pair, by what `key` reads of a pair."""
    overall = Counter(pair.label for pair in train).most_common(1)[0][0]
    table = defaultdict(Counter)
    for pair in train:
        table[key(pair)][pair.label] += 1
    best = {word: counts.most_common(1)[0][0] for word, counts in table.items()}
    return [best.get(key(pair), unseen or overall) for pair in test]


def share(guessed, test):
    """The share of right guesses."""
    return sum(label == pair.label for label, pair in zip(guessed, test, strict=True)) / len(test)


def first_word_accuracy_premise(train, test):
    """This reads the premise: only the hypothesis may be read."""
    return share(guesses(train, test, key=lambda pair: first(pair.premise)), test)


def first_word_accuracy_both(train, test):
    """This reads the first words of both sentences: only the hypothesis may be read."""
    key = lambda pair: (first(pair.premise), first(pair.hypothesis))  # noqa: E731
    return share(guesses(train, test, key), test)


def first_word_accuracy_last(train, test):
    """This reads the last word of the hypothesis: read the first one."""
    return share(guesses(train, test, key=lambda pair: pair.hypothesis.split()[-1]), test)


def first_word_accuracy_two_words(train, test):
    """This reads the first two words of the hypothesis: read the first one alone."""
    return share(guesses(train, test, key=lambda pair: tuple(pair.hypothesis.split()[:2])), test)


def first_word_accuracy_letter(train, test):
    """This reads the first letter: `hypothesis[0]` of a text is a letter, split it first."""
    return share(guesses(train, test, key=lambda pair: pair.hypothesis[0]), test)


def first_word_accuracy_whole(train, test):
    """This looks for the whole hypothesis: only its first word is to be read."""
    return share(guesses(train, test, key=lambda pair: pair.hypothesis), test)


def first_word_accuracy_all_words(train, test):
    """This lets all words of the hypothesis vote: only the first one is to be read."""
    votes = defaultdict(Counter)
    for pair in train:
        for word in pair.hypothesis.split():
            votes[word][pair.label] += 1
    right = 0
    for pair in test:
        total = sum((votes.get(w, Counter()) for w in pair.hypothesis.split()), Counter())
        total = total or Counter(other.label for other in train)
        right += total.most_common(1)[0][0] == pair.label
    return right / len(test)


def first_word_accuracy_contains(train, test):
    """This counts the pairs whose hypothesis has the word anywhere: it must begin with it."""
    right = 0
    for pair in test:
        word = first(pair.hypothesis)
        labels = [p.label for p in train if word in p.hypothesis.split()]
        labels = labels or [p.label for p in train]
        right += max(labels, key=labels.count) == pair.label
    return right / len(test)


def first_word_accuracy_starts_with(train, test):
    """This asks for texts that begin with the same letters: “no” is not the first word of
    “notes are here”, so compare words.
    """
    right = 0
    for pair in test:
        word = first(pair.hypothesis)
        labels = [p.label for p in train if p.hypothesis.startswith(word)]
        labels = labels or [p.label for p in train]
        right += max(labels, key=labels.count) == pair.label
    return right / len(test)


def first_word_accuracy_majority(train, test):
    """This always says the most frequent label: look at the first word."""
    return share(guesses(train, test, key=lambda pair: ""), test)


def first_word_accuracy_unseen_wrong(train, test):
    """This counts a word that training did not have as a miss: guess the most frequent label of
    all.
    """
    return share(guesses(train, test, unseen="none"), test)


def first_word_accuracy_unseen_skipped(train, test):
    """This leaves out the test pairs with a new word: they count, with the most frequent label."""
    known = {first(pair.hypothesis) for pair in train}
    kept = [pair for pair in test if first(pair.hypothesis) in known]
    return share(guesses(train, kept), kept)


def first_word_accuracy_unseen_entailment(train, test):
    """This says entailment for a new word: guess the most frequent label of training."""
    return share(guesses(train, test, unseen="entailment"), test)


def first_word_accuracy_unseen_alphabet(train, test):
    """This says, for a new word, the label that is last in the alphabet: `max` of a Counter
    compares its keys, `most_common` its counts.
    """
    return share(guesses(train, test, unseen="neutral"), test)


def first_word_accuracy_unseen_test(train, test):
    """This takes the most frequent label of the test pairs for a new word: it has seen the
    answers.
    """
    frequent = Counter(pair.label for pair in test).most_common(1)[0][0]
    return share(guesses(train, test, unseen=frequent), test)


def first_word_accuracy_test_counts(train, test):
    """This counts labels in the test pairs: the table comes from training."""
    return share(guesses(test, test), test)


def first_word_accuracy_all_counts(train, test):
    """This counts labels in training and test together: the test labels must stay unseen."""
    return share(guesses([*train, *test], test), test)


def first_word_accuracy_on_train(train, test):
    """This is the accuracy on the training pairs: give that on the test pairs."""
    return share(guesses(train, train), train)


def first_word_accuracy_latest(train, test):
    """This keeps the last label that it saw with each word: count, and take the most frequent."""
    latest = {first(pair.hypothesis): pair.label for pair in train}
    overall = guesses(train, test, key=lambda pair: "")
    guessed = [latest.get(first(p.hypothesis), o) for p, o in zip(test, overall, strict=True)]
    return share(guessed, test)


def first_word_accuracy_earliest(train, test):
    """This keeps the first label that it saw with each word: count, and take the most frequent."""
    return first_word_accuracy_latest([*train[::-1]], test)


def first_word_accuracy_rarest(train, test):
    """This takes the rarest label of a word: take the most frequent."""
    right = 0
    for pair in test:
        labels = [p.label for p in train if first(p.hypothesis) == first(pair.hypothesis)]
        labels = labels or [p.label for p in train]
        right += min(labels, key=labels.count) == pair.label
    return right / len(test)


def first_word_accuracy_possible(train, test):
    """This counts a hit when the label was seen with the word at all: one guess a pair."""
    seen = {(first(pair.hypothesis), pair.label) for pair in train}
    words = {word for word, _ in seen}
    overall = guesses(train, test, key=lambda pair: "")
    hits = [
        (first(p.hypothesis), p.label) in seen
        or (first(p.hypothesis) not in words and p.label == label)
        for p, label in zip(test, overall, strict=True)
    ]
    return sum(hits) / len(test)


def first_word_accuracy_soft(train, test):
    """This adds up how likely the right label is: guess one label a pair, right or wrong."""
    total = 0.0
    for pair in test:
        labels = [p.label for p in train if first(p.hypothesis) == first(pair.hypothesis)]
        labels = labels or [p.label for p in train]
        total += labels.count(pair.label) / len(labels)
    return total / len(test)


def first_word_accuracy_count(train, test):
    """This is the number of right guesses: divide by the number of test pairs."""
    return share(guesses(train, test), test) * len(test)


def first_word_accuracy_percent(train, test):
    """This is in percent: a share between 0 and 1 is asked for."""
    return 100 * share(guesses(train, test), test)


def first_word_accuracy_errors(train, test):
    """This is the share of wrong guesses: give the right ones."""
    return 1 - share(guesses(train, test), test)


def first_word_accuracy_over_train(train, test):
    """This divides by the number of training pairs: divide by the test pairs."""
    return share(guesses(train, test), test) * len(test) / len(train)


def first_word_accuracy_labels(train, test):
    """This returns the guessed labels: the share of right ones is asked for."""
    return guesses(train, test)


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
    mistakes=(
        first_word_accuracy_premise,
        first_word_accuracy_both,
        first_word_accuracy_last,
        first_word_accuracy_two_words,
        first_word_accuracy_letter,
        first_word_accuracy_whole,
        first_word_accuracy_all_words,
        first_word_accuracy_contains,
        first_word_accuracy_starts_with,
        first_word_accuracy_majority,
        first_word_accuracy_unseen_wrong,
        first_word_accuracy_unseen_skipped,
        first_word_accuracy_unseen_entailment,
        first_word_accuracy_unseen_alphabet,
        first_word_accuracy_unseen_test,
        first_word_accuracy_test_counts,
        first_word_accuracy_all_counts,
        first_word_accuracy_on_train,
        first_word_accuracy_latest,
        first_word_accuracy_earliest,
        first_word_accuracy_rarest,
        first_word_accuracy_possible,
        first_word_accuracy_soft,
        first_word_accuracy_count,
        first_word_accuracy_percent,
        first_word_accuracy_errors,
        first_word_accuracy_over_train,
        first_word_accuracy_labels,
    ),
    cases=first_word_accuracy_cases,
    see="5b.2 Premise and hypothesis",
)

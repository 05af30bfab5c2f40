"""Chapter 05b: how far the first word of the hypothesis leads, without the premise."""

import random
from collections import Counter, defaultdict
from dataclasses import replace

from tutorial_lib.datasets.premises import LABELS, PremisePair
from tutorial_lib.exercises.engine.tasks import Property, Write, case

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


def share(guessed, test):
    """The share of right guesses."""
    return sum(label == pair.label for label, pair in zip(guessed, test, strict=True)) / len(test)


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


E, N, C = LABELS


def told(label, hypothesis, premise="seven cars wait", times=1):
    """The same pair several times."""
    return [PremisePair(premise, hypothesis, label)] * times


MOST = told(C, "six buses wait", times=9)  # so that contradiction is the most frequent of all


def guessed(answer, train, hypothesis="no dogs bark", premise="two cats run", rest=()):
    """The label that an answer guesses, None when a test pair's own label makes no difference.

    Of the three labels that the pair may have, one changes the share of right guesses.
    """
    shares = [float(answer(train, [*rest, *told(x, hypothesis, premise)])) for x in LABELS]
    odd = [shares.count(share) == 1 for share in shares]
    return LABELS[odd.index(True)] if sum(odd) == 1 else None


def is_a_share(answer):
    """All right is 1."""
    found = answer(told(E, "no dogs bark", times=4), told(E, "no dogs bark", times=3))
    if isinstance(found, list):
        return "It returns the guesses: the share of right ones is asked for."
    sentences = {
        3: "It is the number of right guesses: divide by the number of test pairs.",
        100: "It is in percent: a share from 0 to 1 is asked for.",
        0: "It is the share of wrong guesses: give that of the right ones.",
        0.75: "It divides by the number of training pairs: divide by that of the test pairs.",
    }
    return found == 1 or sentences.get(found, f"Of 3 test pairs all are guessed, got {found:g}.")


def reads_the_first_word(answer):
    """The word decides, and not the most frequent label of all."""
    return guessed(answer, told(E, "no dogs bark", "two cats run", 2) + MOST) != C


def test_labels_are_not_learned(answer):
    """The labels of other test pairs make no difference."""
    same = "no dogs bark", "two cats run"
    train = told(E, *same, 2) + told(N, *same) + MOST
    shares = [answer(train, told(label, *same, 12)) for label in LABELS]
    if 0 < shares[0] == shares[1] == shares[2] < 1:
        return "It is the accuracy on the training pairs: give that on the test pairs."
    for words in ("no dogs bark", "some dogs bark"):
        rests = (told(N, *same, 12), told(C, *same, 12))
        if [guessed(answer, train, words, rest=rest) for rest in rests] == [N, C]:
            return False
    return True


def premise_is_not_read(answer):
    """The premise makes no difference."""
    train = told(E, "no dogs bark", times=2) + MOST
    other = told(N, "six dogs run", "two cats run", 3)
    found = guessed(answer, told(E, "no dogs bark", "two cats run", 2) + MOST)
    return None if found != E else guessed(answer, train + other) == E


def other_words_are_not_read(answer):
    """What comes after the first word makes no difference."""
    if premise_is_not_read(answer) is not True:
        return None
    train = told(E, "no birds fly", times=2) + MOST
    others = told(N, "six dogs bark", times=3), told(N, "six birds say no", times=3)
    return all(guessed(answer, train + other) == E for other in ([], *others))


def words_are_compared_whole(answer):
    """Words that begin alike are not the same."""
    train = told(E, "no dogs bark", "two cats run", 2) + told(N, "notes are here", times=3)
    return guessed(answer, train + MOST) != N


def takes_the_most_frequent(answer):
    """Of several labels of a word the most frequent one is guessed."""
    if test_labels_are_not_learned(answer) is not True:
        return None
    for labels in ([N, E, E, E, N, C], [E, C, C, N, N, N, E]):
        train = [pair for x in labels for pair in told(x, "no dogs bark", "two cats run")]
        found, most = guessed(answer, train + MOST), max(LABELS, key=labels.count)
        if found is None:
            return "Several labels count for one pair: guess one, right or wrong."
        if found != most:
            return f"When a word has come with {', '.join(labels)}, the guess must be {most}."
    return True


def new_words_get_the_most_frequent(answer):
    """A first word that training has not had."""
    if test_labels_are_not_learned(answer) is not True:
        return None
    known, new = told(E, "no dogs bark", "two cats run", 3), ("some owls sleep", "ten hens eat")
    found = guessed(answer, known + MOST, *new, rest=known)
    shares = {answer(known + MOST, known + told(x, *new)) for x in LABELS}
    if shares == {answer(known + MOST, known)}:
        return (
            "It leaves out the test pairs whose first word training has not had: they count, with "
            "the most frequent label of all training pairs as the guess."
        )
    return found == C


FIRST_WORD_ACCURACY = Write(
    id="5b.2",
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
    mistakes=(),
    cases=first_word_accuracy_cases,
    properties=(
        Property("The share of right guesses is asked for, from 0 to 1.", is_a_share),
        Property(
            "It reads the labels of the test pairs: the guesses come from training alone.",
            test_labels_are_not_learned,
        ),
        Property(
            "It always guesses the most frequent label: look at the first word of the hypothesis.",
            reads_the_first_word,
        ),
        Property(
            "The premise makes a difference: only the hypothesis may be read.", premise_is_not_read
        ),
        Property(
            "Other words of the hypothesis make a difference: only the first word may be read.",
            other_words_are_not_read,
        ),
        Property(
            "It takes “notes” for “no”: split the text, and compare the first word whole.",
            words_are_compared_whole,
        ),
        Property("The most frequent label of a word is guessed.", takes_the_most_frequent),
        Property(
            "A first word that training has not had must get the most frequent label of all "
            "training pairs as the guess.",
            new_words_get_the_most_frequent,
        ),
    ),
    see="5bC Cover one half",
)

"""Chapter 05b: what 90 percent of a leaky task shows."""

from tutorial_lib.exercises.engine.tasks import Claim

# How often each label comes with each kind of hypothesis in `leaky_pairs().train`.
COUNTS = {
    "begins with “no”": (0, 0, 571),
    "ends with a purpose or a reason": (0, 1000, 0),
    "begins with “some”": (513, 0, 0),
    "anything else": (487, 0, 429),
}
TOTAL = 3000


def blind_accuracy():
    """The best that the kind of hypothesis allows, in percent of all pairs."""
    return 100 * sum(max(row) for row in COUNTS.values()) / TOTAL


def blind_accuracy_misses():
    """Second style."""
    missed = sum(sum(row) - max(row) for row in COUNTS.values())
    return 100 - 100 * missed / TOTAL


def blind_accuracy_chance():
    """This is what one label for all gives: the kind of hypothesis tells more."""
    return 100 / 3


def blind_accuracy_sure():
    """This counts three kinds only: of the fourth, the more frequent label is right too."""
    return 100 * (571 + 1000 + 513) / TOTAL


def blind_accuracy_coin():
    """This tosses a coin for the rest: always saying its most frequent label is better."""
    return 100 * (571 + 1000 + 513 + (487 + 429) / 2) / TOTAL


def blind_accuracy_third():
    """This guesses one of three labels for the rest: its most frequent one is better."""
    return 100 * (571 + 1000 + 513 + (487 + 429) / 3) / TOTAL


def blind_accuracy_other_label():
    """This says contradiction for the rest: entailment is more frequent there."""
    return 100 * (571 + 1000 + 513 + 429) / TOTAL


def blind_accuracy_kinds():
    """This gives the four kinds the same weight: they are not equally frequent."""
    return 100 * sum(max(row) / sum(row) for row in COUNTS.values()) / len(COUNTS)


def blind_accuracy_rest():
    """This is the accuracy on the rest alone: count all pairs."""
    return 100 * 487 / (487 + 429)


def blind_accuracy_errors():
    """This is the share of misses: the right ones are asked for."""
    return 100 * 429 / TOTAL


def blind_accuracy_pairs():
    """This is the number of pairs: divide by all 3,000."""
    return blind_accuracy() * TOTAL / 100


def blind_accuracy_rounded():
    """This is rounded too far: give one decimal."""
    return 86


def blind_accuracy_claimed():
    """This is the report's accuracy: work out that of a reader of the hypothesis alone."""
    return 90.0


def blind_accuracy_beyond():
    """This is what the report has more: give the accuracy of the reader itself."""
    return 90 - blind_accuracy()


def blind_accuracy_all():
    """This would hold if every kind had one label only: look at the last row."""
    return 100.0


BLIND_ACCURACY = Claim(
    id="5b.3",
    title="Ninety percent",
    level="easy",
    text="""
“Our model finds the relation of premise and hypothesis in 90 percent of the pairs. So it has
learned what follows from what.” The 3,000 training pairs of `leaky_pairs` have three equally
frequent labels, and four kinds of hypothesis:

| the hypothesis | entailment | neutral | contradiction |
|---|---|---|---|
| begins with “no” | 0 | 0 | 571 |
| ends with a purpose or a reason | 0 | 1000 | 0 |
| begins with “some” | 513 | 0 | 0 |
| anything else | 487 | 0 | 429 |

Someone has lost the premises, and says for each kind its most frequent label. How many **percent**
of all pairs does that get right, to one decimal place?
""",
    hints=(
        "In three rows there is nothing to get wrong. What is the best answer in the fourth?",
        "Within a row the guess never changes. How often is it right there, out of 3,000?",
    ),
    solution=blind_accuracy,
    second_style=blind_accuracy_misses,
    mistakes=(
        blind_accuracy_chance,
        blind_accuracy_sure,
        blind_accuracy_coin,
        blind_accuracy_third,
        blind_accuracy_other_label,
        blind_accuracy_kinds,
        blind_accuracy_rest,
        blind_accuracy_errors,
        blind_accuracy_pairs,
        blind_accuracy_rounded,
        blind_accuracy_claimed,
        blind_accuracy_beyond,
        blind_accuracy_all,
    ),
    tolerance=0.051,
    unit="percent",
    verdict="90 percent show little more than the kind of hypothesis, and a reader of all of its "
    "words may do better still. Measure against a reader without the premise, not against a third.",
    see="5bC Cover one half",
)

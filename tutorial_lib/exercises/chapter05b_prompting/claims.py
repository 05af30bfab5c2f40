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
RIGHT = 2700  # of all, as reported
GIVEN_AWAY = 571 + 1000 + 513  # pairs of a kind that has one label only
REST = 487 + 429


def right_on_the_rest():
    """The share of the remaining pairs that the model gets right, in percent."""
    return 100 * (RIGHT - GIVEN_AWAY) / REST


def right_on_the_rest_misses():
    """Second style: all of its misses are there."""
    return 100 * (1 - (TOTAL - RIGHT) / REST)


def right_on_the_rest_claimed():
    """This is the mean over all pairs: on those that give their label away it is higher, so on
    the others it must be lower.
    """
    return 90.0


def right_on_the_rest_of_all():
    """This divides by all 3,000: divide by the pairs that are left."""
    return 100 * (RIGHT - GIVEN_AWAY) / TOTAL


def right_on_the_rest_errors():
    """This is the share of misses among them: the right ones are asked for."""
    return 100 * (TOTAL - RIGHT) / REST


def right_on_the_rest_pairs():
    """This is the number of pairs: divide by how many are left."""
    return RIGHT - GIVEN_AWAY


def right_on_the_rest_blind():
    """This is what always saying entailment gets right there: how far does the model come?"""
    return 100 * 487 / REST


def right_on_the_rest_blind_on_all():
    """This is a reader that says each kind's most frequent label, on all pairs: the model's own
    share is asked for, on the fourth kind.
    """
    return 100 * (GIVEN_AWAY + 487) / TOTAL


def right_on_the_rest_given_away():
    """This is the share of pairs that give their label away: how good is the model on the
    others?
    """
    return 100 * GIVEN_AWAY / TOTAL


def right_on_the_rest_size():
    """This is how many pairs are left: how many of them are right?"""
    return 100 * REST / TOTAL


def right_on_the_rest_rounded():
    """This is rounded too far: give one decimal."""
    return 67


RIGHT_ON_THE_REST = Claim(
    id="5b.5",
    title="Ninety percent",
    level="easy",
    text="""
“Our model finds the relation of premise and hypothesis in 90 percent of these pairs. So it has
learned what follows from what.” The pairs are the 3,000 training pairs of `leaky_pairs`, with
three equally frequent labels, and four kinds of hypothesis:

| the hypothesis | entailment | neutral | contradiction |
|---|---|---|---|
| begins with “no” | 0 | 0 | 571 |
| ends with a purpose or a reason | 0 | 1000 | 0 |
| begins with “some” | 513 | 0 | 0 |
| anything else | 487 | 0 | 429 |

A kind that has one label only gives it away: nobody needs the premise. Say that the model gets all
of those pairs right. How many **percent** of the pairs that are left does it get right, to one
decimal place?
""",
    hints=(
        "How many of the 3,000 does the model get right? How many of those are in a row with one "
        "label only?",
        "Where are all of its 300 misses? How many pairs are there?",
    ),
    solution=right_on_the_rest,
    second_style=right_on_the_rest_misses,
    mistakes=(
        right_on_the_rest_claimed,
        right_on_the_rest_of_all,
        right_on_the_rest_errors,
        right_on_the_rest_pairs,
        right_on_the_rest_blind,
        right_on_the_rest_blind_on_all,
        right_on_the_rest_given_away,
        right_on_the_rest_size,
        right_on_the_rest_rounded,
    ),
    tolerance=0.051,
    unit="percent",
    verdict="always saying entailment gets 53.2 percent of them right. So only the step from 53 to "
    "67 percent, on a third of the pairs, could come from the premise at all, and the other words "
    "of the hypothesis may explain that, too. Measure against a reader without the premise, not "
    "against a third.",
    see="5bE Cover one half",
)

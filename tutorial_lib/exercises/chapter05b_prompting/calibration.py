"""Chapter 05b: what calibration repairs, and what it cannot."""

from tutorial_lib.exercises.engine.tasks import Claim

# p(positive) of eight reviews, and whether each one is positive.
REVIEWS = (
    (0.97, True),
    (0.94, True),
    (0.91, True),
    (0.88, False),
    (0.86, True),
    (0.83, False),
    (0.79, False),
    (0.62, False),
)
EMPTY = 0.76


def right_after(empty):
    """How many of the reviews are right, divided by what an empty one gets."""
    said = [p / empty > (1 - p) / (1 - empty) for p, _ in REVIEWS]
    return sum(a == b for a, (_, b) in zip(said, REVIEWS, strict=True))


def calibrated_best():
    """The best of many values for the empty review."""
    return max(right_after(n / 1_000) for n in range(1, 1_000))


def calibrated_best_threshold():
    """Second style: calibration says positive above the empty review's own probability."""
    labels = [positive for _, positive in REVIEWS]
    return max(
        sum(labels[:n]) + sum(not label for label in labels[n:]) for n in range(len(labels) + 1)
    )


def calibrated_best_as_they_are():
    """This is without calibration, where all eight are called positive: choose what p(positive |
    empty) should be.
    """
    return right_after(0.5)


def calibrated_best_measured():
    """This divides by what the empty review gets, 0.76 and 0.24: you may choose another value."""
    return right_after(EMPTY)


def calibrated_best_near():
    """Better than with 0.76, and not the best yet: try a value a little higher."""
    return right_after(0.81)


def calibrated_best_all():
    """This would need another order: a negative review has 0.88, a positive one only 0.86. Can
    dividing by the same two numbers ever exchange them?
    """
    return len(REVIEWS)


def calibrated_best_wrong():
    """This is how many stay wrong: the number of right ones is asked for."""
    return len(REVIEWS) - calibrated_best()


def calibrated_best_share():
    """This is a share: the number of reviews is asked for."""
    return calibrated_best() / len(REVIEWS)


def calibrated_best_value():
    """This is a good value for the empty review: how many of the eight does it get right?"""
    return 0.85


def calibrated_best_other_value():
    """This is a good value for the empty review: how many of the eight are right with it?"""
    return 0.9


CALIBRATED_BEST = Claim(
    id="5b.2",
    title="What calibration can't do",
    level="medium",
    text="""
Say that SmolLM2 gives eight reviews these probabilities, and that an empty review gets 0.76:

| p(positive) | 0.97 | 0.94 | 0.91 | 0.88 | 0.86 | 0.83 | 0.79 | 0.62 |
|---|---|---|---|---|---|---|---|---|
| it is | positive | positive | positive | negative | positive | negative | negative | negative |

“The model leans, so calibrate, and its answers are right.” Let us be generous: you may choose the
empty text, so that p(positive | empty) is **whatever you like** between 0 and 1, and p(negative |
empty) is the rest. With the best choice, **how many** of the eight does it get right?
""",
    hints=(
        "With 0.76: 0.79 becomes 0.79 / 0.76 = 1.04 for positive, and 0.21 / 0.24 = 0.88 for "
        "negative. What becomes of 0.62?",
        "From which p(positive) on does the calibrated model say positive? Try one just above and "
        "one just below the empty review's.",
        "So you choose a threshold. Which ones of the eight are on its wrong side?",
    ),
    solution=calibrated_best,
    second_style=calibrated_best_threshold,
    mistakes=(
        calibrated_best_as_they_are,
        calibrated_best_measured,
        calibrated_best_near,
        calibrated_best_all,
        calibrated_best_wrong,
        calibrated_best_share,
        calibrated_best_value,
        calibrated_best_other_value,
    ),
    tolerance=0.01,
    unit="reviews",
    verdict="calibrated, it says positive when p(positive) is above that of the empty review. "
    "Calibration moves this threshold, and leaves the reviews in their order: a negative one with "
    "0.88 and a positive one with 0.86 can't both be right.",
    see="5bB What are examples worth?",
)

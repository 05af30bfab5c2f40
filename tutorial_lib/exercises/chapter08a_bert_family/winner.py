"""Chapter 08a: which model wins a comparison, and when does none?"""

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def winner(rows, seconds):
    """Return the model that clearly wins with these seconds, or None.

    Each row is a dict: model, seed, seconds, score. A model wins if its lowest score is above the
    highest of every other one; those with fewer than three seeds are left out.
    """
    scores = {}
    for row in rows:
        if row["seconds"] == seconds:
            scores.setdefault(row["model"], []).append(row["score"])
    scores = {model: found for model, found in scores.items() if len(found) >= 3}
    for model, found in scores.items():
        others = [score for other in scores if other != model for score in scores[other]]
        if others and min(found) > max(others):
            return model
    return None


def winner_sorted(rows, seconds):
    """Second style."""
    same = [row for row in rows if row["seconds"] == seconds]
    models = sorted({row["model"] for row in same})
    ranges = []
    for model in models:
        found = sorted(row["score"] for row in same if row["model"] == model)
        if len(found) > 2:
            ranges.append((found[0], found[-1], model))
    if len(ranges) < 2:
        return None
    ranges.sort()
    lowest, _, best = ranges.pop()
    return best if lowest > max(highest for _, highest, _ in ranges) else None


def winner_any_seconds(rows, seconds):
    """This mixes rows of different seconds: whoever had more time looks better than it is."""
    return winner([row | {"seconds": seconds} for row in rows], seconds)


def winner_at_most(rows, seconds):
    """This takes rows with fewer seconds, too: compare only those with exactly these."""
    return winner(
        [row | {"seconds": seconds} for row in rows if row["seconds"] <= seconds], seconds
    )


def winner_by_mean(rows, seconds):
    """This takes the highest mean, however little it is ahead: where one model's scores reach into
    another's, nobody has won."""
    return _highest(rows, seconds, lambda found: sum(found) / len(found))


def winner_by_best_seed(rows, seconds):
    """This takes the model with the best single seed: that may be luck. Its worst seed must be
    better than every seed of the others."""
    return _highest(rows, seconds, max)


def winner_by_worst_seed(rows, seconds):
    """This takes the model whose worst seed is highest, but does not ask whether that is above the
    *best* seeds of the others."""
    return _highest(rows, seconds, min)


def winner_one_seed(rows, seconds):
    """This lets models with one or two seeds take part: they show nothing, so leave them out."""
    same = [row for row in rows if row["seconds"] == seconds]
    return winner(same * 3, seconds)


def winner_without_others(rows, seconds):
    """This names a winner where only one model is left: nobody was beaten, so the answer is
    None."""
    same = [row for row in rows if row["seconds"] == seconds]
    left = {model for model in _names(same) if len(_of(same, model)) >= 3}
    return left.pop() if len(left) == 1 else winner(rows, seconds)


def winner_or_level(rows, seconds):
    """This names a winner where the ranges touch: its worst seed must be better than the others'
    best, not as good."""
    same = [row for row in rows if row["seconds"] == seconds]
    names = [model for model in _names(same) if len(_of(same, model)) >= 3]
    for model in names:
        others = [score for other in names if other != model for score in _of(same, other)]
        if others and min(_of(same, model)) >= max(others):
            return model
    return None


def winner_lowest(rows, seconds):
    """This takes the lowest scores for the best: a higher score is better here."""
    return winner([row | {"score": -row["score"]} for row in rows], seconds)


def _names(rows):
    return list(dict.fromkeys(row["model"] for row in rows))


def _of(rows, model):
    return [row["score"] for row in rows if row["model"] == model]


def _highest(rows, seconds, summary):
    same = [row for row in rows if row["seconds"] == seconds]
    names = [model for model in _names(same) if len(_of(same, model)) >= 3]
    if len(names) < 2:
        return None
    return max(names, key=lambda model: summary(_of(same, model)))


def made(seconds, /, **scores):
    """Rows of models, their scores by seed; a name that ends in _N has N seconds."""
    rows = []
    for name, found in scores.items():
        model, _, own = name.partition("_")
        own = float(own) if own else seconds
        rows += [
            {"model": model, "seed": seed, "seconds": own, "score": score}
            for seed, score in enumerate(found)
        ]
    return sorted(rows, key=lambda row: row["seed"])


CLEAR = made(90.0, short=(0.61, 0.64, 0.62), tall=(0.71, 0.7, 0.74), wide=(0.52, 0.66, 0.58))
OVERLAP = made(90.0, short=(0.61, 0.64, 0.72), tall=(0.73, 0.7, 0.74))
APART = made(90.0, short=(0.5, 0.5, 0.95), tall=(0.7, 0.72, 0.6), wide=(0.65, 0.65, 0.66))
TOUCH = made(90.0, short=(0.61, 0.64, 0.7), tall=(0.73, 0.7, 0.74))
LONGER = made(90.0, short=(0.61, 0.64, 0.62), tall=(0.55, 0.5, 0.57), tall_360=(0.9, 0.91, 0.92))
BRIEFER = made(90.0, short=(0.61, 0.64, 0.62), tall=(0.71, 0.7, 0.74), short_45=(0.93, 0.4, 0.5))
ONE_SEED = made(
    90.0, short=(0.61, 0.64, 0.62), tall=(0.5, 0.52, 0.53), wide=(0.9,), thin=(0.8, 0.81)
)
ALONE = made(90.0, short=(0.61, 0.64, 0.62), wide=(0.9, 0.91))


def winner_cases():
    """A clear winner, scores that reach into others', other seconds, too few seeds."""
    return [
        case("three models apart", CLEAR, 90.0),
        case("two whose scores overlap", OVERLAP, 90.0),
        case("rows of 360 seconds among those of 90", LONGER, 90.0),
        case("rows of 45 seconds among those of 90", BRIEFER, 90.0),
        case("models with one seed and with two", ONE_SEED, 90.0),
        case("best seed, best mean and best worst seed are of three models", APART, 90.0),
        case("two whose ranges touch", TOUCH, 90.0),
        case("only one has three seeds", ALONE, 90.0),
        case("no rows of these seconds", CLEAR, 45.0),
    ]


def _says(rows, expected):
    def holds(answer):
        # It says nothing of an answer that never names anybody: that is another mistake.
        return answer(rows, 90.0) == expected if answer(CLEAR, 90.0) is not None else None

    return holds


def is_a_name_or_none(answer):
    """The name of a model, or None, and not always the same."""
    said = answer(CLEAR, 90.0)
    if said is None:
        return "It returns None for three models of which one is better in every seed."
    return isinstance(said, str) or (
        f"It must return the name of a model or None; it returns a {type(said).__name__}."
    )


def higher_is_better(answer):
    """Of three that are apart, not the lowest."""
    said = answer(CLEAR, 90.0)
    return said != "short" and said != "wide" if isinstance(said, str) else None


def same_seconds_only(answer):
    """Neither more nor fewer seconds count."""
    if answer(CLEAR, 90.0) is None:
        return None
    return all(_says(rows, name)(answer) for rows, name in ((LONGER, "short"), (BRIEFER, "tall")))


WINNER = Write(
    id="8a.15",
    title="And the winner is",
    level="medium",
    text="""
When does a picture like this one have a winner? Write `winner(rows, seconds)`. Each row is one
training: a dict with `"model"`, `"seed"`, `"seconds"` and `"score"`, in any order, and a higher
score is better. Compare only trainings with exactly these seconds. A model **wins** if its *worst*
seed is better than the *best* seed of every other model. A model with fewer than three seeds takes
no part. Return the winner’s name. If there is no winner, or only one model takes part, return
`None`.
""",
    hints=(
        "First throw away what may not be compared; only then look at scores.",
        "Collect the scores of each model in a dict: `scores.setdefault(name, []).append(score)`.",
        "For each model: is its `min` above the `max` of all scores of the others together?",
    ),
    solution=winner,
    second_style=winner_sorted,
    mistakes=(
        winner_any_seconds,
        winner_at_most,
        winner_by_mean,
        winner_by_best_seed,
        winner_by_worst_seed,
        winner_one_seed,
        winner_without_others,
        winner_or_level,
        winner_lowest,
    ),
    cases=winner_cases,
    properties=(
        Property("It must return the name of a model, or None.", is_a_name_or_none),
        Property("It takes the lower scores for better: a higher one is.", higher_is_better),
        Property(
            "It compares trainings of different seconds: only those with exactly `seconds` count.",
            same_seconds_only,
        ),
        Property(
            "It lets models with fewer than three seeds take part.",
            _says(ONE_SEED, "short"),
        ),
        Property(
            "It names a winner where scores overlap: a worst seed of 0.70 does not beat a best "
            "one of 0.72.",
            _says(OVERLAP, None),
        ),
        Property(
            "It names a winner where the worst seed of one is only as good as the best of another.",
            _says(TOUCH, None),
        ),
        Property("It names a winner where nobody was beaten.", _says(ALONE, None)),
    ),
    see="8aG The same seconds for all",
)

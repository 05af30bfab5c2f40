"""Chapter 06b: a head for each layer, and the layer that validation chooses."""

from tutorial_lib.exercises.engine.properties import composed, properties
from tutorial_lib.exercises.engine.tasks import Write, case


def probe_layers(train, validation, test, fit, score):
    """Return the validation score of each layer, the best layer, and its head's score on test.

    train, validation, test: lists with an entry for each layer, from layer 0 on; fit(part) returns
    a head that has learned from an entry; score(head, part) is a number, the higher the better.
    """
    heads = [fit(part) for part in train]
    scores = [score(head, part) for head, part in zip(heads, validation, strict=True)]
    best = scores.index(max(scores))
    return scores, best, score(heads[best], test[best])


def probe_layers_loop(train, validation, test, fit, score):
    """Second style."""
    scores, best, best_head = [], None, None
    for layer, part in enumerate(train):
        head = fit(part)
        scores.append(score(head, validation[layer]))
        if best is None or scores[layer] > scores[best]:
            best, best_head = layer, head
    return scores, best, score(best_head, test[best])


# The choices that an answer is made of ----------------------------------------------------------


def on_train(train, validation, fit):
    """A head a layer, from the training part."""
    return [fit(part) for part in train]


def on_validation(train, validation, fit):
    """A head a layer, from the part that is to choose."""
    return [fit(part) for part in validation]


def on_both(train, validation, fit):
    """A head a layer, from both parts."""
    return [fit([*one, *other]) for one, other in zip(train, validation, strict=True)]


def on_all_layers(train, validation, fit):
    """One head for all."""
    return [fit([row for part in train for row in part])] * len(train)


def on_first_layer(train, validation, fit):
    """One head for all, of layer 0."""
    return [fit(train[0])] * len(train)


def on_last_layer(train, validation, fit):
    """One head for all, of the last layer."""
    return [fit(train[-1])] * len(train)


def highest(scores, of_test):
    """The layer of the highest validation score."""
    return scores.index(max(scores))


def lowest(scores, of_test):
    """The layer of the lowest one."""
    return scores.index(min(scores))


def highest_on_test(scores, of_test):
    """The layer of the highest test score."""
    return of_test.index(max(of_test))


def last(scores, of_test):
    """The last layer."""
    return len(scores) - 1


def first(scores, of_test):
    """Layer 0."""
    return 0


def chosen_test_score(heads, best, parts, score):
    """The score of the chosen layer's head on test."""
    return score(heads[best], parts["test"][best])


def probed(
    train,
    validation,
    test,
    fit,
    score,
    heads=on_train,
    judged="validation",
    choose=highest,
    counted=0,
    told=chosen_test_score,
):
    """What the exercise asks for, with a choice of slips."""
    parts = {"train": train, "validation": validation, "test": test}
    heads = heads(train, validation, fit)
    pairs = {name: list(zip(heads, part, strict=True)) for name, part in parts.items()}
    scores = [score(*pair) for pair in pairs[judged]]
    best = choose(scores, [score(*pair) for pair in pairs["test"]])
    return scores, best + counted, told(heads, best, parts, score)


def head_left_over(heads, best, parts, score):
    """The score of the last head, left over from a loop, on the chosen layer."""
    return score(heads[-1], parts["test"][best])


def both_left_over(heads, best, parts, score):
    """The test score of the last layer."""
    return score(heads[-1], parts["test"][-1])


def once_more(heads, best, parts, score):
    """The validation score of the chosen layer."""
    return score(heads[best], parts["validation"][best])


def on_seen(heads, best, parts, score):
    """The training score of the chosen layer."""
    return score(heads[best], parts["train"][best])


def best_of_test(heads, best, parts, score):
    """The highest of all test scores."""
    return max(score(*pair) for pair in zip(heads, parts["test"], strict=True))


def all_of_test(heads, best, parts, score):
    """All test scores."""
    return [score(*pair) for pair in zip(heads, parts["test"], strict=True)]


# What can go wrong ------------------------------------------------------------------------------


def probe_layers_by_test(train, validation, test, fit, score):
    """This chooses the layer by its test score, and the best of several test scores flatters
    itself: let the validation scores choose.
    """
    return probed(train, validation, test, fit, score, choose=highest_on_test)


def probe_layers_lowest(train, validation, test, fit, score):
    """This chooses the layer with the *lowest* score: these are no losses, the highest is best."""
    return probed(train, validation, test, fit, score, choose=lowest)


def probe_layers_last(train, validation, test, fit, score):
    """This always chooses the last layer: the validation scores are to choose."""
    return probed(train, validation, test, fit, score, choose=last)


def probe_layers_one_head(train, validation, test, fit, score):
    """This trains one head on the vectors of all layers: each layer gets a head of its own."""
    return probed(train, validation, test, fit, score, heads=on_all_layers)


def probe_layers_seen(train, validation, test, fit, score):
    """This scores each head on the speeches that it has learned from: new ones, of `validation`,
    show what it is worth.
    """
    return probed(train, validation, test, fit, score, judged="train")


def probe_layers_taught_by_validation(train, validation, test, fit, score):
    """This trains the heads on the validation part: then it is not new to them any more."""
    return probed(train, validation, test, fit, score, heads=on_validation)


def probe_layers_from_one(train, validation, test, fit, score):
    """The number of the layer is one too high: the first entry is layer 0, before any attention."""
    return probed(train, validation, test, fit, score, counted=1)


def probe_layers_without_zero(train, validation, test, fit, score):
    """This leaves layer 0 out, so that the scores begin with layer 1 and the number is one too low:
    layer 0, before any attention, is one of the L + 1.
    """
    return probe_layers(train[1:], validation[1:], test[1:], fit, score)


def probe_layers_left_over(train, validation, test, fit, score):
    """The test score is that of the last head, left over from the loop: take the one of the best
    layer.
    """
    return probed(train, validation, test, fit, score, told=head_left_over)


def probe_layers_validation_twice(train, validation, test, fit, score):
    """This returns the validation score of the best layer once more: its score on `test` is asked
    for.
    """
    return probed(train, validation, test, fit, score, told=once_more)


# Toy parts: an entry is a list of pairs (x, y), and a head is the slope of a line ---------------


def slope(pairs):
    """Fit a line through 0."""
    return sum(x * y for x, y in pairs) / sum(x * x for x, _ in pairs)


def fit_of(head, pairs):
    """How well a slope fits: 1 at best."""
    missed = sum((head * x - y) ** 2 for x, y in pairs)
    return round(1 - missed / sum(y * y for _, y in pairs), 6)


def part(slopes, noise=0.0):
    """An entry for each slope; noise makes a line fit its own points less well."""
    return [[(1.0, a + noise * k), (2.0, 2 * a - noise * k / 2)] for k, a in enumerate(slopes)]


# The best layer is another one in each part, and neither the first nor the last on validation.
FIVE = (
    part([1.0, 2.0, 3.0, 4.0, 5.0], noise=0.1),
    part([1.5, 2.3, 3.1, 4.9, 6.5]),
    part([1.3, 2.1, 3.8, 4.9, 8.0]),
)
FOUR = (
    part([2.0, 5.0, 3.0, 1.0], noise=0.05),
    part([2.2, 5.1, 4.0, 1.9]),
    part([2.1, 7.0, 3.9, 1.2]),
)
THREE = (part([4.0, 1.0, 2.0]), part([4.1, 1.6, 2.3]), part([5.0, 1.4, 2.1]))


def probe_layers_cases():
    """Five layers and four; one where layer 0 is the best."""
    return [
        case("4 layers: 5 entries", *FIVE, slope, fit_of),
        case("3 layers: 4 entries", *FOUR, slope, fit_of),
        case("2 layers: 3 entries, and layer 0 is the best", *THREE, slope, fit_of),
    ]


def on_five(answer):
    """What an answer says of FIVE."""
    return answer(*FIVE, slope, fit_of)


def with_slips(heads, judged, choose, counted, told):
    """What these choices give on FIVE."""
    return probed(*FIVE, slope, fit_of, heads, judged, choose, counted, told)


def gives_three_things(answer):
    """Three things are asked for: the list of scores, the number of a layer, one score on test."""
    found = on_five(answer)
    return isinstance(found, tuple | list) and len(found) == 3


def gives_each_layer_a_score(answer):
    """There is one validation score for each layer, layer 0 too."""
    return None if gives_three_things(answer) is False else len(on_five(answer)[0]) == len(FIVE[0])


def layer_zero_may_win(answer):
    """Layer 0 is never chosen: it takes part like the others."""
    _, of_five, _ = on_five(answer)
    _, best, _ = answer(*THREE, slope, fit_of)
    return int(best) == 0 if int(of_five) == 2 else None


def looks_at_test_often(answer):
    """The test part is scored more than once."""
    seen = []

    def watched(head, pairs):
        seen.append(any(pairs is entry for entry in FIVE[2]))
        return fit_of(head, pairs)

    answer(*FIVE, slope, watched)
    if sum(seen) <= 1:
        return ""
    return (
        f"It scores the test part {sum(seen)} times. Once is enough, for the chosen layer: test "
        "scores that nobody has seen tempt nobody."
    )


CHOICES = composed(
    on_five,
    with_slips,
    {
        "Each head learns from its own layer of the training part.": on_train,
        "The heads have learned from the validation part.": on_validation,
        "The heads have learned from the training and the validation part too.": on_both,
        "One head has learned from all layers: each layer gets its own.": on_all_layers,
        "The head of layer 0 judges all layers: each layer gets its own.": on_first_layer,
        "The head of the last layer judges all layers: each gets its own.": on_last_layer,
    },
    {
        "The scores are those of the validation part.": "validation",
        "The scores are those of the training part: `validation` is asked for.": "train",
        "The scores are those of the test part: `validation` is asked for.": "test",
    },
    {
        "The layer is the one with the highest validation score.": highest,
        "The layer is the one with the lowest score: the highest is best.": lowest,
        "The layer is chosen by its test score: validation is to choose.": highest_on_test,
        "The layer is always the last: the scores are to choose.": last,
        "The layer is always layer 0: the scores are to choose.": first,
    },
    {
        "Layers are counted from 0, before the first.": 0,
        "The layer's number is one too high: the first entry is layer 0.": 1,
        "The layer's number is one too low: the first entry is layer 0.": -1,
    },
    {
        "The last number is the chosen layer's score on test.": chosen_test_score,
        "The test score is that of the last head, on the chosen layer.": head_left_over,
        "The test score is that of the last layer, not of the chosen one.": both_left_over,
        "The last number is a validation score: `test` is asked for.": once_more,
        "The last number is a training score: `test` is asked for.": on_seen,
        "The last number is the best of all test scores: take the chosen layer's.": (best_of_test),
        "All test scores come back: only the chosen layer's is asked for.": all_of_test,
    },
    otherwise=(gives_three_things, gives_each_layer_a_score),
)

PROBE_LAYERS = Write(
    id="6b.7",
    title="Choose a layer",
    level="easy",
    text="""
A body with L layers gives L + 1 vectors for each token, and a head may read any of them. Write
`probe_layers(train, validation, test, fit, score)`. Each of the three parts is a list with one
entry per layer: `train[2]` holds the training speeches with their vectors after layer 2.
`fit(train[2])` returns a head that has learned from them, and `score(head, validation[2])` says how
good it is, the higher the better. Each layer gets a head of its own. Return three things: the list
of the validation scores, from layer 0 on; the number of the layer that is best **on validation**,
on a tie the lower one; and the score of that layer's head on `test`.
""",
    hints=(
        "Which of the three parts teaches the heads, which one chooses, and which one may be "
        "looked at only once, at the very end?",
        "Keep the heads: `heads = [fit(part) for part in train]`. The one of the best layer is "
        "needed again.",
        "`scores.index(max(scores))` is the number of the best layer, counted from 0 as the layers "
        "are.",
    ),
    solution=probe_layers,
    second_style=probe_layers_loop,
    mistakes=(
        probe_layers_by_test,
        probe_layers_lowest,
        probe_layers_last,
        probe_layers_one_head,
        probe_layers_seen,
        probe_layers_taught_by_validation,
        probe_layers_from_one,
        probe_layers_without_zero,
        probe_layers_left_over,
        probe_layers_validation_twice,
    ),
    cases=probe_layers_cases,
    properties=(
        *CHOICES,
        *properties(layer_zero_may_win),
    ),
    remarks=(looks_at_test_often,),
    results=("validation scores", "best layer", "score on test"),
    see="6bE Which layer",
)

"""Chapter 06: how many of the names are right, counted by names and not by words."""

from collections import Counter

from tutorial_lib.exercises.engine.tasks import Write, case


def entity_f1(predicted, true):
    """Return the F1 of spans over all texts together, between 0 and 1.

    predicted and true hold one list of (start, end) a text. A span is right when both of its ends
    are, in the same text. 0 when none is right.
    """
    right = sum(len(set(said) & set(wanted)) for said, wanted in zip(predicted, true, strict=True))
    n_said = sum(len(said) for said in predicted)
    n_true = sum(len(wanted) for wanted in true)
    return 2 * right / (n_said + n_true) if right else 0.0


def entity_f1_shares(predicted, true):
    """Second style."""
    said = {(text, *span) for text, spans in enumerate(predicted) for span in spans}
    wanted = {(text, *span) for text, spans in enumerate(true) for span in spans}
    right = len(said & wanted)
    if not right:
        return 0
    precision, recall = right / len(said), right / len(wanted)
    return 2 * precision * recall / (precision + recall)


def counts(predicted, true):
    """How many spans are right, said and true, in all texts."""
    right = sum(len(set(said) & set(wanted)) for said, wanted in zip(predicted, true, strict=True))
    return right, sum(map(len, predicted)), sum(map(len, true))


def f1(right, n_said, n_true):
    """F1 from the three counts."""
    return 2 * right / (n_said + n_true) if right else 0.0


def words(spans, last=0):
    """The places that spans cover; last=1 when the end belongs to the span."""
    return {place for start, end in spans for place in range(start, end + last)}


def overlaps(one, other):
    """Whether two spans share a word."""
    return one[0] < other[1] and other[0] < one[1]


def entity_f1_words(predicted, true):
    """This counts words: a name of three words counts once, and only when all of it is right."""
    return entity_f1([words(spans) for spans in predicted], [words(spans) for spans in true])


def entity_f1_words_inclusive(predicted, true):
    """This counts words, the one at `end` too: count names, each of them once."""
    return entity_f1([words(spans, 1) for spans in predicted], [words(spans, 1) for spans in true])


def entity_f1_by_text(predicted, true):
    """This takes the F1 of each text, then their mean: count over all texts together."""
    scores = [entity_f1([s], [t]) for s, t in zip(predicted, true, strict=True)]
    return sum(scores) / len(scores)


def entity_f1_by_text_one(predicted, true):
    """This takes the F1 of each text, 1 where there is nothing to find, then their mean: count
    over all texts together.
    """
    pairs = list(zip(predicted, true, strict=True))
    scores = [entity_f1([s], [t]) if s or t else 1.0 for s, t in pairs]
    return sum(scores) / len(scores)


def entity_f1_one_pool(predicted, true):
    """This forgets the text: a span is right only when it is one of the same text."""
    said = {span for spans in predicted for span in spans}
    wanted = {span for spans in true for span in spans}
    return f1(len(said & wanted), len(said), len(wanted))


def entity_f1_any_text(predicted, true):
    """This calls a span right when any text has it: it must be one of the same text."""
    _, n_said, n_true = counts(predicted, true)
    wanted = {span for spans in true for span in spans}
    return f1(sum(span in wanted for spans in predicted for span in spans), n_said, n_true)


def entity_f1_lists(predicted, true):
    """This forgets the text: count how often a span stands in the same text of both."""
    said = Counter(span for spans in predicted for span in spans)
    wanted = Counter(span for spans in true for span in spans)
    _, n_said, n_true = counts(predicted, true)
    return f1((said & wanted).total(), n_said, n_true)


def entity_f1_precision(predicted, true):
    """This is the precision, the share of what was said: the recall counts too."""
    right, n_said, _ = counts(predicted, true)
    return right / n_said if right else 0.0


def entity_f1_recall(predicted, true):
    """This is the recall, the share of what is true: the precision counts too."""
    right, _, n_true = counts(predicted, true)
    return right / n_true if right else 0.0


def entity_f1_mean(predicted, true):
    """This is the mean of precision and recall: F1 is the harmonic one, 2 P R / (P + R)."""
    return (entity_f1_precision(predicted, true) + entity_f1_recall(predicted, true)) / 2


def entity_f1_half(predicted, true):
    """This lacks the factor 2: F1 is 2 P R / (P + R), and 1 when all is right."""
    return entity_f1(predicted, true) / 2


def entity_f1_by_text_with_names(predicted, true):
    """This takes the mean of the F1 of the texts that have names: count over all texts together."""
    pairs = [(s, t) for s, t in zip(predicted, true, strict=True) if s or t]
    return sum(entity_f1([s], [t]) for s, t in pairs) / len(pairs)


def entity_f1_union(predicted, true):
    """This divides by all different spans: F1 is twice the right ones over said plus true."""
    right, n_said, n_true = counts(predicted, true)
    return right / (n_said + n_true - right) if right else 0.0


def entity_f1_starts(predicted, true):
    """This compares the starts alone: both ends must be right."""
    return entity_f1(
        [[start for start, _ in spans] for spans in predicted],
        [[start for start, _ in spans] for spans in true],
    )


def entity_f1_ends(predicted, true):
    """This compares the ends alone: the start must be right too."""
    return entity_f1(
        [[end for _, end in spans] for spans in predicted],
        [[end for _, end in spans] for spans in true],
    )


def entity_f1_overlap(predicted, true):
    """This calls a span right when it shares a word with a true one: both ends must be right."""
    right = sum(
        any(overlaps(span, other) for other in wanted)
        for said, wanted in zip(predicted, true, strict=True)
        for span in said
    )
    _, n_said, n_true = counts(predicted, true)
    return f1(right, n_said, n_true)


def entity_f1_in_order(predicted, true):
    """This compares the first with the first, the second with the second: one that is missing
    shifts all others. Look for each in the whole text.
    """
    pairs = zip(predicted, true, strict=True)
    right = sum(
        one == other for said, wanted in pairs for one, other in zip(said, wanted, strict=False)
    )
    _, n_said, n_true = counts(predicted, true)
    return f1(right, n_said, n_true)


def entity_f1_whole_texts(predicted, true):
    """This is the share of texts that are right as a whole: count the names."""
    pairs = list(zip(predicted, true, strict=True))
    return sum(set(said) == set(wanted) for said, wanted in pairs) / len(pairs)


def entity_f1_percent(predicted, true):
    """This is in percent: F1 is between 0 and 1."""
    return 100 * entity_f1(predicted, true)


def entity_f1_no_zero(predicted, true):
    """This divides by zero when nothing is right: F1 is 0 then."""
    right, n_said, n_true = counts(predicted, true)
    precision, recall = right / n_said, right / n_true
    return 2 * precision * recall / (precision + recall)


def entity_f1_cases():
    """Long names, one end wrong, two texts alike, one missing at the front, nothing right."""
    long_names = [[(0, 3), (5, 6)], [(2, 4)]], [[(0, 3), (5, 6), (8, 9)], [(2, 5)]]
    other_text = [[(1, 2)], [(1, 2), (4, 6)], []], [[(4, 6)], [(1, 2)], [(3, 4)]]
    missing = [[(3, 4), (6, 8)], [(0, 1)], []], [[(1, 2), (3, 4), (6, 8)], [], []]
    one_end = [[(0, 2), (4, 7)], [(1, 3)]], [[(0, 1), (5, 7)], [(1, 3)]]
    return [
        case("names of one to three words", *long_names),
        case("two texts with the same span", *other_text),
        case("the first name is missing", *missing),
        case("one end is wrong", *one_end),
        case("all right", [[(0, 2)], [(1, 2)]], [[(0, 2)], [(1, 2)]]),
        case("none right", [[(0, 1)], []], [[(0, 2)], [(3, 4)]]),
        case("none said", [[], []], [[(0, 2)], []]),
    ]


ENTITY_F1 = Write(
    id="6.11",
    title="Count names, not words",
    level="medium",
    text="""
Write `entity_f1(predicted, true)`. Both hold one list of spans `(start, end)` a text. A predicted
span is right when the same text has a true span with the same start **and** the same end. Count
over all texts together: precision P is the share of the predicted spans that are right, recall R
the share of the true spans that were found. Return F1 = 2 P R / (P + R), and 0 when none is right.
""",
    hints=(
        "`set(said) & set(wanted)` are the spans that one text has in both.",
        "Three sums over the texts are all you need: right, predicted, true.",
        "P = right / predicted, R = right / true. Deal with right = 0 first.",
    ),
    solution=entity_f1,
    second_style=entity_f1_shares,
    mistakes=(
        entity_f1_words,
        entity_f1_words_inclusive,
        entity_f1_by_text,
        entity_f1_by_text_one,
        entity_f1_one_pool,
        entity_f1_any_text,
        entity_f1_lists,
        entity_f1_precision,
        entity_f1_recall,
        entity_f1_mean,
        entity_f1_half,
        entity_f1_by_text_with_names,
        entity_f1_union,
        entity_f1_starts,
        entity_f1_ends,
        entity_f1_overlap,
        entity_f1_in_order,
        entity_f1_whole_texts,
        entity_f1_percent,
        entity_f1_no_zero,
    ),
    cases=entity_f1_cases,
    see="6.8 Which words are names",
)

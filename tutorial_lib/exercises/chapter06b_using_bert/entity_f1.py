"""Chapter 06b: how many of the names are right, counted by names and not by words."""

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def entity_f1(predicted, true):
    """Return the F1 of names over all texts together, from 0 to 1.

    predicted and true hold one list of (start, end) per text. A name is right when both of its ends
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


def entity_f1_whole_texts(predicted, true):
    """This is the share of texts that are right as a whole: count the names."""
    pairs = list(zip(predicted, true, strict=True))
    return sum(set(said) == set(wanted) for said, wanted in pairs) / len(pairs)


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


SAID = [(0, 1), (2, 3), (4, 5)]
NAMES = [(0, 1), (6, 7), (8, 9), (10, 11), (12, 13)]


def score(answer, predicted, true):
    """F1 as an answer counts it, made 1 where all is right, and 0 for what it gives to nothing."""
    best, nothing, found = (
        float(answer(*spans))
        for spans in (([NAMES], [NAMES]), ([[(7, 9)]], [[(0, 1)]]), (predicted, true))
    )
    return 0.0 if found == nothing else found / best


def all_right_is_one(answer):
    """1, not 100 or a half."""
    best = float(answer([NAMES], [NAMES]))
    sentences = {
        100: "It is in percent: F1 is between 0 and 1.",
        0.5: "It lacks the factor 2: F1 is 2 P R / (P + R), and 1 when all is right.",
    }
    return best == 1 or sentences.get(best, f"Where all is right it gives {best:g}: F1 is 1.")


def both_ends_count(answer):
    """One end wrong is wrong."""
    same_start, same_end, inside = (
        score(answer, [[span]], [[(1, 5)]]) for span in ((1, 4), (2, 5), (2, 4))
    )
    if 0 < inside < 0.9:
        return "It counts words: a name counts once, and only when all of it is right."
    if inside:
        return (
            "A name is right when it shares words with a true one: start and end must be the same."
        )
    if same_start:
        return "A name with the right start is right, whatever its end: both must be the same."
    return not same_end


def the_same_text_has_it(answer):
    """A span of another text is wrong."""
    return score(answer, [[(0, 2)], [(3, 4)]], [[(3, 4)], [(0, 2)]]) == 0


def order_does_not_matter(answer):
    """Each span is looked for in the whole text."""
    return score(answer, [[(3, 4), (6, 8)]], [[(1, 2), (3, 4), (6, 8)]]) > 0


def texts_count_together(answer):
    """Of two texts one is all right, the other one all wrong."""
    said, true = [[(0, 1)], SAID], [[(0, 1)], NAMES[1:]]
    apart = sum(float(answer([a], [b])) for a, b in zip(said, true, strict=True)) / 2
    return abs(float(answer(said, true)) - apart) > 1e-3


def is_harmonic(answer):
    """1 of 3 is right, 1 of 5 found."""
    found = score(answer, [SAID], [NAMES])
    sentences = {
        1 / 3: "It is the precision, the share of what was said: the recall counts too.",
        1 / 5: "It is the recall, the share of what is true: the precision counts too.",
        4 / 15: "It is the mean of precision and recall: F1 is the harmonic one, 2 P R / (P + R).",
        1 / 7: "It divides by all different names: F1 is twice the right ones over said plus true.",
        0: "It gives 0 where some are right: count the names, not whole texts.",
    }
    for other, sentence in sentences.items():
        if abs(found - other) < 1e-3:
            return sentence
    return abs(found - 1 / 4) < 1e-3


def nothing_right_is_zero(answer):
    """Nothing said, or nothing to find, or all wrong."""
    return all(
        float(answer(predicted, true)) == 0
        for predicted, true in (([[(7, 9)]], [[(0, 1)]]), ([[]], [[(0, 1)]]), ([[]], [[]]))
    )


ENTITY_F1 = Write(
    id="6b.3",
    title="F1 from scratch",
    level="easy",
    text="""
Write `entity_f1(predicted, true)`. Both hold one list per text, in the same order: the names of
that text, marked or true, as tuples `(start, end)`, none twice. A marked name is right when the
**same text** has a true name with the same start **and** the same end. Count over all texts
together. With precision P and recall R as above, return F1 = 2 P R / (P + R), one number from 0 to
1, and 0 when no name is right.
""",
    hints=(
        "`set(said) & set(wanted)` are the names that one text has in both lists.",
        "You need three sums over the texts: right names, predicted names, true names.",
        "P = right / predicted, R = right / true. When right is 0, one of them may divide by 0: "
        "return 0 before that.",
    ),
    solution=entity_f1,
    second_style=entity_f1_shares,
    mistakes=(
        entity_f1_whole_texts,
        entity_f1_no_zero,
    ),
    cases=entity_f1_cases,
    properties=(
        Property("F1 is 1 where all is right.", all_right_is_one),
        Property(
            "A name with the right end is right, whatever its start: both must be the same.",
            both_ends_count,
        ),
        Property(
            "A name is right when another text has it: it must be one of the same text.",
            the_same_text_has_it,
        ),
        Property(
            "Where a name is missing all others are wrong: look for each in the whole text, not at "
            "the same number.",
            order_does_not_matter,
        ),
        Property(
            "It takes the mean of the texts' scores: count over all texts together.",
            texts_count_together,
        ),
        Property("F1 is 2 P R / (P + R).", is_harmonic),
        Property("When none is right F1 is 0.", nothing_right_is_zero),
    ),
    see="6bC Which words are names",
)

"""Chapter 05b: which share of the questions a prompt can answer."""

from tutorial_lib.exercises.engine.properties import composed
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def ceiling(kinds, k):
    """Return the share of sequences whose word k has a kind that is among the k before it.

    kinds holds a list of kinds for each sequence, one a word, in order; words count from 0.
    """
    told = [sequence[k] in sequence[:k] for sequence in kinds]
    return sum(told) / len(told)


def ceiling_loop(kinds, k):
    """Second style."""
    told = 0
    for sequence in kinds:
        *before, asked = sequence[: k + 1]
        if before.count(asked) > 0:
            told += 1
    return told / len(kinds)


V, C = "vowel", "consonant"


def ceiling_cases():
    """Two kinds, three, and no word before."""
    kinds = [[V, C, C, V, V], [C, C, V, C, V], [V, V, V, V, C], [C, V, V, V, C]]
    return [
        case("2 words before", kinds, 2),
        case("3 kinds, 3 words before", [list("abcab"), list("aabca"), list("abbcc")], 3),
        case("no word before", kinds, 0),
        case("all before it, 4 words", kinds, 4),
    ]


# By k, the rules below give different shares.
KINDS = [
    [V, C, C, V, C, V],
    [C, C, C, V, V, C],
    [V, V, V, V, V, C],
    [C, V, C, C, C, C],
    [V, C, C, C, C, V],
    [V, V, V, C, V, C],
    [C, C, C, C, V, V],
]


def _shares(answer):
    return [float(answer([list(kinds) for kinds in KINDS], k)) for k in range(1, 5)]


def _made(is_told, taken, share):
    return [
        float(share(sum(is_told(kinds, k) for kinds in KINDS[taken]), len(KINDS), k))
        for k in range(1, 5)
    ]


PROPERTIES = composed(
    _shares,
    _made,
    {
        "Word k counts when its kind is among those of the k words before it.": lambda s, k: (
            s[k] in s[:k]
        ),
        "It finds word k itself, whose kind is always there: look at the k words before it.": (
            lambda s, k: True
        ),
        "It looks at the words after word k, too, which the prompt doesn't show.": lambda s, k: (
            s[k] in s[:k] + s[k + 1 :]
        ),
        "It is one word early, as if words counted from 1: ask about word k, counted from 0.": (
            lambda s, k: s[k - 1] in s[: k - 1]
        ),
        "It is one word late: ask about word k, which has k words before it.": lambda s, k: (
            s[k + 1] in s[: k + 1]
        ),
        "It leaves out the last of the k words before word k: a slice ends before its end.": (
            lambda s, k: s[k] in s[: k - 1]
        ),
        "It leaves out the first word: words count from 0.": lambda s, k: s[k] in s[1:k],
        "It looks at the word just before only: any of the k words before may tell.": lambda s, k: (
            s[k] == s[k - 1]
        ),
        "It asks whether all k words before are of that kind: one is enough.": lambda s, k: all(
            kind == s[k] for kind in s[:k]
        ),
        "It asks whether several kinds have come: only the kind of word k matters.": lambda s, k: (
            len(set(s[:k])) > 1
        ),
    },
    {
        "Every sequence counts.": slice(None),
        "It looks at the first sequence only: `return` comes after the loop.": slice(1),
    },
    {
        "It is a share, from 0 to 1.": lambda told, n, k: told / n,
        "It is the number of sequences: divide by how many there are.": lambda told, n, k: told,
        "It is rounded down, as // does: divide by /.": lambda told, n, k: told // n,
        "It is in percent: a share from 0 to 1 is asked for.": lambda told, n, k: 100 * told / n,
        "It divides by k: divide by the number of sequences.": lambda told, n, k: told / k,
        "It counts the sequences whose word k is of a new kind: count the others.": (
            lambda told, n, k: (n - told) / n
        ),
    },
)


def nothing_before_tells_nothing(answer):
    """With k = 0 no word comes before, so no kind is known: the share is 0."""
    known = [ceiling(KINDS, k) for k in range(1, 5)]
    if not any(_shares(answer) == [unit * share for share in known] for unit in (1, len(KINDS))):
        return None
    return float(answer(KINDS, 0)) == 0


CEILING = Write(
    id="5b.2",
    title="The ceiling",
    level="easy",
    text="""
Write `ceiling(kinds, k)`. `kinds` holds a list for each sequence: the kind of each of its words in
order, such as `["consonant", "consonant", "vowel", ...]`. Words count from 0. Return the share of
sequences, from 0 to 1, in which one of the k words before word k is of the same kind as word k.
""",
    hints=(
        "Take one sequence. Which slice of it holds the k words before word k?",
        "`sequence[k] in sequence[:k]` is True or False, and a bool counts as 1 or 0.",
        "Add them up over all sequences, and divide by `len(kinds)`.",
    ),
    solution=ceiling,
    second_style=ceiling_loop,
    mistakes=(),
    cases=ceiling_cases,
    properties=(
        *PROPERTIES,
        Property(
            "With k = 0 no word comes before, so no kind is known: the share is 0.",
            nothing_before_tells_nothing,
        ),
    ),
    see="5bC Learn, or remember?",
)

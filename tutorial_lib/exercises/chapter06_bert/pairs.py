"""Chapter 06: pairs of sentences, half of them real."""

from tutorial_lib.exercises.chapter06_bert.pairs_slips import SLIPS
from tutorial_lib.exercises.engine.tasks import Write, case


def next_sentence_pairs(documents, draws):
    """Return one (first, second, is_next) a draw.

    documents are lists of sentences. A draw is (d, s, coin, u): the first sentence is number s of
    document d, never its last one; coin and u are random numbers, 0 <= coin, u < 1.
    """
    pairs = []
    for d, s, coin, u in draws:
        is_next = coin < 0.5
        second = documents[d][s + 1]
        if not is_next:
            others = [text for i, document in enumerate(documents) if i != d for text in document]
            second = others[int(u * len(others))]
        pairs.append((documents[d][s], second, is_next))
    return pairs


def next_sentence_pairs_cut(documents, draws):
    """Second style."""

    def second(d, s, coin, u):
        if coin < 0.5:
            return documents[d][s + 1]
        place = int(u * (sum(map(len, documents)) - len(documents[d])))
        for document in documents[:d] + documents[d + 1 :]:
            if place < len(document):
                return document[place]
            place -= len(document)
        raise IndexError

    return [[documents[draw[0]][draw[1]], second(*draw), draw[2] < 0.5] for draw in draws]


def next_sentence_pairs_cases():
    """Three documents of unequal length; each real, each false, both ends of u and of the coin."""
    documents = [
        ["Who is there?", "Stand.", "Long live the king.", "He is here."],
        ["If music is food,", "play on."],
        ["Now is the winter", "of our discontent", "made summer."],
    ]
    real = [(0, 1, 0.2, 0.9), (1, 0, 0.0, 0.1), (2, 1, 0.49, 0.5)]
    false = [(0, 0, 0.7, 0.0), (0, 0, 0.5, 0.66), (1, 0, 0.9, 0.3), (1, 0, 0.8, 0.99)]
    more = [(2, 0, 0.6, 0.95), (2, 1, 0.95, 0.2), (0, 1, 0.75, 0.7), (2, 0, 0.3, 0.0)]
    return [
        case("real pairs", documents, real),
        case("false pairs", documents, false),
        case("both", documents, more),
    ]


NEXT_SENTENCE_PAIRS = Write(
    id="6.5",
    title="Does it follow?",
    level="medium",
    text="""
Write `next_sentence_pairs(documents, draws)`. Each document is a list of sentences. Each draw is
`(d, s, coin, u)`: the first sentence is number s of document d (never its last one), and `coin` and
`u` are random numbers from 0 to 1. If coin is below 0.5, the second sentence is the one that
follows. If not, it comes from **another** document: put all sentences of the other documents in one
list, in order, and take number `int(u * len(others))`. Return one `(first, second, is_next)` a
draw, `is_next` True or False.
""",
    hints=(
        "Begin with the real pairs: `documents[d][s]` and `documents[d][s + 1]`.",
        "`enumerate(documents)` gives each document with its number: leave out number d.",
        "`others = [text for i, document in enumerate(documents) if i != d for text in document]`",
    ),
    solution=next_sentence_pairs,
    second_style=next_sentence_pairs_cut,
    mistakes=SLIPS,
    cases=next_sentence_pairs_cases,
    see="6.2 What goes in",
)

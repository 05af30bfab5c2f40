"""Chapter 06: pairs of sentences, half of them real."""

import random

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


def made(documents, draws, is_next=None, follows=None, pool=None, pick=None):
    """The pairs, with one part replaced.

    is_next(coin), follows(document, s), pool(documents, d, s), the sentences to draw from, and
    pick(pool, u).
    """
    is_next = is_next or (lambda coin: coin < 0.5)
    follows = follows or (lambda document, s: document[s + 1])
    pool = pool or outside
    pick = pick or (lambda texts, u: texts[int(u * len(texts))])
    return [
        (
            documents[d][s],
            follows(documents[d], s) if is_next(coin) else pick(pool(documents, d, s), u),
            is_next(coin),
        )
        for d, s, coin, u in draws
    ]


def outside(documents, d, s=None):
    """All sentences that are not of document d, in order."""
    return [text for i, document in enumerate(documents) if i != d for text in document]


def everything(documents, d=None, s=None):
    """All sentences, in order."""
    return [text for document in documents for text in document]


def next_sentence_pairs_anywhere(documents, draws):
    """This draws from all documents, the own one too, and can hit the true next sentence."""
    return made(documents, draws, pool=everything)


def next_sentence_pairs_not_the_next(documents, draws):
    """This leaves out only the true next sentence: others of the same document are too much like
    it; leave out the whole document.
    """

    def all_but_next(documents, d, s):
        return [text for text in everything(documents) if text != documents[d][s + 1]]

    return made(documents, draws, pool=all_but_next)


def next_sentence_pairs_not_these_two(documents, draws):
    """This leaves out the two sentences alone: leave out the whole document."""

    def rest(documents, d, s):
        return [text for text in everything(documents) if text not in documents[d][s : s + 2]]

    return made(documents, draws, pool=rest)


def next_sentence_pairs_same_document(documents, draws):
    """This draws the false second sentence from the same document: it comes from another one."""
    return made(documents, draws, pool=lambda documents, d, s: documents[d])


def next_sentence_pairs_same_without_next(documents, draws):
    """This draws the false second sentence from the rest of the same document: it comes from
    another one.
    """
    return made(documents, draws, pool=lambda docs, d, s: docs[d][: s + 1] + docs[d][s + 2 :])


def next_sentence_pairs_next_document(documents, draws):
    """This draws from the document after it only: all other documents have a share."""
    return made(documents, draws, pool=lambda docs, d, s: docs[(d + 1) % len(docs)])


def next_sentence_pairs_first_document(documents, draws):
    """This draws from the first other document only: all other documents have a share."""
    return made(documents, draws, pool=lambda docs, d, s: docs[0 if d else 1])


def next_sentence_pairs_two_steps(documents, draws):
    """This takes u for the number of the document: count all sentences of all other documents
    in one row, each of them with the same share.
    """

    def two_steps(documents, u):
        place = u * len(documents)
        return documents[int(place)][int((place % 1) * len(documents[int(place)]))]

    def others(documents, d, s):
        return documents[:d] + documents[d + 1 :]

    return made(documents, draws, pool=others, pick=two_steps)


def next_sentence_pairs_heads(documents, draws):
    """This turns the coin: below 0.5 the pair is real."""
    return made(documents, draws, is_next=lambda coin: coin >= 0.5)


def next_sentence_pairs_exchanged(documents, draws):
    """This takes u for the coin and the coin for u: a draw is (d, s, coin, u)."""
    return made(documents, [(d, s, u, coin) for d, s, coin, u in draws])


def next_sentence_pairs_wrong_label(documents, draws):
    """This labels the pairs the wrong way: True says that the second follows the first."""
    return [(first, second, not real) for first, second, real in made(documents, draws)]


def next_sentence_pairs_classes(documents, draws):
    """This gives numbers, 0 for next as in the published weights: here is_next is True or False."""
    return [(a, b, 0 if real else 1) for a, b, real in made(documents, draws)]


def next_sentence_pairs_numbers(documents, draws):
    """This gives 1 and 0: is_next is True or False."""
    return [(a, b, int(real)) for a, b, real in made(documents, draws)]


def next_sentence_pairs_all_real(documents, draws):
    """These are all real: from a coin of 0.5 on, the second comes from another document."""
    return made(documents, draws, is_next=lambda coin: True)


def next_sentence_pairs_none_real(documents, draws):
    """None of these is real: below a coin of 0.5, the second is the true next sentence."""
    return made(documents, draws, is_next=lambda coin: False)


def next_sentence_pairs_always_true(documents, draws):
    """These are all called real: is_next is False for those drawn from another document."""
    return [(a, b, True) for a, b, _ in made(documents, draws)]


def next_sentence_pairs_turned(documents, draws):
    """This puts the second sentence first: number s of document d is the first."""
    return [(second, first, real) for first, second, real in made(documents, draws)]


def next_sentence_pairs_before(documents, draws):
    """This takes the sentence before for the real pairs: the one after it is asked for."""
    return made(documents, draws, follows=lambda document, s: document[s - 1])


def next_sentence_pairs_itself(documents, draws):
    """This takes the same sentence twice for the real pairs: the second is number s + 1."""
    return made(documents, draws, follows=lambda document, s: document[s])


def next_sentence_pairs_two_on(documents, draws):
    """This skips a sentence in the real pairs: the second is number s + 1."""
    return made(
        documents, draws, follows=lambda document, s: document[min(s + 2, len(document) - 1)]
    )


def next_sentence_pairs_rounded(documents, draws):
    """This rounds u times the number of sentences, and so shifts the draw: cut it with `int`."""
    return made(
        documents, draws, pick=lambda texts, u: texts[min(round(u * len(texts)), len(texts) - 1)]
    )


def next_sentence_pairs_last_never(documents, draws):
    """This never draws the last of the other sentences: multiply u by their number."""
    return made(documents, draws, pick=lambda texts, u: texts[int(u * (len(texts) - 1))])


def next_sentence_pairs_own_draw(documents, draws):
    """This draws for itself: u says which of the other sentences it is."""
    return made(documents, draws, pick=lambda texts, u: random.choice(texts))


def next_sentence_pairs_coin_again(documents, draws):
    """This takes the coin for the place too: u says which of the other sentences it is."""
    texts = [outside(documents, d) for d, _, _, _ in draws]
    picked = [others[int(draw[2] * len(others))] for others, draw in zip(texts, draws, strict=True)]
    pairs = made(documents, draws)
    return [(a, b if real else c, real) for (a, b, real), c in zip(pairs, picked, strict=True)]


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
    mistakes=(
        next_sentence_pairs_anywhere,
        next_sentence_pairs_not_the_next,
        next_sentence_pairs_not_these_two,
        next_sentence_pairs_same_document,
        next_sentence_pairs_same_without_next,
        next_sentence_pairs_next_document,
        next_sentence_pairs_first_document,
        next_sentence_pairs_two_steps,
        next_sentence_pairs_heads,
        next_sentence_pairs_exchanged,
        next_sentence_pairs_wrong_label,
        next_sentence_pairs_classes,
        next_sentence_pairs_numbers,
        next_sentence_pairs_all_real,
        next_sentence_pairs_none_real,
        next_sentence_pairs_always_true,
        next_sentence_pairs_turned,
        next_sentence_pairs_before,
        next_sentence_pairs_itself,
        next_sentence_pairs_two_on,
        next_sentence_pairs_rounded,
        next_sentence_pairs_last_never,
        next_sentence_pairs_own_draw,
        next_sentence_pairs_coin_again,
    ),
    cases=next_sentence_pairs_cases,
    see="6.2 What goes in",
)

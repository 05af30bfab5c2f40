"""Chapter 06: pairs of sentences, half of them real."""

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def next_sentence_pairs(documents, draws):
    """Return one (first, second, is_next) per draw.

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


def outside(documents, d, s=None):
    """All sentences that are not of document d, in order."""
    return [text for i, document in enumerate(documents) if i != d for text in document]


def next_sentence_pairs_by_text(documents, draws):
    """This leaves out each document with the same sentences: leave out number d alone."""
    pairs = []
    for d, s, coin, u in draws:
        others = [text for other in documents if other != documents[d] for text in other]
        second = documents[d][s + 1] if coin < 0.5 else others[int(u * len(others))]
        pairs.append((documents[d][s], second, coin < 0.5))
    return pairs


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
        case("two documents alike", [*documents[1:], documents[2]], [(1, 0, 0.7, 0.6)]),
    ]


DOCUMENTS = [["a0", "a1", "a2", "a3"], ["b0", "b1"], ["c0", "c1", "c2"]]
PLACES = ((0, 1), (0, 2), (1, 0), (2, 1))
US = (0.0, 0.15, 0.31, 0.47, 0.62, 0.78, 0.99)


def drawn(answer, coins, us=US):
    """The draws with these coins, and (first, second, is_next) for each, in this order."""
    draws = [(d, s, coin, u) for d, s in PLACES for coin in coins for u in us]
    found = answer(DOCUMENTS, draws)
    firsts = [DOCUMENTS[d][s] for d, s, _, _ in draws]
    if [row[1] for row in found] == firsts != [row[0] for row in found]:
        found = [(second, first, label) for first, second, label in found]
    return list(zip(draws, found, strict=True))


def first_comes_first(answer):
    """The first sentence is number s of document d."""
    draws = [(d, s, 0.2, 0.3) for d, s in PLACES]
    return [row[0] for row in answer(DOCUMENTS, draws)] == [DOCUMENTS[d][s] for d, s in PLACES]


def labels_are_true_or_false(answer):
    """Not 1 and 0."""
    return all(isinstance(label, bool) for _, (_, _, label) in drawn(answer, (0.2, 0.7)))


def from_own_document(answer, coins):
    """For each draw, whether the second sentence is of the same document."""
    return [second in DOCUMENTS[d] for (d, *_), (_, second, _) in drawn(answer, coins)]


def coin_is_turned(answer):
    """Real pairs come from 0.5 on."""
    low, high = (from_own_document(answer, coins) for coins in ((0.1,), (0.9,)))
    return all(high) and not all(low)  # what is drawn may be of the same document, by mistake


def u_is_the_coin(answer):
    """u decides whether the pair is from one document, and the coin does not."""
    return all(from_own_document(answer, (c,)) == [u < 0.5 for u in US] * 4 for c in (0.1, 0.9))


def coin_decides(answer):
    """Below 0.5 the pair is from one document."""
    if u_is_the_coin(answer):
        return "It takes u for the coin and the coin for u: a draw is (d, s, coin, u)."
    if coin_is_turned(answer):
        return "It turns the coin round: below 0.5 the second sentence is the one that follows."
    return all(from_own_document(answer, (0.0, 0.1, 0.25, 0.4, 0.49)))


def others_are_of_other_documents(answer):
    """From 0.5 on the second sentence is from elsewhere."""
    if u_is_the_coin(answer):
        return None
    if coin_is_turned(answer):
        return not any(from_own_document(answer, (0.0, 0.1, 0.25, 0.4, 0.49))) or (
            "A second sentence that is drawn may be from the same document: leave out the whole "
            "document, and draw from all others."
        )
    return not any(from_own_document(answer, (0.5, 0.6, 0.75, 0.9, 0.99)))


def the_next_one_follows(answer):
    """Number s + 1."""
    for (d, s, _, _), (_, second, _) in drawn(answer, (0.9 if coin_is_turned(answer) else 0.1,)):
        if second in DOCUMENTS[d] and second != DOCUMENTS[d][s + 1]:
            return (
                f"In a real pair number {DOCUMENTS[d].index(second)} follows number {s}: the "
                "second sentence is number s + 1."
            )
    return True


def u_decides(answer):
    """Number int(u * len(others))."""
    for (d, _, coin, u), (_, second, _) in drawn(answer, (0.1 if coin_is_turned(answer) else 0.9,)):
        others = [text for n, texts in enumerate(DOCUMENTS) if n != d for text in texts]
        if second in DOCUMENTS[d]:
            return None
        if second != others[int(u * len(others))]:
            return (
                f"With the coin {coin} and u = {u} it draws {second!r} from {others}: number "
                f"int(u * len(others)) is {others[int(u * len(others))]!r}."
            )
    return True


def labels_fit(answer):
    """True says that the second sentence follows."""
    turned = coin_is_turned(answer)
    if u_is_the_coin(answer):
        return None
    return all(
        bool(label) == ((coin < 0.5) != turned)
        for (_, _, coin, _), (_, _, label) in drawn(answer, (0.1, 0.9))
    )


NEXT_SENTENCE_PAIRS = Write(
    id="6.4",
    title="Does it follow?",
    level="medium",
    text="""
Write `next_sentence_pairs(documents, draws)`. Each document is a list of sentences. Each draw is
`(d, s, coin, u)`: the first sentence is number s of document d (never its last one), and `coin` and
`u` are random numbers from 0 to 1. If coin is below 0.5, the second sentence is the one that
follows. If not, it comes from **another** document: put all sentences of the other documents in one
list, in order, and take number `int(u * len(others))`. Return one `(first, second, is_next)` per
draw, `is_next` True or False.
""",
    hints=(
        "Begin with the real pairs: `documents[d][s]` and `documents[d][s + 1]`.",
        "`enumerate(documents)` gives each document with its number: leave out number d.",
        "`others = [text for i, document in enumerate(documents) if i != d for text in document]`",
    ),
    solution=next_sentence_pairs,
    second_style=next_sentence_pairs_cut,
    mistakes=(next_sentence_pairs_by_text,),
    cases=next_sentence_pairs_cases,
    properties=(
        Property("The first sentence of a pair must be number s of document d.", first_comes_first),
        Property(
            "The third of a pair, is_next, must be True or False, no number and no text.",
            labels_are_true_or_false,
        ),
        Property(
            "With a coin below 0.5 the second sentence is from another document: it is the one "
            "that follows.",
            coin_decides,
        ),
        Property(
            "With a coin of 0.5 or more a second sentence is from the same document: leave out the "
            "whole document, and draw from all others.",
            others_are_of_other_documents,
        ),
        Property("The second sentence of a real pair is number s + 1.", the_next_one_follows),
        Property("The number u says which of the other sentences it is.", u_decides),
        Property(
            "The labels are wrong: is_next is True when the second sentence follows the first, "
            "False when it was drawn.",
            labels_fit,
        ),
    ),
    see="6C What goes in",
)

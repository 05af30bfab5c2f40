"""Chapter 06: pairs of sentences, half of them real, and an audit of them."""

import random
from typing import NamedTuple

from tutorial_lib.exercises.engine.tasks import Property, Symptom, case


def next_sentence_pairs(documents, draws):
    """Return one (first, second, is_next) per draw.

    documents are lists of sentences. A draw is (d, s, coin, u): the first sentence is number s of
    document d, never its last one; coin and u are random numbers, 0 <= coin, u < 1.
    """
    pairs = []
    for d, s, coin, u in draws:
        is_next = coin < 0.5
        others = [text for i, document in enumerate(documents) if i != d for text in document]
        second = documents[d][s + 1] if is_next else others[int(u * len(others))]
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


def next_sentence_pairs_own(documents, draws):
    """This draws a false sentence from all documents, its own too."""
    pairs = []
    for d, s, coin, u in draws:
        is_next = coin < 0.5
        others = [text for document in documents for text in document]
        second = documents[d][s + 1] if is_next else others[int(u * len(others))]
        pairs.append((documents[d][s], second, is_next))
    return pairs


def next_sentence_pairs_labels(documents, draws):
    """This swaps the labels: a pair that follows is False."""
    pairs = []
    for d, s, coin, u in draws:
        is_next = coin < 0.5
        others = [text for i, document in enumerate(documents) if i != d for text in document]
        second = documents[d][s + 1] if is_next else others[int(u * len(others))]
        pairs.append((documents[d][s], second, not is_next))
    return pairs


def next_sentence_pairs_openings(documents, draws):
    """This draws a false sentence only among the opening sentences of the other documents."""
    pairs = []
    for d, s, coin, u in draws:
        is_next = coin < 0.5
        others = [document[0] for i, document in enumerate(documents) if i != d]
        second = documents[d][s + 1] if is_next else others[int(u * len(others))]
        pairs.append((documents[d][s], second, is_next))
    return pairs


def next_sentence_pairs_itself(documents, draws):
    """This takes the first sentence of a real pair twice: its second is number s, too."""
    pairs = []
    for d, s, coin, u in draws:
        is_next = coin < 0.5
        others = [text for i, document in enumerate(documents) if i != d for text in document]
        second = documents[d][s] if is_next else others[int(u * len(others))]
        pairs.append((documents[d][s], second, is_next))
    return pairs


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


class Audit(NamedTuple):
    """What was counted in pairs: shares between 0 and 1, but for the last, two whole numbers."""

    real: float  # of all pairs, those called real
    blind: float  # found by a judge that sees no first sentence
    different: tuple[int, int]  # second sentences, each counted once: of real pairs, of others


def audit(next_sentence_pairs, documents, n=1_000, seed=0):
    """Make n pairs of documents, lists of sentences, and return their Audit.

    The judge remembers the second sentences of the first half of the pairs that are not real, and
    calls a pair of the other half not real when it knows its second sentence.
    """
    draw = random.Random(seed)
    numbers = [d for d, document in enumerate(documents) if len(document) > 1]
    draws = []
    for _ in range(n):
        d = draw.choice(numbers)
        draws.append((d, draw.randrange(len(documents[d]) - 1), draw.random(), draw.random()))
    rows = [
        (tuple(second), bool(label)) for _, second, label in next_sentence_pairs(documents, draws)
    ]
    real, others = ([second for second, of in rows if of is label] for label in (True, False))
    known = {second for second, label in rows[: n // 2] if not label}
    judged = [(second not in known) == label for second, label in rows[n // 2 :]]
    return Audit(
        real=len(real) / n,
        blind=sum(judged) / len(judged),
        different=(len({*real}), len({*others})),
    )


def audit_table(found, different=False):
    """Return an Audit as text, two lines; different: how many second sentences there are, too.

    >>> print(audit_table(Audit(0.5, 0.99, (9, 2)), different=True).splitlines()[-1])
    different second sentences 9 in real pairs, 2 in false pairs
    """
    lines = [
        f"labelled “follows”         {found.real:.2f}",
        f"the blind judge is right   {found.blind:.2f}",
    ]
    real, others = found.different
    if different:
        lines.append(f"different second sentences {real} in real pairs, {others} in false pairs")
    return "\n".join(lines)


NEXT_SENTENCE_PAIRS = Symptom(
    id="6.4",
    title="Judged without reading",
    level="medium",
    text="""
`next_sentence_pairs(documents, draws)` makes such pairs. A document is a list of sentences. Each
draw `(d, s, coin, u)` makes one pair `(first, second, is_next)`:

- The first is sentence number s of document d, never its last one.
- If `coin` is below 0.5, the second is the sentence that follows, and `is_next` is True.
- If not, the second comes from **anywhere in the other documents**: all their sentences stand in
  one list of n, in order, and it is number `int(u * n)`.

The table above audits pairs made by code with one of the mistakes (a) to (d). Which one lets the
blind judge be right 99 times in 100? Choose the letter, then open the folded cell below the check
and repair `next_sentence_pairs`.
""",
    hints=(
        "The judge sees the second sentence alone, and lists the false ones. Which mistake lets it "
        "meet one of its list again?",
        "The judge has met 500 pairs, and knows nearly every false sentence of the other 500. How "
        "many different ones can there be?",
        "Where in the other documents may a false sentence come from? Look at `others`.",
    ),
    solution=next_sentence_pairs,
    second_style=next_sentence_pairs_cut,
    mistakes=(
        next_sentence_pairs_own,
        next_sentence_pairs_labels,
        next_sentence_pairs_openings,
        next_sentence_pairs_itself,
        next_sentence_pairs_by_text,
    ),
    shown=next_sentence_pairs_openings,
    looks=(
        "A few false pairs would be from the same scene, but false sentences would come from "
        "everywhere, and the judge would do no better than a coin.",
        "All labels would be wrong, but no sentence would come up more often than in sound pairs, "
        "and the judge would do no better than a coin.",
        "All labels would be right, but the pairs that are not real would have few different "
        "second sentences, and whoever remembers those needs no first one.",
        "A real pair would hold one sentence twice, as anyone sees who reads both. The judge sees "
        "the second alone, and would do no better than a coin.",
    ),
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

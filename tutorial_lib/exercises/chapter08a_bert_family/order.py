"""Chapter 08a: two sentences in a row, in order or swapped."""

from tutorial_lib.exercises.engine.properties import composed
from tutorial_lib.exercises.engine.tasks import Write, case


def order_pairs(documents, draws):
    """Return one (first, second, in_order) per draw.

    documents are lists of sentences. A draw is (d, s, coin): the pair is made of sentences s and
    s + 1 of document d; coin is a random number, 0 <= coin < 1.
    """
    pairs = []
    for d, s, coin in draws:
        first, second = documents[d][s : s + 2]
        in_order = coin < 0.5
        pairs.append((first, second, True) if in_order else (second, first, False))
    return pairs


def order_pairs_by_number(documents, draws):
    """Second style."""
    return [
        (documents[d][s + (coin >= 0.5)], documents[d][s + (coin < 0.5)], coin < 0.5)
        for d, s, coin in draws
    ]


def order_pairs_elsewhere(documents, draws):
    """This takes the second sentence of a false pair from another document, as BERT's pairs do:
    here both sorts are of neighbours.
    """
    pairs = []
    for d, s, coin in draws:
        in_order = coin < 0.5
        second = documents[d][s + 1] if in_order else documents[(d + 1) % len(documents)][0]
        pairs.append((documents[d][s], second, in_order))
    return pairs


def order_pairs_labels(documents, draws):
    """This swaps the labels: a pair in order is False."""
    return [(a, b, not in_order) for a, b, in_order in order_pairs(documents, draws)]


def order_pairs_all_swapped(documents, draws):
    """This swaps every pair: below 0.5 the sentences stay in order."""
    return [(documents[d][s + 1], documents[d][s], coin < 0.5) for d, s, coin in draws]


def order_pairs_never_swapped(documents, draws):
    """This swaps none: only the label says so."""
    return [(documents[d][s], documents[d][s + 1], coin < 0.5) for d, s, coin in draws]


def order_pairs_behind(documents, draws):
    """This puts sentence s - 1 after sentence s where it swaps: the pair is s and s + 1, whatever
    the coin says.
    """
    pairs = []
    for d, s, coin in draws:
        in_order = coin < 0.5
        pairs.append((documents[d][s], documents[d][s + 1 if in_order else s - 1], in_order))
    return pairs


def order_pairs_last(documents, draws):
    """This puts the document's last sentence first where it swaps: the pair is s and s + 1,
    whatever the coin says.
    """
    pairs = []
    for d, s, coin in draws:
        in_order = coin < 0.5
        pair = documents[d][s : s + 2] if in_order else (documents[d][-1], documents[d][s])
        pairs.append((*pair, in_order))
    return pairs


def order_pairs_cases():
    """Three documents of unequal length; both ends of the coin."""
    documents = [
        ["Who is there?", "Stand.", "Long live the king.", "He is here."],
        ["If music be the food of love,", "play on."],
        ["Now is the winter", "of our discontent", "made summer."],
    ]
    ordered = [(0, 1, 0.2), (2, 0, 0.0), (0, 0, 0.49)]
    swapped = [(0, 1, 0.7), (1, 0, 0.5), (2, 0, 0.99)]
    return [
        case("pairs in order", documents, ordered),
        case("swapped pairs", documents, swapped),
        case("both", documents, [(2, 1, 0.8), (0, 0, 0.3), (0, 2, 0.6), (2, 0, 0.1)]),
    ]


DOCUMENTS = [
    ["a0", "a1", "a2", "a3", "a4", "a5"],
    ["b0", "b1", "b2", "b3", "b4"],
    ["c0", "c1", "c2", "c3", "c4", "c5"],
]
DRAWS = [(d, s, coin) for d, s in ((0, 1), (1, 2), (2, 2), (0, 2)) for coin in (0.0, 0.3, 0.5, 0.9)]


def read(answer):
    """A text for each pair, and True or False."""
    found = answer(DOCUMENTS, DRAWS)
    return [[str(a), str(b), label] for a, b, label in found]


def make(other, swap, label, kind):
    """What these choices make of the draws."""
    rows = []
    for d, s, coin in DRAWS:
        pair = [DOCUMENTS[d][s], other(d, s)]
        swapped = swap(coin)
        rows.append([*(pair[::-1] if swapped else pair), kind(label(swapped, coin))])
    return rows


ORDER_PAIRS = Write(
    id="8a.5",
    title="In order or swapped?",
    level="easy",
    text="""
BERT's false pairs come from two texts, so the topic alone gives them away. ALBERT's come from one:
two sentences in a row, and the question is whether they were swapped. Write
`order_pairs(documents, draws)`. Each document is a list of sentences, each draw `(d, s, coin)`: the
pair is made of sentences s and s + 1 of document d (s is never the last one). If `coin` is below
0.5 they stay in order, if not they are swapped. Return one `(first, second, in_order)` per draw;
`in_order` is True for a pair in order and False for a swapped one.
""",
    hints=(
        "Both sorts of pairs are made of the same two sentences. What is the only difference?",
        "Take the two sentences first, then look at the coin.",
    ),
    solution=order_pairs,
    second_style=order_pairs_by_number,
    mistakes=(
        order_pairs_elsewhere,
        order_pairs_labels,
        order_pairs_all_swapped,
        order_pairs_never_swapped,
        order_pairs_behind,
        order_pairs_last,
    ),
    cases=order_pairs_cases,
    properties=composed(
        read,
        make,
        {
            "The pair is made of sentences s and s + 1.": lambda d, s: DOCUMENTS[d][s + 1],
            "The pair is made of sentences s and s + 2: they are no neighbours.": (
                lambda d, s: DOCUMENTS[d][s + 2]
            ),
            "The pair is made of sentences s and s - 1: it must be s and s + 1.": (
                lambda d, s: DOCUMENTS[d][s - 1]
            ),
            "The pair is made of sentence s twice.": lambda d, s: DOCUMENTS[d][s],
            "The pair has a sentence of another document: both are of document d.": (
                lambda d, s: DOCUMENTS[(d + 1) % 3][s + 1]
            ),
        },
        {
            "From 0.5 on a pair is swapped.": lambda coin: coin >= 0.5,
            "It reads the coin the wrong way round: below 0.5 the sentences stay in order.": (
                lambda coin: coin < 0.5
            ),
            "With a coin of exactly 0.5 your pair stays in order: it should only do so below "
            "0.5.": lambda coin: coin > 0.5,
            "No pair is swapped: from 0.5 on the second sentence comes first.": lambda coin: False,
            "Every pair is swapped: below 0.5 the sentences stay in order.": lambda coin: True,
        },
        {
            "The label says what was done.": lambda swapped, coin: not swapped,
            "The labels are swapped: `in_order` is True for a pair in order.": (
                lambda swapped, coin: swapped
            ),
            "Every label is True: a swapped pair is False.": lambda swapped, coin: True,
            "Every label is False: a pair in order is True.": lambda swapped, coin: False,
            "The label does not fit the pair: it is True below 0.5, whatever was done.": (
                lambda swapped, coin: coin < 0.5
            ),
        },
        {
            "The label is True or False.": bool,
            "The labels are 1 and 0: `in_order` must be True or False.": int,
        },
    ),
    see="8aD ALBERT: share",
)

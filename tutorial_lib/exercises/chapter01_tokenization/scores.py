"""Chapter 01: WordPiece's score."""

import math
from collections import Counter
from itertools import pairwise

import torch

from tutorial_lib.exercises.engine.properties import composed
from tutorial_lib.exercises.engine.tasks import Write, case

# WordPiece scores -----------------------------------------------------------------------------


def wordpiece_scores(words):
    """Score the pairs of {tuple of symbols: count}: count(pair) / (count(first) count(second))."""
    symbols, pairs = counted(words)
    return {pair: n / (symbols[pair[0]] * symbols[pair[1]]) for pair, n in pairs.items()}


def counted(words):
    """Count the symbols and the pairs of {word as a tuple of symbols: count}."""
    symbols, pairs = {}, {}
    for word, count in words.items():
        for symbol in word:
            symbols[symbol] = symbols.get(symbol, 0) + count
        for pair in pairwise(word):
            pairs[pair] = pairs.get(pair, 0) + count
    return symbols, pairs


def wordpiece_scores_loops(words):
    """Second style."""
    scores = {}
    for pair in {pair for word in words for pair in pairwise(word)}:
        n = sum(count * list(pairwise(word)).count(pair) for word, count in words.items())
        first, second = (
            sum(count * word.count(symbol) for word, count in words.items()) for symbol in pair
        )
        scores[pair] = n / first / second
    return scores


def wordpiece_scores_shares(words):
    """This divides shares: it orders the pairs alike, but the score is made of plain counts."""
    symbols, pairs = counted(words)
    factor = sum(symbols.values()) ** 2 / sum(pairs.values())
    return {pair: score * factor for pair, score in wordpiece_scores(words).items()}


def wordpiece_scores_cases():
    """The five words plain and marked, and a word of one letter that counts for its symbol."""
    five = {"cat": 10, "pet": 12, "mat": 5, "rat": 8, "eats": 4}
    plain = {tuple(word): count for word, count in five.items()}
    marked = {(w[0], *("##" + c for c in w[1:])): count for w, count in five.items()}
    return [
        case("the five words", plain),
        case("the five words, ## inside", marked),
        case("with a word of one letter", {("a",): 6, ("a", "t"): 2}),
    ]


TEXTS = (
    {"xy": 1, "xz": 1, "xv": 1, "ay": 1, "by": 1, "cy": 1, "dy": 1},
    {"xy": 4, "xz": 2},
    {"xyz": 1, "x": 3},
)


def scores_of_x_y(answer):
    """The score of x, y in three small texts."""
    words = ({tuple(word): count for word, count in text.items()} for text in TEXTS)
    return torch.tensor([answer(counts)["x", "y"] for counts in words])


def scores_by(formula, weigh_pairs, weigh_symbols, symbols_of):
    """These scores by choices of one's own."""
    found = []
    for text in TEXTS:
        lefts, rights = Counter(), Counter()
        for word, count in text.items():
            times = count if weigh_symbols else 1
            for symbols, counter in zip(symbols_of(word), (lefts, rights), strict=True):
                counter.update({symbol: times * n for symbol, n in Counter(symbols).items()})
        pairs = sum(count if weigh_pairs else 1 for word, count in text.items() if "xy" in word)
        found.append(formula(pairs, lefts["x"], rights["y"]))
    return torch.tensor(found)


def ten_times_the_text(answer):
    """The score must fall to a tenth when the whole text comes ten times."""
    words = {("x", "y"): 4, ("x", "z"): 2}
    ten_times = {word: 10 * count for word, count in words.items()}
    return math.isclose(10 * answer(ten_times)["x", "y"], answer(words)["x", "y"])


WORDPIECE_RULES = composed(
    scores_of_x_y,
    scores_by,
    {
        "Divide by the product of the two counts.": lambda n, a, b: n / (a * b),
        "It divides by the first count only: the second belongs there too.": lambda n, a, b: n / a,
        "It divides by the second count only: the first belongs there too.": lambda n, a, b: n / b,
        "It divides by the sum of the two counts: it is their product.": lambda n, a, b: (
            n / (a + b)
        ),
        "It takes the root of the product.": lambda n, a, b: n / (a * b) ** 0.5,
        "It multiplies by the second count: `n / a * b` is `(n / a) * b`.": lambda n, a, b: (
            n / a * b
        ),
        "It is upside down: divide the pair's count by the product.": lambda n, a, b: a * b / n,
        "It takes a logarithm: the score is the plain quotient.": lambda n, a, b: math.log(
            n / (a * b)
        ),
        "It divides by the larger count only.": lambda n, a, b: n / max(a, b),
    },
    {"Pairs count as often as their word.": True, "It counts the pairs of each word once.": False},
    {"So do symbols.": True, "It counts the symbols of each word once.": False},
    {
        "Symbols are counted in words.": lambda word: (word, word),
        "It counts symbols in pairs: in `eat` the `a` is in two pairs but occurs once.": (
            lambda word: 2 * ["".join(a + b for a, b in pairwise(word))]
        ),
        "It counts a symbol only where it is the first, or the second, of a pair: all of its "
        "occurrences count.": lambda word: (word[:-1], word[1:]),
    },
    otherwise=(ten_times_the_text,),
)


WORDPIECE_SCORES = Write(
    id="1.9",
    title="WordPiece scores",
    level="easy",
    text="""
Write `wordpiece_scores(words)`. `words` maps each word, a tuple of symbols, to its count. Return a
dictionary from each pair to its score: how often the pair occurs, divided by the product of how
often its two symbols occur.
""",
    hints=(
        "You need two counts: of symbols and of pairs, both weighted by the count of the word.",
        "`score = pairs[a, b] / (symbols[a] * symbols[b])`.",
    ),
    solution=wordpiece_scores,
    second_style=wordpiece_scores_loops,
    mistakes=(wordpiece_scores_shares,),
    cases=wordpiece_scores_cases,
    properties=WORDPIECE_RULES,
    see="1G WordPiece",
)

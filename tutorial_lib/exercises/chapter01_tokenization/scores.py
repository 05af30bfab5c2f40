"""Chapter 01: WordPiece's score."""

from itertools import pairwise

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


def wordpiece_scores_first(words):
    """This divides by the count of the first symbol only; the second belongs there too."""
    symbols, pairs = counted(words)
    return {pair: n / symbols[pair[0]] for pair, n in pairs.items()}


def wordpiece_scores_sum(words):
    """This divides by the sum of the two counts: it is their product."""
    symbols, pairs = counted(words)
    return {(a, b): n / (symbols[a] + symbols[b]) for (a, b), n in pairs.items()}


def wordpiece_scores_root(words):
    """This takes the square root of the product."""
    symbols, pairs = counted(words)
    return {(a, b): n / (symbols[a] * symbols[b]) ** 0.5 for (a, b), n in pairs.items()}


def wordpiece_scores_from_pairs(words):
    """This counts symbols in pairs: in `eat` the `a` stands in two pairs but occurs once."""
    _, pairs = counted(words)
    symbols = {}
    for pair, n in pairs.items():
        for symbol in pair:
            symbols[symbol] = symbols.get(symbol, 0) + n
    return {(a, b): n / (symbols[a] * symbols[b]) for (a, b), n in pairs.items()}


def wordpiece_scores_unweighted(words):
    """This counts each word once: weight symbols and pairs by the count of the word."""
    return wordpiece_scores(dict.fromkeys(words, 1))


def wordpiece_scores_brackets(words):
    """This multiplies by the second count: in Python `n / a * b` is `(n / a) * b`."""
    symbols, pairs = counted(words)
    return {pair: n / symbols[pair[0]] * symbols[pair[1]] for pair, n in pairs.items()}


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


WORDPIECE_SCORES = Write(
    id="1.10",
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
    mistakes=(
        wordpiece_scores_first,
        wordpiece_scores_sum,
        wordpiece_scores_root,
        wordpiece_scores_from_pairs,
        wordpiece_scores_unweighted,
        wordpiece_scores_brackets,
        wordpiece_scores_shares,
    ),
    cases=wordpiece_scores_cases,
    see="1.6 WordPiece",
)

"""Chapter 01: WordPiece's score and its longest match, and ids to vectors."""

from functools import cache
from itertools import pairwise

import torch
from torch.nn import functional as F

from tutorial_lib.exercises.tasks import Write, case

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
    ),
    cases=wordpiece_scores_cases,
    see="1.6 WordPiece",
)


# Longest match --------------------------------------------------------------------------------


def longest_match(word, vocabulary):
    """Cut a word into pieces of a set, the longest first; ["[UNK]"] when that leads nowhere."""
    pieces = []
    start = 0
    while start < len(word):
        mark = "##" if start else ""
        ends = range(len(word), start, -1)
        end = next((end for end in ends if mark + word[start:end] in vocabulary), None)
        if end is None:
            return ["[UNK]"]
        pieces.append(mark + word[start:end])
        start = end
    return pieces


def longest_match_shrinking(word, vocabulary):
    """Second style."""
    pieces, rest = [], word
    while rest:
        piece = rest if rest == word and not pieces else "##" + rest
        least = len(piece) - len(rest)
        while len(piece) > least and piece not in vocabulary:
            piece = piece[:-1]
        if len(piece) == least:
            return ["[UNK]"]
        pieces.append(piece)
        rest = rest[len(piece) - least :]
    return pieces


def shortest_match(word, vocabulary):
    """This takes the shortest piece that fits; try the whole rest of the word first."""
    pieces = []
    start = 0
    while start < len(word):
        mark = "##" if start else ""
        ends = range(start + 1, len(word) + 1)
        end = next((end for end in ends if mark + word[start:end] in vocabulary), None)
        if end is None:
            return ["[UNK]"]
        pieces.append(mark + word[start:end])
        start = end
    return pieces


def longest_match_unmarked(word, vocabulary):
    """This looks up the rest of a word without its ##: `ing` and `##ing` are two entries."""
    pieces = []
    start = 0
    while start < len(word):
        ends = range(len(word), start, -1)
        end = next((end for end in ends if word[start:end] in vocabulary), None)
        if end is None:
            return ["[UNK]"]
        pieces.append(word[start:end])
        start = end
    return pieces


def longest_match_partial(word, vocabulary):
    """This keeps the pieces found so far: one letter that is unknown makes the whole word [UNK]."""
    pieces = []
    start = 0
    while start < len(word):
        mark = "##" if start else ""
        ends = range(len(word), start, -1)
        end = next((end for end in ends if mark + word[start:end] in vocabulary), None)
        if end is None:
            return [*pieces, "[UNK]"]
        pieces.append(mark + word[start:end])
        start = end
    return pieces


def longest_match_going_back(word, vocabulary):
    """This goes back to a shorter piece when it gets stuck; WordPiece never does."""

    @cache
    def cut_from(start):
        if start == len(word):
            return ()
        mark = "##" if start else ""
        for end in range(len(word), start, -1):
            piece = mark + word[start:end]
            if piece in vocabulary and (rest := cut_from(end)) is not None:
                return (piece, *rest)
        return None

    pieces = cut_from(0)
    return ["[UNK]"] if pieces is None else list(pieces)


def longest_match_cases():
    """Pieces with and without ##, a letter that no piece covers, a dead end."""
    letters = set("walkings") | {"##" + letter for letter in "walkings"}
    return [
        case("walking", "walking", letters | {"walk", "##ing", "ing", "wal"}),
        case("walkings", "walkings", letters | {"walk", "##ings", "ings"}),
        case("a letter without a piece", "walké", letters | {"walk"}),
        case("the longest piece leads nowhere", "theme", {"th", "the", "##eme", "##m", "me"}),
    ]


LONGEST_MATCH = Write(
    id="1.11",
    title="Longest match",
    level="medium",
    text="""
Write `longest_match(word, vocabulary)`, the way BERT cuts a word. `vocabulary` is a set of pieces;
a piece that does not start the word begins with `##`. Take the longest piece that fits, go on
behind it, and return the list of pieces. When nothing fits, the whole word is `["[UNK]"]`.
""",
    hints=(
        "Keep a `start`. Try `word[start:end]` for `end` from the word's length downwards.",
        "From the second piece on look for `'##' + word[start:end]`.",
        "No piece for one `start`: return `['[UNK]']` at once, without what you have so far.",
    ),
    solution=longest_match,
    second_style=longest_match_shrinking,
    mistakes=(
        shortest_match,
        longest_match_unmarked,
        longest_match_partial,
        longest_match_going_back,
    ),
    cases=longest_match_cases,
    see="1.6 WordPiece",
)


# Ids to vectors -------------------------------------------------------------------------------


def embed(ids, omega):
    """Return the embeddings (T, D) of ids (T,); omega (D, V) has a column for each token."""
    return omega[:, ids].T


def embed_one_hot(ids, omega):
    """Second style."""
    one_hot = F.one_hot(ids, omega.size(1)).to(omega.dtype)  # (T, V)
    return one_hot @ omega.T


def embed_rows(ids, omega):
    """This takes rows: a row of omega holds one coordinate of all tokens."""
    return omega[ids]


def embed_columns(ids, omega):
    """This is (D, T): the right numbers, but each token should be a row."""
    return omega[:, ids]


def embed_sum(ids, omega):
    """This adds the vectors up: one bag for the whole text, and the order is gone."""
    return omega[:, ids].sum(dim=1)


def embed_unique(ids, omega):
    """This keeps a repeated token once; it gets the same vector at both of its places."""
    return omega[:, torch.unique(ids)].T


def embed_cases():
    """A square matrix hides rows for columns from the shapes; a repeated id; falling ids."""
    square = torch.arange(9.0).view(3, 3)
    wide = torch.arange(10.0).view(2, 5)
    return [
        case("three tokens of width 3", torch.tensor([0, 2, 2]), square),
        case("width 2, five tokens", torch.tensor([1, 0]), wide),
        case("four ids", torch.tensor([1, 0, 1, 1]), wide),
    ]


EMBED = Write(
    id="1.12",
    title="From ids to vectors",
    level="easy",
    text="""
Write `embed(ids, omega)`. `omega` is the matrix Ω_e of the papers, of shape (D, V): one column for
each token of the vocabulary. Return the vectors of `ids` (T,) as rows, shape (T, D).
""",
    hints=(
        "One column for each token: which axis of `omega` do the ids select from?",
        "`omega[:, ids]` has shape (D, T).",
    ),
    solution=embed,
    second_style=embed_one_hot,
    mistakes=(embed_rows, embed_columns, embed_sum, embed_unique),
    cases=embed_cases,
    see="1.8 From ids to vectors",
)

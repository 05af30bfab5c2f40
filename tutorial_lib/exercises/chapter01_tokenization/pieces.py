"""Chapter 01: WordPiece's longest match."""

from functools import cache

from tutorial_lib.exercises.engine.tasks import Write, case

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


def longest_match_bare(word, vocabulary):
    """This returns the pieces without their ##; the mark belongs to the name of a piece."""
    return [piece.removeprefix("##") for piece in longest_match(word, vocabulary)]


def longest_match_string(word, vocabulary):
    """This returns the string "[UNK]"; also a single piece comes in a list."""
    pieces = longest_match(word, vocabulary)
    return pieces if pieces != ["[UNK]"] else "[UNK]"


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
        longest_match_bare,
        longest_match_string,
    ),
    cases=longest_match_cases,
    see="1.6 WordPiece",
)

"""Chapter 01: WordPiece's longest match."""

from tutorial_lib.exercises.engine.properties import properties, which
from tutorial_lib.exercises.engine.tasks import Write, case
from tutorial_lib.tokenizers.wordpiece import longest_match


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


def longest_match_mark_counted(word, vocabulary):
    """It goes on too far: the ## is part of a name, and covers no letters of the word."""
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        ends = range(len(word), start, -1)
        found = [mark + word[start:end] for end in ends if mark + word[start:end] in vocabulary]
        if not found:
            return ["[UNK]"]
        pieces.append(found[0])
        start += len(found[0])
    return pieces


def longest_match_cases():
    """Pieces with and without ##, a letter that no piece covers, a dead end."""
    letters = set("walkings") | {"##" + letter for letter in "walkings"}
    return [
        case("walking", "walking", letters | {"walk", "##ing", "ing", "wal"}),
        case("walkings", "walkings", letters | {"walk", "##ings", "ings"}),
        case("a letter without a piece", "walké", letters | {"walk"}),
        case("the longest piece leads nowhere", "theme", {"th", "the", "##eme", "##m", "me"}),
    ]


def list_of_pieces(answer):
    """A list of pieces must come back."""
    got = [answer("walk", {"walk"}), answer("walké", {"walk"})]
    if got[1] == "[UNK]":
        return 'It returns the string "[UNK]"; also a single piece comes in a list.'
    return isinstance(got[0], list)


def pieces_carry_their_mark(answer):
    """From the second piece on, a piece is looked up and returned with its ##."""
    got = answer("doing", {"do", "##ing", "ing"})
    if got != ["do", "ing"] and answer("doing", {"do", "ing"}) == ["do", "ing"]:
        return "Inside a word it also takes a piece without ##: only `##ing` fits there, not `ing`."
    if answer("doing", {"do", "ing"}) != ["[UNK]"] and got == ["do", "ing"]:
        return "It looks up the rest of a word without its ##: `ing` and `##ing` are two entries."
    if got == ["do", "ing"]:
        return "It returns the pieces without their ##; the mark belongs to the name of a piece."
    return None if isinstance(got, str) else got == ["do", "##ing"]


def longest_first(answer):
    """It takes a shorter piece than the longest that fits: try the whole rest of the word first."""
    vocabulary = {"a", "ab", "abc", "##b", "##c", "##bc", "b", "c", "bc"}
    got = answer("abc", vocabulary)
    return got[:1] == ["abc"] if isinstance(got, list) else None


def unknown_means_all(answer):
    """When nothing fits, the whole word is ["[UNK]"]."""
    got = answer("abx", {"ab", "##b", "b", "a"})
    others = {
        "It keeps the pieces found so far: an unknown letter makes the whole word [UNK].": [
            *got[:-1],
            "[UNK]",
        ],
        "It skips a letter that no piece covers: the whole word is [UNK].": got * (got != "[UNK]"),
    }
    return got == "[UNK]" or which(got, ["[UNK]"], others)


def never_goes_back(answer):
    """It goes back to a shorter piece when it gets stuck; WordPiece never does."""
    stuck = {"th", "the", "##eme", "##m", "eme", "m"}
    return answer("theme", stuck)[0] != "th" if longest_first(answer) else None


LONGEST_MATCH = Write(
    id="1.10",
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
    mistakes=(longest_match_mark_counted,),
    cases=longest_match_cases,
    properties=properties(
        list_of_pieces, pieces_carry_their_mark, longest_first, unknown_means_all, never_goes_back
    ),
    see="1G WordPiece",
)

"""Chapter 01: encode by rank."""

from itertools import pairwise

from tutorial_lib.exercises.engine.properties import properties
from tutorial_lib.exercises.engine.tasks import Write, case
from tutorial_lib.tokenizers import apply_merges

# Encode by rank -------------------------------------------------------------------------------


def encode_by_rank(symbols, merges):
    """Merge a word (tuple of strings): of the known pairs in it, always the first learned."""
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    while True:
        known = [pair for pair in pairwise(symbols) if pair in ranks]
        if not known:
            return symbols
        best = min(known, key=ranks.get)
        i = next(i for i, pair in enumerate(pairwise(symbols)) if pair == best)
        symbols = (*symbols[:i], best[0] + best[1], *symbols[i + 2 :])


def encode_by_rank_library(symbols, merges):
    """Second style."""
    return apply_merges(symbols, merges)


def encode_longest(symbols, merges):
    """This takes the longest token from the left, as WordPiece does; BPE follows the ranks."""
    tokens = {first + second for first, second in merges}
    word = "".join(symbols)
    out = []
    while word:
        n = next((n for n in range(len(word), 1, -1) if word[:n] in tokens), 1)
        out.append(word[:n])
        word = word[n:]
    return tuple(out)


def encode_by_rank_cases():
    """The first from Shakespeare: ` t` + `he` against ` th` + `e`; then one for each mistake."""
    merges = [(" ", "t"), ("h", "e"), (" t", "he"), (" t", "h"), ("r", "e")]
    return [
        case("` the`", tuple(" the"), merges),
        case("` there`", tuple(" there"), merges),
        case("`eats`", tuple("eats"), [("t", "s"), ("a", "t"), ("e", "a"), ("ea", "t")]),
        case("no known pair", tuple("you"), merges),
        case("the same pair twice", tuple("rere"), merges),
        case("`there`", tuple("there"), [("t", "h"), ("h", "e"), ("r", "e"), ("he", "r")]),
    ]


def tokens(answer, word, *merges):
    """The tokens of a word as a list; each merge adds the last letter of what is written.

    Raises ValueError when all are joined to one.
    """
    if in_one_piece(answer):
        raise ValueError("one string")
    got = answer(tuple(word), [(merge[:-1], merge[-1]) for merge in merges])
    return got.split() if isinstance(got, str) else got


def tuple_of_tokens(answer):
    """It returns one string: a tuple of tokens is asked for."""
    if in_one_piece(answer):
        return (
            "It joins all tokens to one string at the end, even with no merges: leave them apart."
        )
    return not isinstance(answer(("a", "b"), [("a", "b")]), str)


def in_one_piece(answer):
    """Tell an answer that joins whatever it is given, so that no more can be seen of it."""
    return answer(("x", "yz"), []) in ("xyz", ["xyz"])


def lowest_rank_first(answer):
    """Of the known pairs in a word the one learned first must be merged first."""
    late, early = tokens(answer, "abc", "bc", "ab"), tokens(answer, "abc", "ab", "bc")
    if early == ["a", "bc"]:
        return "It takes the pair learned last; the one learned first has the right of way."
    if tokens(answer, "cba", "ba", "cb")[0] == "cb":
        return "It merges in text order: the first known pair of the word, not the lowest rank."
    if late == ["ab", "c"]:
        return "It takes the smallest pair: that rule was for ties in training."
    return late == ["a", "bc"]


def every_place(answer):
    """It merges once and stops: go on until no known pair is left."""
    if tokens(answer, "ababcd", "ab", "cd") == ["ab", "a", "b", "cd"]:
        return "It merges a pair at its first place only: merge it at every place in the word."
    return tokens(answer, "abab", "ab") == ["ab", "ab"]


def looks_again(answer):
    """A merge can put a new known pair together: look at all neighbours again."""
    return tokens(answer, "abc", "ab", "abc") == ["abc"] if every_place(answer) else None


def unknown_pairs_stay(answer):
    """A word without a known pair stays as it is."""
    return tokens(answer, "you", "ab") == ["y", "o", "u"]


ENCODE_BY_RANK = Write(
    id="1.8",
    title="Encode by rank",
    level="medium",
    text="""
Write `encode_by_rank(symbols, merges)`. `symbols` is a word as a tuple of strings, `merges` the
list of learned pairs, the first learned first. Return the tuple of tokens. GPT-2
cuts every word by this rule.
""",
    hints=(
        "The place of a pair in `merges` is its rank. A low rank goes first, wherever it stands.",
        "Merge one pair, then look at all neighbours again: new pairs may have come up.",
        "It is enough to go through `merges` once, in order, and merge each pair everywhere.",
    ),
    solution=encode_by_rank,
    second_style=encode_by_rank_library,
    mistakes=(encode_longest,),
    cases=encode_by_rank_cases,
    properties=properties(
        tuple_of_tokens, lowest_rank_first, every_place, looks_again, unknown_pairs_stay
    ),
    see="1F Encoding: merges by rank",
)

"""Chapter 01: encode by rank."""

from itertools import pairwise

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


def encode_in_text_order(symbols, merges):
    """This merges in text order: the first pair of the word that is known, not the lowest rank."""
    while True:
        known = [i for i, pair in enumerate(pairwise(symbols)) if pair in merges]
        if not known:
            return symbols
        i = known[0]
        symbols = (*symbols[:i], symbols[i] + symbols[i + 1], *symbols[i + 2 :])


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


def encode_one_pass(symbols, merges):
    """This makes one pass: a merge can put a new known pair together, so look again."""
    out = []
    for symbol in symbols:
        if out and (out[-1], symbol) in merges and len(out[-1]) == 1:
            out[-1] += symbol
        else:
            out.append(symbol)
    return tuple(out)


def encode_by_last_rank(symbols, merges):
    """This takes the pair learned last; the one learned first has the right of way."""
    while True:
        known = [pair for pair in pairwise(symbols) if pair in merges]
        if not known:
            return symbols
        i = list(pairwise(symbols)).index(max(known, key=merges.index))
        symbols = (*symbols[:i], symbols[i] + symbols[i + 1], *symbols[i + 2 :])


def encode_one_merge(symbols, merges):
    """This merges once and stops: go on until no known pair is left."""
    known = [pair for pair in pairwise(symbols) if pair in merges]
    if not known:
        return symbols
    i = list(pairwise(symbols)).index(min(known, key=merges.index))
    return (*symbols[:i], symbols[i] + symbols[i + 1], *symbols[i + 2 :])


def encode_smallest(symbols, merges):
    """This takes the smallest pair: that rule was for ties in training; here the rank decides."""
    while known := [pair for pair in pairwise(symbols) if pair in merges]:
        i = list(pairwise(symbols)).index(min(known))
        symbols = (*symbols[:i], symbols[i] + symbols[i + 1], *symbols[i + 2 :])
    return symbols


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


ENCODE_BY_RANK = Write(
    id="1.9",
    title="Encode by rank",
    level="hard",
    text="""
Write `encode_by_rank(symbols, merges)`. `symbols` is a word as a tuple of strings, `merges` the
list of learned pairs, the first learned first. Return the tuple of tokens. Every
text that a GPT reads has gone through this function.
""",
    hints=(
        "The place of a pair in `merges` is its rank. A low rank goes first, wherever it stands.",
        "Merge one pair, then look at all neighbours again: new pairs may have come up.",
        "It is enough to go through `merges` once, in order, and merge each pair everywhere.",
    ),
    solution=encode_by_rank,
    second_style=encode_by_rank_library,
    mistakes=(
        encode_in_text_order,
        encode_longest,
        encode_one_pass,
        encode_by_last_rank,
        encode_one_merge,
        encode_smallest,
    ),
    cases=encode_by_rank_cases,
    see="1.5 Encoding: merges by rank",
)

"""Chapter 01: count the pairs, merge one."""

from collections import Counter
from itertools import pairwise

from tutorial_lib.exercises.engine.properties import properties, which
from tutorial_lib.exercises.engine.tasks import Write, case

FIVE_WORDS = {"cat": 10, "pet": 12, "mat": 5, "rat": 8, "eats": 4}


# Count the pairs ------------------------------------------------------------------------------


def count_pairs(words):
    """Count neighbours: {word as a tuple of symbols: count} -> {(left, right): count}."""
    counts = {}
    for symbols, count in words.items():
        for pair in pairwise(symbols):
            counts[pair] = counts.get(pair, 0) + count
    return counts


def count_pairs_counter(words):
    """Second style."""
    repeated = (pair for word, n in words.items() for _ in range(n) for pair in pairwise(word))
    return Counter(repeated)


def count_pairs_cases():
    """Unequal counts, a pair twice in a word, a pair both ways round, a word without a pair."""
    return [
        case("the five words", {tuple(word): n for word, n in FIVE_WORDS.items()}),
        case("banana, 3 times", {tuple("banana"): 3}),
        case("a word of one letter", {("a",): 2, ("t", "o"): 1}),
    ]


def pairs_in(answer, words):
    """The counted pairs of {word: count}, each as a tuple, whatever the answer's keys."""
    counts = answer({tuple(word): count for word, count in words.items()})
    return {tuple(pair): count for pair, count in counts.items()}


def keys_are_pairs(answer):
    """It joins the two symbols to one string: `ea` `ts` and `eat` `s` would be the same pair."""
    (key,) = answer({("a", "b"): 1})
    return key != "ab" and (
        isinstance(key, tuple) or "A key must be a pair of neighbours, a tuple of two."
    )


def all_neighbours(answer):
    """Each symbol pairs with the one right after it: `bad` holds `ba` and `ad`."""
    others = {
        "It cuts a word into twos and skips the pairs between: `bad` holds `ba` and `ad`.": {
            "ba",
            "dc",
        },
        "It takes `ba` and `ab` for one pair: the order of the two symbols matters.": {
            "ab",
            "ad",
            "cd",
        },
        "It pairs symbols that have another one between: pairs are neighbours.": {"bd", "ac"},
        "The two symbols of a pair are the wrong way round.": {"ab", "da", "cd"},
        "The last pair of a word is missing.": {"ba", "ad"},
        "The first pair of a word is missing.": {"ad", "dc"},
    }
    got = {"".join(pair) for pair in pairs_in(answer, {"badc": 1})}
    return which(got, {"ba", "ad", "dc"}, others)


def within_words(answer):
    """It pairs the end of a word with the start of the next: no merge may cross words."""
    return ("b", "c") not in pairs_in(answer, {"ab": 1, "cd": 1})


def each_occurrence(answer):
    """It counts a pair once a word, but `banana` holds `an` twice."""
    return pairs_in(answer, {"xananx": 1})["a", "n"] != 1 or not added_up(answer)


def weighted(answer):
    """It counts each word once: a word that occurs 7 times adds 7 to each of its pairs."""
    got = pairs_in(answer, {"ab": 7})["a", "b"]
    return got == 7 or (got != 1 and f"In a word that occurs 7 times a pair counts 7, not {got}.")


def added_up(answer):
    """A pair's count must add up over the words; what it has already is lost."""
    return pairs_in(answer, {"ab": 2, "xab": 5})["a", "b"] != pairs_in(answer, {"xab": 5})["a", "b"]


COUNT_PAIRS = Write(
    id="1.1",
    title="Count the pairs",
    level="easy",
    text="""
Write `count_pairs(words)`. `words` maps each word, a tuple of symbols, to its count. Return a
dictionary from each pair of neighbours, a tuple such as `("a", "t")`, to how often it occurs in the
text. This is half of one training step.
""",
    hints=(
        "Two loops: over the words with their counts, and over the neighbours in one word.",
        "`itertools.pairwise(symbols)` gives the neighbours of a word.",
        "A pair in a word that occurs `count` times adds `count`, not 1.",
    ),
    solution=count_pairs,
    second_style=count_pairs_counter,
    mistakes=(),
    cases=count_pairs_cases,
    properties=properties(
        keys_are_pairs, all_neighbours, within_words, each_occurrence, weighted, added_up
    ),
    see="1C Byte-pair encoding by hand",
)


# Merge one pair -------------------------------------------------------------------------------


def merge_pair(symbols, pair):
    """Return symbols (a tuple) with each occurrence of pair, from the left, made one symbol."""
    merged = []
    i = 0
    while i < len(symbols):
        if symbols[i : i + 2] == pair:
            merged.append(pair[0] + pair[1])
            i += 2
        else:
            merged.append(symbols[i])
            i += 1
    return tuple(merged)


def merge_pair_recursive(symbols, pair):
    """Second style."""
    if len(symbols) < 2:
        return symbols
    if symbols[:2] == pair:
        return ("".join(pair), *merge_pair_recursive(symbols[2:], pair))
    return (symbols[0], *merge_pair_recursive(symbols[1:], pair))


def merge_pair_first(symbols, pair):
    """This merges the first occurrence only."""
    for i in range(len(symbols) - 1):
        if symbols[i : i + 2] == pair:
            return (*symbols[:i], pair[0] + pair[1], *symbols[i + 2 :])
    return symbols


def merge_pair_cases():
    """Two occurrences, an overlap, a part of a symbol, and a pair that is spelt the same."""
    return [
        case("`at` in `rattat`", tuple("rattat"), ("a", "t")),
        case("`aa` in `aaa`", tuple("aaa"), ("a", "a")),
        case("`a` + `t` in `ca` `t` `a` `t`", ("ca", "t", "a", "t"), ("a", "t")),
        case("`at` + `s` in `eats`", ("e", "a", "ts"), ("at", "s")),
        case("no such pair", tuple("pet"), ("a", "t")),
    ]


def joined(answer):
    """What the pair x, y has become, in a word that is nothing else."""
    return answer(("x", "y"), ("x", "y"))[0]


def becomes_one_symbol(answer):
    """The pair must become one symbol, its two strings joined."""
    others = {
        "It puts the pair itself in: join its two strings to one symbol.": ["x", "y"],
        "It joins the two strings the wrong way round.": "yx",
        "The pair stays as it was.": "x",
    }
    if not answer(("x", "y"), ("x", "y")):
        return "The pair is gone: its two strings, joined, must stand in its place."
    return which(joined(answer), "xy", others)


def others_stay(answer):
    """Symbols that are not the pair must stay as they are."""
    others = {"It loses the last symbol of a word: it has no neighbour, but it stays.": ["p", "e"]}
    return which(answer(("p", "e", "t"), ("x", "y")), ["p", "e", "t"], others)


def second_is_used_up(answer):
    """It leaves the second symbol of a merged pair where it was: skip it."""
    return answer(("x", "y", "z"), ("x", "y"))[1:] in (["z"], [])  # []: the last one is lost


def every_occurrence(answer):
    """It does not merge each occurrence of the pair."""
    return answer(("x", "y", "z", "x", "y", "p"), ("x", "y")).count(joined(answer)) == 2


def from_the_left(answer):
    """Go from left to right, and use each symbol once: `aaa` must become `aa` `a`."""
    one = answer(("a", "a"), ("a", "a"))[0]
    others = {
        "It goes from right to left: `aaa` becomes `a` `aa`, from the left it is `aa` `a`.": [
            "a",
            one,
        ],
        "It uses a symbol twice: `aaa` holds the pair `aa` once, with one `a` left over.": [
            one,
            one,
        ],
    }
    found = which(answer(("a", "a", "a"), ("a", "a")), [one, "a"], others)
    return found or None


def comes_as_a_tuple(answer):
    """Say what else than a tuple comes back."""
    if isinstance(answer(("p", "e"), ("x", "y")), tuple):
        return ""
    return "Return a tuple, `tuple(...)`: in 1.4 a word is the key of a dictionary, as no list can."


def whole_symbols(answer):
    """It replaces text, not symbols: `ca` `t` ends in `a` and `t` but is another pair."""
    if answer(("a", "bc", "x"), ("ab", "c"))[0] == "abc":
        return "It compares joined text: `a` `bc` spells the same as `ab` `c` but is another pair."
    return answer(("ca", "t", "s", "p"), ("a", "t"))[:2] == ["ca", "t"]


MERGE_PAIR = Write(
    id="1.2",
    title="Merge one pair",
    level="easy",
    text="""
Write `merge_pair(symbols, pair)`. `symbols` is a word as a tuple of strings, `pair` two strings.
Return the tuple in which each occurrence of the pair, found from left to right, has become one
symbol. This is the other half of a training step, and all that encoding does.
""",
    hints=(
        "Walk along the word with an index; a merge moves it by two, anything else by one.",
        "`symbols[i:i + 2] == pair` compares two neighbours with the pair.",
    ),
    solution=merge_pair,
    second_style=merge_pair_recursive,
    mistakes=(merge_pair_first,),
    cases=merge_pair_cases,
    properties=properties(
        becomes_one_symbol,
        others_stay,
        second_is_used_up,
        every_occurrence,
        from_the_left,
        whole_symbols,
    ),
    remarks=(comes_as_a_tuple,),
    see="1C Byte-pair encoding by hand",
)

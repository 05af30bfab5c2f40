"""Chapter 01: count the pairs, merge one."""

from collections import Counter
from itertools import pairwise

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


def count_pairs_unweighted(words):
    """This counts each word once: a word that occurs 10 times adds 10 to each of its pairs."""
    return Counter(pair for symbols in words for pair in pairwise(symbols))


def count_pairs_across(words):
    """This also pairs the end of a word with the start of the next: no merge may cross words."""
    text = [symbol for word, count in words.items() for _ in range(count) for symbol in word]
    return Counter(pairwise(text))


def count_pairs_once(words):
    """This counts a pair once a word, but `banana` holds `an` twice."""
    counts = Counter()
    for symbols, count in words.items():
        for pair in set(pairwise(symbols)):
            counts[pair] += count
    return counts


def count_pairs_unordered(words):
    """This takes `at` and `ta` for one pair: the order of the two symbols matters."""
    counts = Counter()
    for pair, count in count_pairs(words).items():
        counts[min(pair, pair[::-1])] += count
    return counts


def count_pairs_overwritten(words):
    """This keeps the count of the last word only: add to what the pair has already."""
    return {pair: count for symbols, count in words.items() for pair in pairwise(symbols)}


def count_pairs_chunks(words):
    """This cuts a word into twos and skips the pairs between: `cat` holds `ca` and `at`."""
    counts = Counter()
    for symbols, count in words.items():
        for pair in zip(symbols[::2], symbols[1::2], strict=False):
            counts[pair] += count
    return counts


def count_pairs_joined(words):
    """This joins the two symbols to one string: `ea` `ts` and `eat` `s` would be the same pair."""
    return {first + second: n for (first, second), n in count_pairs(words).items()}


def count_pairs_cases():
    """Unequal counts, a pair twice in a word, a pair both ways round, a word without a pair."""
    return [
        case("the five words", {tuple(word): n for word, n in FIVE_WORDS.items()}),
        case("banana, 3 times", {tuple("banana"): 3}),
        case("a word of one letter", {("a",): 2, ("t", "o"): 1}),
    ]


COUNT_PAIRS = Write(
    id="1.1",
    title="Count the pairs",
    level="easy",
    text="""
Write `count_pairs(words)`. `words` maps each word, a tuple of symbols, to its count. Return a
dictionary from each pair of neighbours, a tuple such as `("a", "t")`, to how often it occurs in the
text. It is the first half of one training step.
""",
    hints=(
        "Two loops: over the words with their counts, and over the neighbours in one word.",
        "`itertools.pairwise(symbols)` gives the neighbours of a word.",
        "A pair in a word that occurs `count` times adds `count`, not 1.",
    ),
    solution=count_pairs,
    second_style=count_pairs_counter,
    mistakes=(
        count_pairs_unweighted,
        count_pairs_across,
        count_pairs_once,
        count_pairs_unordered,
        count_pairs_overwritten,
        count_pairs_chunks,
        count_pairs_joined,
    ),
    cases=count_pairs_cases,
    see="1.2 Byte-pair encoding by hand",
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


def merge_pair_overlapping(symbols, pair):
    """This uses a symbol twice: `aaa` holds the pair `aa` once, with one `a` left over."""
    merged = []
    used = False
    for i, symbol in enumerate(symbols):
        if symbols[i : i + 2] == pair:
            merged.append(pair[0] + pair[1])
            used = True
        else:
            if not used:
                merged.append(symbol)
            used = False
    return tuple(merged)


def merge_pair_from_the_right(symbols, pair):
    """This goes from right to left: `aaa` becomes `a` `aa`, from the left it is `aa` `a`."""
    merged = []
    i = len(symbols)
    while i > 0:
        if i > 1 and symbols[i - 2 : i] == pair:
            merged.append(pair[0] + pair[1])
            i -= 2
        else:
            merged.append(symbols[i - 1])
            i -= 1
    return tuple(merged[::-1])


def merge_pair_as_text(symbols, pair):
    """This replaces text, not symbols: `ca` `t` ends in `a` and `t` but is another pair."""
    return tuple(" ".join(symbols).replace(" ".join(pair), "".join(pair)).split(" "))


def merge_pair_second_half(symbols, pair):
    """This leaves the second symbol of a merged pair where it was: skip it."""
    merged = [a + b if (a, b) == pair else a for a, b in pairwise(symbols)]
    return (*merged, symbols[-1])


def merge_pair_tail(symbols, pair):
    """This loses the last symbol of a word: it has no neighbour to its right, but it stays."""
    merged, i = [], 0
    while i < len(symbols) - 1:
        found = symbols[i : i + 2] == pair
        merged.append("".join(pair) if found else symbols[i])
        i += 1 + found
    return tuple(merged)


def merge_pair_unjoined(symbols, pair):
    """This puts the pair itself in: join its two strings to one symbol."""
    merged, i = [], 0
    while i < len(symbols):
        found = symbols[i : i + 2] == pair
        merged.append(pair if found else symbols[i])
        i += 1 + found
    return tuple(merged)


def merge_pair_cases():
    """Two occurrences, an overlap, and symbols of which the pair is only a part."""
    return [
        case("`at` in `rattat`", tuple("rattat"), ("a", "t")),
        case("`aa` in `aaa`", tuple("aaa"), ("a", "a")),
        case("`a` + `t` in `ca` `t` `a` `t`", ("ca", "t", "a", "t"), ("a", "t")),
        case("no such pair", tuple("pet"), ("a", "t")),
    ]


MERGE_PAIR = Write(
    id="1.2",
    title="Merge one pair",
    level="easy",
    text="""
Write `merge_pair(symbols, pair)`. `symbols` is a word as a tuple of strings, `pair` two strings.
Return the tuple in which each occurrence of the pair, found from left to right, has become one
symbol. It is the second half of a training step, and all that encoding does.
""",
    hints=(
        "Walk along the word with an index; a merge moves it by two, anything else by one.",
        "`symbols[i:i + 2] == pair` compares two neighbours with the pair.",
    ),
    solution=merge_pair,
    second_style=merge_pair_recursive,
    mistakes=(
        merge_pair_first,
        merge_pair_overlapping,
        merge_pair_from_the_right,
        merge_pair_as_text,
        merge_pair_second_half,
        merge_pair_tail,
        merge_pair_unjoined,
    ),
    cases=merge_pair_cases,
    see="1.2 Byte-pair encoding by hand",
)

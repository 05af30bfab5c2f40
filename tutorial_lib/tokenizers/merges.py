"""Byte-pair encoding by hand: count the pairs, merge the best one, count again.

Read this first. Words are tuples of symbols: letters here, bytes in `bpe`, which also cuts text
into words and numbers the symbols. `incremental` gives the same merges, and is fast;
`pages/bpe.py` is a whole tokenizer made of `count_pairs` and `merge_pair`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise


def count_pairs(words):
    """Count the neighbouring pairs of {word as a tuple of symbols: count}.

    >>> dict(count_pairs({("c", "a", "t"): 2, ("a", "t"): 3}))
    {('c', 'a'): 2, ('a', 't'): 5}
    """
    counts = Counter()
    for symbols, count in words.items():
        for pair in pairwise(symbols):
            counts[pair] += count
    return counts


def merge_pair(symbols, pair, merged):
    """Replace each `pair` in a sequence by the symbol `merged`, from left to right.

    >>> merge_pair(("r", "a", "t", "a", "t"), ("a", "t"), "at")
    ('r', 'at', 'at')
    """
    first, second = pair
    out = []
    i, last = 0, len(symbols) - 1
    while i <= last:
        if symbols[i] == first and i < last and symbols[i + 1] == second:
            out.append(merged)
            i += 2
        else:
            out.append(symbols[i])
            i += 1
    return tuple(out)


def learn_merges(word_counts: Mapping, n_merges: int) -> list[tuple]:
    """Learn which pairs to merge, most frequent first; of equally frequent ones the smallest.

    word_counts maps words (strings, or tuples of symbols) to counts. Fewer than n_merges pairs
    come back when every word has become one symbol.

    >>> learn_merges({"cat": 10, "pet": 12, "mat": 5, "rat": 8, "eats": 4}, 3)
    [('a', 't'), ('e', 't'), ('p', 'et')]
    """
    words = {tuple(word): count for word, count in word_counts.items()}
    merges = []
    while len(merges) < n_merges and (counts := count_pairs(words)):
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        merges.append(pair)
        merged = pair[0] + pair[1]
        words = {merge_pair(symbols, pair, merged): count for symbols, count in words.items()}
    return merges


def apply_merges(symbols: tuple, merges: Sequence[tuple]) -> tuple:
    """Encode one word: apply the merges by rank (the order they were learned), not in text order.

    symbols is the word as a tuple; merges the learned pairs in order. Returns a tuple of symbols.

    >>> apply_merges(("e", "a", "t"), [("a", "t"), ("e", "a")])
    ('e', 'at')
    """
    for first, second in merges:
        symbols = merge_pair(symbols, (first, second), first + second)
    return symbols

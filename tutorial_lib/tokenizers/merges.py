"""Learning merges by hand: count the pairs, merge the best one, count again.

This is the slow and readable version. `incremental` gives the same merges and is fast.
It starts from words and their counts; it does not cut text and knows no special tokens.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from tutorial_lib.errors import VocabularyError


def count_symbols(words):
    """Count the symbols of {word as a tuple of symbols: count}.

    >>> dict(count_symbols({("a", "t"): 2, ("a",): 3}))
    {'a': 5, 't': 2}
    """
    counts = Counter()
    for symbols, count in words.items():
        for symbol in symbols:
            counts[symbol] += count
    return counts


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


def count_score(pair, pair_counts, symbol_counts):
    """Score a pair by how often it occurs: byte-pair encoding (Sennrich et al. 2016)."""
    return pair_counts[pair]


def wordpiece_score(pair, pair_counts, symbol_counts):
    """Score a pair by how much more often it occurs than its parts suggest: WordPiece.

    The count of the pair over the product of the counts of its two symbols
    (Schuster and Nakajima 2012, as it is usually reconstructed).

    >>> wordpiece_score(("p", "e"), {("p", "e"): 12}, {"p": 12, "e": 16})
    0.0625
    """
    first, second = pair
    return pair_counts[pair] / (symbol_counts[first] * symbol_counts[second])


@dataclass(frozen=True)
class MergeStep:
    """One step of `merge_steps`; everything but `pair` is the state before the merge.

    words          {word as a tuple of symbols: count}
    symbol_counts  {symbol: count}; a symbol that has fallen to 0 stays
    pair_counts    {(symbol, symbol): count}
    pair           the pair that this step merges
    ties           all pairs with the highest score, sorted
    """

    words: dict
    symbol_counts: dict
    pair_counts: dict
    pair: tuple
    ties: list


def split_word(word, continuation=""):
    """Split a word into its symbols, all but the first marked with `continuation`.

    >>> split_word("pet"), split_word("pet", "##")
    (('p', 'e', 't'), ('p', '##e', '##t'))
    """
    if not continuation:
        return tuple(word)
    return (word[0], *(continuation + symbol for symbol in word[1:]))


def join_pair(pair, continuation=""):
    """Write a pair as one symbol; the mark of its second half goes.

    >>> join_pair(("p", "e")), join_pair(("p", "##e"), "##")
    ('pe', 'pe')
    """
    first, second = pair
    return first + second[len(continuation) :]


def merge_steps(word_counts, n_merges, score=count_score, choose=min, continuation=""):
    """Yield one MergeStep a merge, at most n_merges; fewer when every word is one symbol.

    word_counts maps words to counts. A word is a string, or a tuple of symbols (bytes, say).
    score(pair, pair_counts, symbol_counts) ranks the pairs; the default is the count.
    choose(ties) picks among the pairs that share the highest score, given as a sorted list; the
    default takes the smallest. continuation="##" marks symbols inside a word, as WordPiece does.
    Raises VocabularyError for no words, a count below 1, or a choice that is not among the ties.

    No symbol ever leaves symbol_counts: one that falls to 0 is still needed to write new words.

    >>> steps = merge_steps({"cat": 10, "pet": 12, "mat": 5, "rat": 8, "eats": 4}, 3)
    >>> [(step.pair, step.pair_counts[step.pair]) for step in steps]
    [(('a', 't'), 27), (('e', 't'), 12), (('p', 'et'), 12)]
    """
    if not word_counts:
        raise VocabularyError("merge_steps needs at least one word, got none")
    for word, count in word_counts.items():
        if not word or count < 1:
            raise VocabularyError(
                f"every word needs a letter and a count of 1 or more, got {word!r}: {count}"
            )
    return _steps(word_counts, n_merges, score, choose, continuation)


def _steps(word_counts, n_merges, score, choose, continuation):
    words = {split_word(word, continuation): count for word, count in word_counts.items()}
    alphabet = dict.fromkeys(count_symbols(words), 0)
    for _ in range(n_merges):
        symbol_counts = alphabet | count_symbols(words)
        pair_counts = dict(count_pairs(words))
        if not pair_counts:
            return
        scores = {pair: score(pair, pair_counts, symbol_counts) for pair in pair_counts}
        highest = max(scores.values())
        ties = sorted(pair for pair in scores if scores[pair] == highest)
        pair = choose(ties)
        if pair not in ties:
            raise VocabularyError(f"choose() must return one of {ties}, got {pair!r}")
        yield MergeStep(words, symbol_counts, pair_counts, pair, ties)
        merged = join_pair(pair, continuation)
        alphabet[merged] = 0
        words = {merge_pair(symbols, pair, merged): count for symbols, count in words.items()}


def apply_merges(symbols, merges):
    """Encode one word: apply the merges by rank (the order they were learned), not in text order.

    symbols is the word as a tuple; merges the learned pairs in order. Returns a tuple of symbols.

    >>> apply_merges(("e", "a", "t"), [("a", "t"), ("e", "a")])
    ('e', 'at')
    """
    for pair in merges:
        symbols = merge_pair(symbols, pair, join_pair(pair))
    return symbols

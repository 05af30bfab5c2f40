"""Learning and applying merges step by step, with what is counted: for figures and explorers."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from tutorial_lib.errors import VocabularyError
from tutorial_lib.tokenizers.merges import count_pairs, merge_pair
from tutorial_lib.tokenizers.wordpiece import CONTINUATION, join_pieces, split_word, wordpiece_score


@dataclass(frozen=True)
class MergeStep:
    """One step of learning; everything but `pair` is the state before the merge.

    words          {word as a tuple of symbols: count}
    symbol_counts  {symbol: count}; a symbol that has fallen to 0 stays
    pair_counts    {(symbol, symbol): count}
    pair           the pair that this step merges
    ties           all pairs that are equally good, sorted
    """

    words: dict
    symbol_counts: dict
    pair_counts: dict
    pair: tuple
    ties: list


def merge_steps(word_counts, n_merges, choose=min):
    """Yield one MergeStep for each merge of byte-pair encoding; the pairs are `learn_merges`'s.

    word_counts maps words (strings, or tuples of symbols) to counts. choose(ties) picks among the
    pairs that share the highest count, given as a sorted list; the default takes the smallest.
    The steps end early when every word is one symbol. Raises VocabularyError for no words, a count
    below 1, or a choice that is not among the ties.

    No symbol ever leaves symbol_counts: one that falls to 0 is still needed to write new words.

    >>> steps = merge_steps({"cat": 10, "pet": 12, "mat": 5, "rat": 8, "eats": 4}, 3)
    >>> [(step.pair, step.pair_counts[step.pair]) for step in steps]
    [(('a', 't'), 27), (('e', 't'), 12), (('p', 'et'), 12)]
    """
    _check(word_counts)
    words = {tuple(word): count for word, count in word_counts.items()}
    return _steps(words, n_merges, _count, "", choose)


def wordpiece_steps(word_counts, n_merges, continuation=CONTINUATION):
    """Yield one MergeStep for each merge of WordPiece: highest `wordpiece_score` first.

    A tie goes to the smallest pair. continuation="" leaves the letters inside a word unmarked.
    Raises VocabularyError for no words or a count below 1.

    >>> steps = wordpiece_steps({"cat": 10, "pet": 12, "mat": 5, "rat": 8, "eats": 4}, 2)
    >>> [step.pair for step in steps]
    [('p', '##e'), ('c', '##a')]
    """
    _check(word_counts)
    words = {split_word(word, continuation): count for word, count in word_counts.items()}
    return _steps(words, n_merges, wordpiece_score, continuation, min)


def encoding_states(symbols: tuple, ranks: Mapping[tuple, int], by_rank: bool = True) -> list:
    """Return a word before and after each merge of its encoding, as tuples of symbols.

    ranks maps each learned pair to its place in the list of merges. by_rank=False makes the
    tempting mistake: it merges the first known pair of the word, whatever its rank.

    >>> encoding_states(("e", "a", "t"), {("a", "t"): 0, ("e", "a"): 1})
    [('e', 'a', 't'), ('e', 'at')]
    >>> encoding_states(("e", "a", "t"), {("a", "t"): 0, ("e", "a"): 1}, by_rank=False)[-1]
    ('ea', 't')
    """
    states = [tuple(symbols)]
    while known := [i for i, pair in enumerate(pairwise(states[-1])) if pair in ranks]:
        last = states[-1]
        i = min(known, key=lambda i: ranks[last[i], last[i + 1]]) if by_rank else known[0]
        states.append((*last[:i], last[i] + last[i + 1], *last[i + 2 :]))
    return states


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


def _check(word_counts):
    if not word_counts:
        raise VocabularyError("steps need at least one word, got none")
    for word, count in word_counts.items():
        if not word or count < 1:
            raise VocabularyError(
                f"every word needs a letter and a count of 1 or more, got {word!r}: {count}"
            )


def _count(pair, pair_counts, symbol_counts):
    return pair_counts[pair]


def _steps(words, n_merges, score, continuation, choose):
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
        merged = join_pieces(*pair, continuation)
        alphabet[merged] = 0
        words = {merge_pair(symbols, pair, merged): count for symbols, count in words.items()}

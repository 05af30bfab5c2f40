"""The same merges as `merges`, fast: only the words that hold the merged pair are counted again.

A merge touches few words. So the pair counts are kept, each pair knows its words, and a heap
hands out the best pair without looking at the others (the idea of subword-nmt and fastBPE).
"""

from collections import defaultdict
from heapq import heapify, heappop, heappush
from itertools import pairwise
from operator import add


class PairTable:
    """Words as symbols, with pair and symbol counts that stay right from merge to merge.

    word_counts maps words (strings, or tuples of symbols) to counts; join(first, second) is the
    symbol that a pair becomes.

    >>> table = PairTable({"cat": 10, "mat": 5})
    >>> sorted(table.merge(("a", "t"))), table.pair_counts["c", "at"]
    ([('c', 'at'), ('m', 'at')], 10)
    """

    def __init__(self, word_counts, join=add):
        self.join = join
        self.words = list(map(list, word_counts))
        self.word_counts = list(word_counts.values())
        self.symbol_counts = defaultdict(int)
        self.pair_counts = defaultdict(int)
        self.words_with = defaultdict(set)  # pair -> numbers of words, some out of date
        for number, (symbols, count) in enumerate(zip(self.words, self.word_counts, strict=True)):
            for symbol in symbols:
                self.symbol_counts[symbol] += count
            for pair in pairwise(symbols):
                self.pair_counts[pair] += count
                self.words_with[pair].add(number)

    def merge(self, pair):
        """Merge a pair in every word; return the set of pairs that this has created."""
        first, second = pair
        merged = self.join(first, second)
        pair_counts, words_with = self.pair_counts, self.words_with
        created = set()
        done = 0
        for number in words_with.pop(pair):
            symbols, count = self.words[number], self.word_counts[number]
            i = 0
            while i < len(symbols) - 1:
                if symbols[i] == first and symbols[i + 1] == second:
                    symbols[i : i + 2] = [merged]
                    done += count
                    # Only the pair before and the pair after change.
                    if i > 0:
                        pair_counts[symbols[i - 1], first] -= count
                        new = (symbols[i - 1], merged)
                        pair_counts[new] += count
                        words_with[new].add(number)
                        created.add(new)
                    if i + 1 < len(symbols):
                        pair_counts[second, symbols[i + 1]] -= count
                        new = (merged, symbols[i + 1])
                        pair_counts[new] += count
                        words_with[new].add(number)
                        created.add(new)
                i += 1
        del pair_counts[pair]
        self.symbol_counts[first] -= done
        self.symbol_counts[second] -= done
        self.symbol_counts[merged] += done
        return created


def train_bpe(word_counts, n_merges):
    """Return at most n_merges pairs, most frequent first; a tie goes to the smallest pair.

    >>> train_bpe({"cat": 10, "pet": 12, "mat": 5, "rat": 8, "eats": 4}, 3)
    [('a', 't'), ('e', 't'), ('p', 'et')]
    """
    table = PairTable(word_counts)
    counts = table.pair_counts
    heap = [(-count, pair) for pair, count in counts.items()]
    heapify(heap)
    merges = []
    while heap and len(merges) < n_merges:
        count, pair = heappop(heap)
        now = counts.get(pair, 0)
        # A count only falls after the step that created its pair, so an old entry is too high in
        # the heap, never too low: put it back where it belongs now.
        if now != -count:
            if now:
                heappush(heap, (-now, pair))
            continue
        merges.append(pair)
        for new in table.merge(pair):
            if counts[new]:
                heappush(heap, (-counts[new], new))
    return merges


def merge_by_rank(symbols, ranks):
    """Encode one word: merge the pair of lowest rank, leftmost first, until none is left.

    symbols is a sequence, ranks maps pairs to their rank. Equals `apply_merges`, in n log n
    steps: a linked list, and a heap of the pairs to merge, each with its position.

    >>> merge_by_rank("eat", {("a", "t"): 0, ("e", "a"): 1})
    ['e', 'at']
    """
    symbols = list(symbols)
    end = len(symbols)
    after = list(range(1, end + 1))
    before = list(range(-1, end))
    heap = []

    def propose(i, j):
        pair = (symbols[i], symbols[j])
        if pair in ranks:
            heappush(heap, (ranks[pair], i, pair))

    for i in range(end - 1):
        propose(i, i + 1)
    while heap:
        _, i, pair = heappop(heap)
        j = after[i]
        # An earlier merge may have taken either half since this pair was noted.
        if j == end or symbols[i] != pair[0] or symbols[j] != pair[1]:
            continue
        symbols[i], symbols[j] = pair[0] + pair[1], None
        after[i] = after[j]
        before[after[j]] = i
        if before[i] >= 0:
            propose(before[i], i)
        if after[i] < end:
            propose(i, after[i])
    return [symbol for symbol in symbols if symbol is not None]

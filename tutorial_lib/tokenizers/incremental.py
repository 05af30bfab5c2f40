"""The same merges as `merges`, fast: only where the merged pair occurs are pairs counted again.

A merge changes little. So the pair counts are kept, each pair knows where it occurs, and a heap
hands out the best pair without looking at the others (the idea of subword-nmt and fastBPE).
"""

from collections import defaultdict
from heapq import heapify, heappop, heappush
from itertools import pairwise
from operator import add

NONE = -1  # no position: before the first symbol of a word and after its last


class PairTable:
    """Words as symbols, with pair and symbol counts that stay right from merge to merge.

    word_counts maps words (strings, or tuples of symbols) to counts; join(first, second) is the
    symbol that a pair becomes. The symbols of all words lie in one list, and each is linked to
    its neighbours in its word: a merge costs as much as the pair has occurrences, however long
    the words are. All merges of n symbols together take about n log n steps.

    >>> table = PairTable({"cat": 10, "mat": 5})
    >>> sorted(table.merge(("a", "t"))), table.pair_counts["c", "at"]
    ([('c', 'at'), ('m', 'at')], 10)
    """

    def __init__(self, word_counts, join=add):
        self.join = join
        self.symbol_counts = defaultdict(int)
        self.pair_counts = defaultdict(int)
        self._positions = defaultdict(list)  # pair -> where it begins; some are out of date
        self._symbols, self._before, self._after, self._weights = [], [], [], []
        for word, count in word_counts.items():
            self._add(list(word), count)

    def _add(self, symbols, count):
        start = len(self._symbols)
        end = start + len(symbols)
        self._symbols += symbols
        self._before += [NONE, *range(start, end - 1)][: len(symbols)]
        self._after += [*range(start + 1, end), NONE][: len(symbols)]
        self._weights += [count] * len(symbols)
        for symbol in symbols:
            self.symbol_counts[symbol] += count
        for position, pair in enumerate(pairwise(symbols), start):
            self.pair_counts[pair] += count
            self._positions[pair].append(position)

    def merge(self, pair):
        """Merge a pair in every word; return the set of pairs that this has created."""
        first, second = pair
        merged = self.join(first, second)
        symbols, before, after = self._symbols, self._before, self._after
        created = set()
        done = 0

        def replace(old, new, position, count):
            self.pair_counts[old] -= count
            self.pair_counts[new] += count
            self._positions[new].append(position)
            created.add(new)

        for i in sorted(self._positions.pop(pair)):  # of "aaa" the left pair goes first
            j = after[i]
            # An earlier merge may have taken either half since this position was noted.
            if j == NONE or symbols[i] != first or symbols[j] != second:
                continue
            left, right, count = before[i], after[j], self._weights[i]
            symbols[i], symbols[j] = merged, None
            after[i] = right
            done += count
            if left != NONE:
                replace((symbols[left], first), (symbols[left], merged), left, count)
            if right != NONE:
                before[right] = i
                replace((second, symbols[right]), (merged, symbols[right]), i, count)
        del self.pair_counts[pair]
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

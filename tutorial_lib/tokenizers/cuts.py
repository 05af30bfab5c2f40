"""Unigram by hand: all ways to cut a text into pieces, and one loop for each question about them.

A lattice lists, for each place in the text, the pieces that end there. A cut is a path through it
from the first place to the last; its log-probability is the sum over its pieces (Kudo 2018, eq. 1).
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from heapq import nlargest


def lattice(text, log_p, unknown=None, longest=None):
    """Return for each place from 0 to the end of a text the pieces that end there: (start, log p).

    log_p {piece: log-probability}; unknown: that of a character without a piece, None: it has none;
    longest: the length of the longest piece, if it is known already.

    >>> lattice("eat", {"e": -3.5, "a": -3.5, "t": -3.0, "at": -4.0})
    [[], [(0, -3.5)], [(1, -3.5)], [(1, -4.0), (2, -3.0)]]
    """
    longest = longest or max(map(len, log_p), default=1)
    places = [[]]
    for end in range(1, len(text) + 1):
        starts = range(max(0, end - longest), end)
        arcs = [(start, log_p[text[start:end]]) for start in starts if text[start:end] in log_p]
        if unknown is not None and text[end - 1] not in log_p:
            arcs.append((end - 1, unknown))
        places.append(arcs)
    return places


def likeliest_path(places):
    """Return the largest log-probability, and where the pieces of that cut end (Viterbi 1967).

    Of equally likely cuts it takes the one whose last piece is longest. Without any cut: -inf, ().

    >>> likeliest_path(lattice("eat", {"e": -3.5, "a": -3.5, "t": -3.0, "at": -4.0}))
    (-7.5, (1, 3))
    """
    best, came_from = [0.0], [0]  # of each beginning of the text; the last piece starts there
    for arcs in places[1:]:
        score, start = max(
            ((best[start] + log_p, start) for start, log_p in arcs),
            key=lambda way: way[0],  # the first of equals: the earliest start
            default=(-math.inf, 0),
        )
        best.append(score)
        came_from.append(start)
    ends, place = [], len(places) - 1
    while place and best[-1] > -math.inf:
        ends.append(place)
        place = came_from[place]
    return best[-1], tuple(reversed(ends))


def best_paths(places, n):
    """Return the n likeliest cuts as `likeliest_path` does, the likeliest first.

    >>> best_paths(lattice("eat", {"e": -3.5, "a": -3.5, "t": -3.0, "at": -4.0}), 2)
    [(-7.5, (1, 3)), (-10.0, (1, 2, 3))]
    """
    paths = [[(0.0, ())]]  # the best ones of each beginning
    for end, arcs in enumerate(places[1:], 1):
        longer = [
            (score + log_p, (*ends, end)) for start, log_p in arcs for score, ends in paths[start]
        ]
        paths.append(nlargest(n, longer, key=lambda path: path[0]))
    return paths[-1]


def forward(places, alpha=1.0):
    """Return the log of the summed probability of all cuts of each beginning of the text.

    alpha: the exponent that probabilities are raised to.

    >>> halves = {"a": math.log(1 / 2), "aa": math.log(1 / 2)}
    >>> [round(math.exp(total), 3) for total in forward(lattice("aaa", halves))]
    [1.0, 0.5, 0.75, 0.625]
    """
    totals = [0.0]
    for arcs in places[1:]:
        totals.append(log_sum([totals[start] + alpha * log_p for start, log_p in arcs]))
    return totals


def backward(places):
    """Return the same for each end of the text: the summed cuts from a place to the last one."""
    totals = [-math.inf] * (len(places) - 1) + [0.0]
    for end in range(len(places) - 1, 0, -1):
        for start, log_p in places[end]:
            totals[start] = log_sum([totals[start], log_p + totals[end]])
    return totals


def log_sum(values):
    """Return the log of a sum of numbers that are given by their logs; -inf when there are none.

    >>> round(log_sum([math.log(2), math.log(3)]) - math.log(5), 9)
    0.0
    """
    top = max(values, default=-math.inf)
    if top == -math.inf:
        return top
    return top + math.log(sum(math.exp(value - top) for value in values))


def sample_path(places, alpha, draws):
    """Return where the pieces end of a cut drawn with probability proportional to p^alpha.

    draws: an iterator over numbers from [0, 1), of which each piece takes one. Going back from the
    end, each last piece is drawn by its share of all cuts that end there (Kudo 2018, section 3.2).

    >>> places = lattice("eat", {"e": -3.5, "a": -3.5, "t": -3.0, "at": -4.0})
    >>> sample_path(places, 1.0, iter([0.95, 0, 0]))
    (1, 2, 3)
    """
    totals = forward(places, alpha)
    ends, place = [], len(places) - 1
    while place:
        ends.append(place)
        draw = next(draws)
        for start, log_p in places[place]:  # the last one takes what rounding leaves
            share = math.exp(totals[start] + alpha * log_p - totals[place])
            if draw < share:
                break
            draw -= share
        place = start
    return tuple(reversed(ends))


def expected_counts(text, places):
    """Return {piece: how often it is in a cut of the text, on average}, and log p of the text.

    The average is over all cuts by their probability, found by going forward and backward once.

    >>> counts, _ = expected_counts("aa", lattice("aa", {"a": math.log(0.5), "aa": math.log(0.5)}))
    >>> {piece: round(count, 3) for piece, count in counts.items()}
    {'a': 0.667, 'aa': 0.667}
    """
    before, after = forward(places), backward(places)
    counts = defaultdict(float)
    for end, arcs in enumerate(places):
        for start, log_p in arcs:
            counts[text[start:end]] += math.exp(before[start] + log_p + after[end] - before[-1])
    return dict(counts), before[-1]


def pieces_of(text: str, ends: Sequence[int]) -> list[str]:
    """Return the pieces of a cut, given where they end.

    >>> pieces_of("eat", (1, 3))
    ['e', 'at']
    """
    return [text[start:end] for start, end in zip((0, *ends), ends, strict=False)]


def likeliest_cut(text: str, log_p: Mapping[str, float]) -> tuple[float, list[str]]:
    """Return the likeliest cut of a text: its log-probability and its pieces.

    log_p {piece: log-probability}. Without any cut: -inf and [].

    >>> likeliest_cut("eat", {"e": -3.5, "a": -3.5, "t": -3.0, "at": -4.0})
    (-7.5, ['e', 'at'])
    """
    score, ends = likeliest_path(lattice(text, log_p))
    return score, pieces_of(text, ends)

"""Composing or copying: runs of a text that stand in another, or that it repeats itself."""

from itertools import chain

import numpy as np


def longest_copies(samples, text):
    """Return, for each sample, its longest run of neighbours that stands in `text`.

    samples and text: strings, whose tokens are characters, or lists of tokens. A run is a piece
    of its sample, of the same kind, the first of several equally long ones; it is empty when
    nothing of the sample stands there.
    Exact, and quick for texts of millions of tokens: every piece of n + 1 tokens is a piece of
    n tokens and one more, so only the places whose n tokens were found are looked at again.

    >>> longest_copies(["to be or not", "be that"], "whether to be, or not to be that")
    [' or not', 'be that']
    >>> longest_copies([[5, 1, 2, 9]], [3, 1, 2, 4])
    [[1, 2]]
    """
    number = {token: i for i, token in enumerate(dict.fromkeys(chain(*samples)))}
    v = max(1, len(number))
    lengths = [len(sample) for sample in samples]
    ends = np.cumsum(lengths, dtype=np.int64)  # of each sample, all samples in a row
    row = np.fromiter((number[token] for token in chain(*samples)), np.int64, sum(lengths))
    other = _numbered(text, number)  # -1 is a token of no sample

    # Pieces of n tokens begin at these places; two of one name are the same n tokens.
    mine, theirs = np.arange(len(row)), np.arange(len(other))
    my_names, their_names = np.zeros_like(mine), np.zeros_like(theirs)
    found = [(0, 0)] * len(samples)  # start in the row, length
    of_sample = np.repeat(np.arange(len(samples)), lengths)
    n, n_names = 0, 1
    while len(mine) and len(theirs):
        inside = mine + n < ends[of_sample[mine]]
        mine, my_names = mine[inside], my_names[inside]
        inside = theirs + n < len(other)
        theirs, their_names = theirs[inside], their_names[inside]
        keys = my_names * v + row[mine + n]  # n tokens and the next one
        next_token = other[theirs + n]
        known = next_token >= 0
        theirs, their_names = theirs[known], their_names[known] * v + next_token[known]

        kinds, names = np.unique(keys, return_inverse=True)
        new_name = np.full(v * n_names, -1)
        new_name[kinds] = np.arange(len(kinds))
        their_names = new_name[their_names]
        known = their_names >= 0
        theirs, their_names = theirs[known], their_names[known]
        stands_there = np.zeros(len(kinds), dtype=bool)
        stands_there[their_names] = True
        mine, my_names = mine[stands_there[names]], names[stands_there[names]]
        n, n_names = n + 1, len(kinds)
        numbers, first = np.unique(of_sample[mine], return_index=True)
        for sample, place in zip(numbers.tolist(), first.tolist(), strict=True):
            found[sample] = int(mine[place]), n
    starts = [end - length for end, length in zip(ends.tolist(), lengths, strict=True)]
    return [
        sample[start - begin : start - begin + n] if n else sample[:0]
        for sample, (start, n), begin in zip(samples, found, starts, strict=True)
    ]


def _numbered(text, number):
    if not isinstance(text, str):
        return np.fromiter((number.get(token, -1) for token in text), np.int64, len(text))
    points = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
    table = np.full(int(points.max(initial=0)) + 1, -1)
    for token, i in number.items():
        if len(token) == 1 and ord(token) < len(table):
            table[ord(token)] = i
    return table[points]


def repeated_share(text, n=3):
    """Return the share of runs of n words that occurred in the text before, from 0 to 1.

    >>> repeated_share("to be or to be or")
    0.25
    >>> repeated_share("be")
    0.0
    """
    words = text.split()
    runs = [tuple(words[at : at + n]) for at in range(len(words) - n + 1)]
    return 1 - len(set(runs)) / len(runs) if runs else 0.0

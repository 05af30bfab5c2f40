"""What the merge explorer writes: pairs by rank, symbols as text."""


def sorted_counts(counts):
    """Pairs or symbols with the most frequent first, equal counts in alphabetical order.

    >>> sorted_counts({"t": 12, "a": 12, "c": 30})
    [('c', 30), ('a', 12), ('t', 12)]
    """
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def readable(symbol):
    """A symbol as text; a byte that is no ASCII letter becomes its number.

    >>> readable("at"), readable(b"at"), readable(b"\\xc3")
    ('at', 'at', '<C3>')
    """
    if isinstance(symbol, str):
        return symbol
    return "".join(chr(byte) if 32 < byte < 127 else f"<{byte:02X}>" for byte in symbol)


def pair_scores(step, score=None):
    """What the pairs of a step are ranked by: their counts, or a score such as wordpiece_score."""
    if score is None:
        return dict(step.pair_counts)
    return {pair: score(pair, step.pair_counts, step.symbol_counts) for pair in step.pair_counts}


def joined(first, second):
    """Two symbols as one; WordPiece's mark of the second goes.

    >>> joined("at", "e"), joined("p", "##e")
    ('ate', 'pe')
    """
    return first + second.removeprefix("##")

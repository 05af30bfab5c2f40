"""Learning the pieces of Unigram: too many at first, then those go that the text misses least."""

import math
from collections import Counter
from collections.abc import Mapping

from tutorial_lib.errors import VocabularyError
from tutorial_lib.tokenizers.cuts import expected_counts, lattice, likeliest_path

ROUNDS = 2  # of EM between two prunings, as in SentencePiece
RAREST = 1e-6  # no piece counts less, so that its logarithm stays finite
RAREST_DIGAMMA = 0.5  # digamma falls much faster towards 0


def train_unigram(
    word_counts: Mapping[str, int],
    n_pieces: int,
    n_seeds: int | None = None,
    longest: int = 16,
    keep: float = 0.75,
    digamma: bool = False,
) -> dict[str, float]:
    """Return {piece: log-probability}, n_pieces of them, the likeliest first (Kudo 2018, 3.2).

    word_counts {word: how often it occurs}. Starts with n_seeds pieces (None: ten times n_pieces),
    none of more than `longest` characters. Again and again it fits their probabilities by
    expectation maximisation and keeps that share of them whose loss would hurt most; single
    characters always stay. digamma: use SentencePiece's variational M step, which favours pieces
    that occur often.
    Raises VocabularyError when n_pieces is below the number of characters; there are fewer pieces
    when the words hold no more substrings that occur twice.

    >>> words = {"walking": 4, "talking": 3, "walk": 5, "talk": 2, "king": 1}
    >>> [piece for piece in train_unigram(words, 10) if len(piece) > 1]
    ['walk', 'talk']
    """
    characters = set("".join(word_counts))
    if n_pieces < len(characters):
        raise VocabularyError(
            f"n_pieces must be at least {len(characters)}, the number of characters, got {n_pieces}"
        )
    if not 0 < keep < 1:
        raise ValueError(f"keep must lie between 0 and 1, got {keep}")
    log_p = seed_pieces(word_counts, n_seeds or 10 * n_pieces, longest)
    while True:
        for _ in range(ROUNDS):
            counts, _ = expectation(word_counts, log_p)
            log_p = maximisation(counts, digamma)
        if len(log_p) <= n_pieces:
            return {piece: log_p[piece] for piece in sorted(log_p, key=lambda p: (-log_p[p], p))}
        log_p = prune(log_p, counts, max(n_pieces, int(keep * len(log_p))))


def seed_pieces(word_counts, n_seeds, longest=16):
    """Return the first pieces with their log-probabilities: characters and frequent substrings.

    Those substrings come first that occur twice or more and cover most text, length times count.

    >>> sorted(seed_pieces({"toto": 3, "to": 1}, n_seeds=3))
    ['o', 't', 'to']
    """
    counts = Counter()
    for word, count in word_counts.items():
        for start in range(len(word)):
            for end in range(start + 1, min(start + longest, len(word)) + 1):
                counts[word[start:end]] += count
    kept = {piece: n for piece, n in counts.items() if len(piece) == 1}
    longer = [piece for piece, n in counts.items() if len(piece) > 1 and n > 1]
    longer.sort(key=lambda piece: (-len(piece) * counts[piece], piece))
    for piece in longer[: max(0, n_seeds - len(kept))]:
        kept[piece] = counts[piece]
    return maximisation(kept)


def expectation(word_counts, log_p):
    """Return how often each piece is used on average, and the log-likelihood of all words (E step).

    >>> words, log_p = {"aa": 3}, {"a": math.log(0.5), "aa": math.log(0.5)}
    >>> counts, _ = expectation(words, log_p)
    >>> {piece: round(count, 3) for piece, count in counts.items()}
    {'a': 2.0, 'aa': 2.0}
    """
    counts, likelihood = dict.fromkeys(log_p, 0.0), 0.0
    longest = max(map(len, log_p))
    for word, n in word_counts.items():
        in_word, total = expected_counts(word, lattice(word, log_p, longest=longest))
        for piece, count in in_word.items():
            counts[piece] += n * count
        likelihood += n * total
    return counts, likelihood


def maximisation(counts, digamma_step=False):
    """Return the log-probabilities that fit these counts best: log of each share (M step).

    >>> {piece: round(math.exp(p), 3) for piece, p in maximisation({"a": 1, "b": 3}).items()}
    {'a': 0.25, 'b': 0.75}
    """
    log, rarest = (digamma, RAREST_DIGAMMA) if digamma_step else (math.log, RAREST)
    counts = {piece: max(count, rarest) for piece, count in counts.items()}
    log_total = log(sum(counts.values()))
    return {piece: log(count) - log_total for piece, count in counts.items()}


def prune(log_p, counts, n_kept):
    """Return the n_kept pieces without which the text would lose most, and all characters.

    A lost piece is written with the likeliest others. The loss: how often it is used, times how
    much less likely that is.

    >>> log_p = {"a": -2.0, "b": -2.0, "ab": -3.0, "bb": -3.5}
    >>> list(prune(log_p, {"a": 1, "b": 1, "ab": 5, "bb": 2}, 3))
    ['a', 'b', 'ab']
    """
    losses = {}
    for piece, count in counts.items():
        if len(piece) > 1:
            without = lattice(piece, log_p, longest=len(piece))
            without[-1] = [arc for arc in without[-1] if arc[0] > 0]
            losses[piece] = count * (log_p[piece] - likeliest_path(without)[0])
    kept = {piece for piece in log_p if len(piece) == 1}
    kept.update(sorted(losses, key=lambda piece: (-losses[piece], piece))[: n_kept - len(kept)])
    return {piece: score for piece, score in log_p.items() if piece in kept}


def digamma(x):
    """Return the derivative of log Γ at x > 0, about log(x - 1/2) for large x.

    >>> round(digamma(1), 6), round(digamma(100) - math.log(99.5), 4)
    (-0.577216, 0.0)
    """
    below = 0.0
    while x < 7:
        below -= 1 / x
        x += 1
    inverse = 1 / (x * x)
    series = inverse * (1 / 12 - inverse * (1 / 120 - inverse / 252))
    return below + math.log(x) - 0.5 / x - series

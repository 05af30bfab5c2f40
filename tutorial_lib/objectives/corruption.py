"""Damage a text and ask for it back: BART's five ways and T5's spans.

Tokens are ids or words, in a list. BART (Lewis et al. 2019, section 2.2) asks for the whole text,
T5 (Raffel et al. 2020, section 3.1.4) for the hidden spans alone.
"""

import math
import random
from collections.abc import Hashable, Sequence
from itertools import accumulate

Token = Hashable


def hide_tokens(
    tokens: Sequence[Token], mask: Token, share: float, generator: random.Random
) -> list[Token]:
    """Return tokens with a share of them replaced by mask, each by one: the length stays.

    Raises ValueError for a share outside [0, 1].

    >>> hide_tokens(["to", "be", "or", "not"], "_", 0.5, random.Random(1))
    ['to', '_', '_', 'not']
    """
    chosen = _choose(tokens, share, generator)
    return [mask if i in chosen else token for i, token in enumerate(tokens)]


def delete_tokens(tokens: Sequence[Token], share: float, generator: random.Random) -> list[Token]:
    """Return tokens without a share of them: nothing says where one is missing.

    Raises ValueError for a share outside [0, 1].

    >>> delete_tokens(["to", "be", "or", "not"], 0.5, random.Random(1))
    ['to', 'not']
    """
    chosen = _choose(tokens, share, generator)
    return [token for i, token in enumerate(tokens) if i not in chosen]


def infill_spans(
    tokens: Sequence[Token],
    mask: Token,
    share: float,
    generator: random.Random,
    mean_length: float = 3.0,
) -> list[Token]:
    """Return tokens with spans replaced by one mask each, whatever their length.

    Lengths are drawn from a Poisson distribution until the share of tokens is hidden; the last
    span is cut to fit. A span of length 0 puts a mask where nothing is missing. No two spans touch.
    Raises ValueError for a share outside [0, 1] or a mean that is not positive.

    >>> infill_spans("to be or not to be that is".split(), "_", 0.5, random.Random(3))
    ['_', 'or', 'not', 'to', '_', 'is']
    """
    n_hidden = _count(tokens, share)
    if mean_length <= 0:
        raise ValueError(f"the mean length of a span must be positive, got {mean_length}")
    lengths = []
    while sum(lengths) < n_hidden:
        lengths.append(min(poisson(mean_length, generator), n_hidden - sum(lengths)))
    result, done = [], 0
    for start, end in place_spans(len(tokens), lengths, generator):
        result += [*tokens[done:start], mask]
        done = end
    return [*result, *tokens[done:]]


def permute_sentences(
    sentences: Sequence[Sequence[Token]], generator: random.Random
) -> list[Token]:
    """Return the tokens of sentences that were put in a random order.

    >>> permute_sentences([["to", "be"], ["or"], ["not"]], random.Random(0))
    ['or', 'not', 'to', 'be']
    """
    return [token for sentence in generator.sample(sentences, len(sentences)) for token in sentence]


def rotate_document(tokens: Sequence[Token], generator: random.Random) -> list[Token]:
    """Return tokens turned so that they begin at a random one; the model finds the beginning.

    >>> rotate_document(["to", "be", "or", "not"], random.Random(1))
    ['be', 'or', 'not', 'to']
    """
    first = generator.randrange(len(tokens)) if tokens else 0
    return [*tokens[first:], *tokens[:first]]


def span_corruption(
    tokens: Sequence[Token],
    sentinels: Sequence[Token],
    generator: random.Random,
    share: float = 0.15,
    mean_length: float = 3.0,
) -> tuple[list[Token], list[Token]]:
    """Return (source, target): tokens with a sentinel for each hidden span, and what it hides.

    As many tokens are hidden as the share says, at least one, in as many spans as make the mean
    length. The target holds sentinel, span, sentinel, span ... and one more sentinel at its end.
    Google's code lets every text begin with a kept stretch and end with a hidden one; here a span
    may stand anywhere, and no two touch.
    Raises ValueError for no tokens, a share outside [0, 1], a mean below 1, or more spans than
    sentinels.

    >>> text = "to be or not to be that is".split()
    >>> source, target = span_corruption(text, ["<0>", "<1>", "<2>"], random.Random(5), 0.5, 2)
    >>> " ".join(source), " ".join(target)
    ('to be <0> be that <1>', '<0> or not to <1> is <2>')
    """
    if not tokens:
        raise ValueError("there is nothing to hide: give at least one token")
    if mean_length < 1:
        raise ValueError(f"the mean length of a span must be at least 1, got {mean_length}")
    n_hidden = max(1, _count(tokens, share))
    n_kept = len(tokens) - n_hidden
    n_spans = min(max(1, round(n_hidden / mean_length)), n_kept + 1)
    if n_spans + 1 > len(sentinels):
        raise ValueError(
            f"{n_spans} spans need {n_spans + 1} sentinels, the vocabulary has {len(sentinels)}"
        )
    cuts = sorted(generator.sample(range(1, n_hidden), n_spans - 1))
    lengths = [end - start for start, end in zip([0, *cuts], [*cuts, n_hidden], strict=True)]
    source, target, done = [], [], 0
    for sentinel, (start, end) in zip(
        sentinels, place_spans(len(tokens), lengths, generator), strict=False
    ):
        source += [*tokens[done:start], sentinel]
        target += [sentinel, *tokens[start:end]]
        done = end
    return [*source, *tokens[done:]], [*target, sentinels[n_spans]]


def fill_spans(
    source: Sequence[Token], target: Sequence[Token], sentinels: Sequence[Token]
) -> list[Token]:
    """Return the text that `span_corruption` made source and target from.

    A model may write a target that does not fit: a sentinel that it left out stands for nothing,
    and what belongs to none is dropped.

    >>> fill_spans(["to", "<0>", "is"], ["<0>", "be", "that", "<1>"], ["<0>", "<1>"])
    ['to', 'be', 'that', 'is']
    """
    spans, current = {}, []
    for token in target:
        if token in sentinels:
            current = spans.setdefault(token, [])
        else:
            current.append(token)
    text = []
    for token in source:
        text += spans.get(token, []) if token in sentinels else [token]
    return text


def place_spans(
    n_tokens: int, lengths: Sequence[int], generator: random.Random
) -> list[tuple[int, int]]:
    """Return the (start, end) of spans of these lengths in n_tokens, at random, none touching.

    Every arrangement is equally likely: the spans go, in order, into different gaps between the
    tokens that are kept. Where there are more spans than gaps, the last spans are left out.

    >>> place_spans(8, [2, 3], random.Random(0))
    [(1, 3), (5, 8)]
    """
    n_kept = n_tokens - sum(lengths)
    lengths = lengths[: n_kept + 1]
    gaps = sorted(generator.sample(range(n_kept + 1), len(lengths)))
    before = accumulate(lengths, initial=0)
    return [
        (gap + hidden, gap + hidden + length)
        for gap, hidden, length in zip(gaps, before, lengths, strict=False)
    ]


def poisson(mean: float, generator: random.Random) -> int:
    """Return a whole number from a Poisson distribution (Knuth's way, for small means).

    >>> generator = random.Random(0)
    >>> [poisson(3.0, generator) for _ in range(10)]
    [4, 3, 5, 6, 3, 6, 2, 4, 3, 3]
    """
    limit, n, product = math.exp(-mean), 0, generator.random()
    while product > limit:
        n += 1
        product *= generator.random()
    return n


def _count(tokens, share):
    if not 0 <= share <= 1:
        raise ValueError(f"share must be from 0 to 1, got {share}")
    return round(share * len(tokens))


def _choose(tokens, share, generator):
    return set(generator.sample(range(len(tokens)), _count(tokens, share)))

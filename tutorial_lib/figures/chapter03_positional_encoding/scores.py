"""What each scheme of positions adds to the score of every pair, with the same words everywhere.

Every query and every key carries the same content, a vector of ones, so that whatever differs
between two pairs comes from the scheme. The schemes themselves are the library's.
"""

import math
from functools import cache

import numpy as np
import torch

from tutorial_lib.attention import attention_scores, causal_mask
from tutorial_lib.errors import ShapeError
from tutorial_lib.positions import (
    LearnedPositions,
    RelativePositions,
    T5Positions,
    alibi,
    rotate,
    sinusoidal,
    t5_bucket,
)

CONTEXT = 32  # positions that the learned table holds
REACH = 16  # the largest distance that has a relative number of its own
WIDTH, N_HEADS = 64, 8
SCHEMES = {
    "none": "no positions",
    "sinusoidal": "sinusoidal",
    "learned": "learned",
    "relative": "relative",
    "t5": "T5",
    "rotary": "rotary",
    "alibi": "ALiBi",
}
HEADED = ("relative", "t5", "alibi")  # a bias of its own for each head
LEARNED = ("learned", "relative", "t5")  # training decides their numbers
ADDED = ("sinusoidal", "learned")  # vectors, added to the content


def _bump(offset, head):
    """A smooth curve over the offset, another for each head: what a head may come to learn."""
    peak = (-1, 1, 0, -2, -4, 3, 0, -7)[head]
    width = (1, 1, 3, 1.5, 2.5, 2, 8, 4)[head]
    ripple = 0.15 * np.cos(0.7 * (head + 1) * offset)
    return 3 * np.exp(-(((offset - peak) / width) ** 2) / 2) - 0.04 * np.abs(offset) + ripple - 1


@cache
def example_tables(causal=False):
    """Return made-up numbers for what training decides: learned, relative and t5.

    learned (32, 64) holds random vectors of which neighbours are alike, relative (8, 33) a smooth
    curve over the offset for each head, t5 (8, 32) the means of that curve over each bucket.

    >>> {name: table.shape for name, table in example_tables().items()}
    {'learned': (32, 64), 'relative': (8, 33), 't5': (8, 32)}
    """
    random = np.random.default_rng(3)
    noise = random.standard_normal((CONTEXT + 6, WIDTH))
    # A moving mean of 7 rows makes neighbours alike; the factor brings the variance back to 1/2.
    smooth = np.stack([noise[t : t + 7].sum(axis=0) for t in range(CONTEXT)]) / math.sqrt(14)
    reach = np.arange(-REACH, REACH + 1)
    far = np.arange(-128, 1 if causal else 129)  # a causal mask hides the keys ahead
    bucket = t5_bucket(torch.from_numpy(far), causal=causal).numpy()
    curves = np.stack([_bump(far, head) for head in range(N_HEADS)])  # (H, offsets)
    t5 = np.zeros((N_HEADS, 32))
    for index in np.unique(bucket):
        t5[:, index] = curves[:, bucket == index].mean(axis=1)
    return {
        "learned": smooth,
        "relative": np.stack([_bump(reach, head) for head in range(N_HEADS)]),
        "t5": t5,
    }


def scheme_scores(scheme, length, shift=0, *, causal=False, head=0, content=False, tables=None):
    """Return what the scheme adds to the score of each pair, (T, S) float64.

    The positions are shift ... shift + length - 1; nan means that a learned table has no such row.
    head counts from 0 and matters for relative, t5 and alibi; causal for T5's buckets only, the
    mask itself hides nothing here. Added vectors meet each other only, unless `content`: then
    their products with the content are in as well. tables replaces some of `example_tables`:
    learned (context, D), relative (H, 2 · reach + 1), t5 (H, buckets).
    Raises ValueError for an unknown scheme or table, ShapeError for a head, a length or a table
    that does not fit.

    >>> scheme_scores("alibi", 3, head=0)[2].tolist()
    [-1.0, -0.5, -0.0]
    """
    scores = head_scores(scheme, length, shift, causal=causal, content=content, tables=tables)
    if scheme not in HEADED:
        return scores[0]
    if not 0 <= head < len(scores):
        last = len(scores) - 1
        raise ShapeError(f"head {head} is not there: {SCHEMES[scheme]} has heads 0 to {last}")
    return scores[head]


def head_scores(scheme, length, shift=0, *, causal=False, content=False, tables=None):
    """Return `scheme_scores` of all heads, (H, T, S); H is 1 where heads do not differ."""
    if scheme not in SCHEMES:
        raise ValueError(f"no scheme is called {scheme!r}; there are {', '.join(SCHEMES)}")
    if length < 1 or shift < 0:
        raise ShapeError(f"need a length of at least 1 and no shift below 0, got {length}, {shift}")
    tables = example_tables(causal) | _checked(tables or {})
    with torch.no_grad():
        if scheme in HEADED:
            scores = _bias(scheme, length, causal, tables)
        elif scheme == "rotary":
            plain = torch.ones(1, 1, length, WIDTH, dtype=torch.float64)
            turned = rotate(plain, start=shift)
            scores = (attention_scores(turned, turned) - attention_scores(plain, plain))[0]
        elif scheme in ADDED:
            scores = _products(_vectors(scheme, length, shift, tables), content, length)
        else:
            scores = torch.zeros(1, length, length)
    return scores.double().numpy()  # (H, T, S)


def _checked(tables):
    for name, table in tables.items():
        if name not in LEARNED:
            raise ValueError(f"tables can hold {', '.join(LEARNED)}, got {name!r}")
        shape = tuple(np.shape(table))
        if len(shape) != 2 or 0 in shape or (name == "relative" and shape[1] % 2 == 0):
            form = {"learned": "(context, D)", "relative": "(H, 2 · reach + 1)"}
            raise ShapeError(f"{name} must be {form.get(name, '(H, buckets)')}, got shape {shape}")
    return dict(tables)


def _bias(scheme, length, causal, tables):
    if scheme == "alibi":
        return alibi(N_HEADS, length)  # (H, T, S)
    weight = torch.as_tensor(tables[scheme])
    n_heads, size = weight.shape
    if scheme == "relative":
        numbers = RelativePositions(n_heads, size // 2)
    else:
        numbers = T5Positions(n_heads, size, causal=causal)
    numbers.weight.copy_(weight)
    return numbers(length)  # (H, T, S)


def _vectors(scheme, length, shift, tables):
    """The vectors of the positions that there are: (at most T, D)."""
    if scheme == "sinusoidal":
        return sinusoidal(shift + length, WIDTH)[shift:]
    weight = torch.as_tensor(tables["learned"])
    table = LearnedPositions(*weight.shape)
    table.weight.copy_(weight)
    there = min(max(len(weight) - shift, 0), length)
    return table(there, min(shift, len(weight)))


def _products(vectors, content, length):
    plain = torch.ones_like(vectors) if content else torch.zeros_like(vectors)
    both, plain = (x[None, None].double() for x in (plain + vectors, plain))
    there = (attention_scores(both, both) - attention_scores(plain, plain))[0]
    missing = length - len(vectors)
    return torch.nn.functional.pad(there, (0, missing, 0, missing), value=math.nan)  # (1, T, S)


def scheme_weights(scores, causal=False):
    """Return the weights (T, S) that the softmax makes of scores (T, S) on top of equal content.

    A row in which a key that may be seen has no score is nan.

    >>> scheme_weights(np.zeros((2, 2)), causal=True).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    bias = torch.as_tensor(scores)
    mask = causal_mask(len(bias)) if causal else torch.ones_like(bias, dtype=torch.bool)
    lost = (bias.isnan() & mask).any(dim=1)
    nothing = torch.zeros(1, 1, len(bias), 1, dtype=bias.dtype)
    weights = attention_scores(nothing, nothing, mask, bias.nan_to_num()).softmax(dim=-1)[0, 0]
    weights[lost] = math.nan
    return weights.numpy()


def by_offset(values, causal=False):
    """Return the offsets, and the lowest, mean and highest value of each; nan where there is none.

    values (T, S); an offset is the key's position minus the query's.

    >>> [part.tolist() for part in by_offset(np.array([[0.0, 2.0], [1.0, 4.0]]))]
    [[-1, 0, 1], [1.0, 0.0, 2.0], [1.0, 2.0, 2.0], [1.0, 4.0, 2.0]]
    """
    length = len(values)
    offset = np.arange(1 - length, 1 if causal else length)
    rows = [np.diagonal(values, step) for step in offset]
    rows = [row[~np.isnan(row)] for row in rows]
    low, mean, high = (
        np.array([how(row) if row.size else math.nan for row in rows])
        for how in (np.min, np.mean, np.max)
    )
    return offset, low, mean, high


def shift_change(scheme, length, shift, **setting):
    """Return the largest change of any pair's score when both positions move on by `shift`.

    setting as in `scheme_scores`; nan when a learned table has no pair left to compare.

    >>> shift_change("alibi", 8, 4), shift_change("learned", 8, 4) > 0.1
    (0.0, True)
    """
    before = scheme_scores(scheme, length, 0, **setting)
    change = np.abs(scheme_scores(scheme, length, shift, **setting) - before)
    return float(np.nanmax(change)) if np.isfinite(change).any() else math.nan

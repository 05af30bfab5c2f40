"""From the scores of the next token to one token: filters on logits, then a draw.

Each filter is a function from logits (..., V) to logits (..., V); what it rules out becomes minus
infinity. They chain in the order of this module: temperature, top-k, top-p, `sample`.
"""

import math
import sys

import torch
import torch.nn.functional as F


def greedy(logits):
    """Return the most likely token of each row: ids (...) from logits (..., V).

    Raises FloatingPointError as `check_logits` does.

    >>> greedy(torch.tensor([0.0, 2.0, 1.0]))
    tensor(1)
    """
    check_logits(logits)
    return logits.argmax(dim=-1)


def temperature(logits, value):
    """Return logits / value: below 1 the likely becomes likelier, above 1 all become more alike.

    Where a value near 0 would make a score overflow, the maximum is taken off first: the
    probabilities are the same, those of `greedy`.
    Raises ValueError when the temperature is not a finite number above 0; its limit 0 is `greedy`.

    >>> temperature(torch.tensor([0.0, 1.0]), 0.5)
    tensor([0., 2.])
    """
    check_temperature(value)
    value = float(value)
    scaled = logits / value
    overflowed = (scaled.isfinite() != logits.isfinite()).any(dim=-1, keepdim=True)  # (..., 1)
    if not overflowed.any():
        return scaled
    below = logits - logits.amax(dim=-1, keepdim=True)
    # The smallest of values rounds to 0, and 0 / 0 is no number.
    return torch.where(overflowed, (below / value).masked_fill(below == 0, 0.0), scaled)


def top_k(logits, k):
    """Keep the k highest logits of each row (Fan et al. 2018); ties with the last one stay too.

    Raises ValueError when k is not a whole number between 1 and V.

    >>> top_k(torch.tensor([0.0, 3.0, 1.0]), 2)
    tensor([-inf, 3., 1.])
    """
    check_top_k(k, logits.size(-1))
    lowest = logits.topk(k).values[..., -1:]  # (..., 1)
    return logits.masked_fill(logits < lowest, -math.inf)


def top_p(logits, p):
    """Keep the smallest set of tokens that holds probability p or more (Holtzman et al. 2020).

    The token that crosses p stays, so at least one always does; of equal tokens the lower id
    comes first.
    Raises ValueError when p is not above 0 and at most 1.

    >>> top_p(torch.tensor([0.5, 0.3, 0.2]).log(), 0.6).exp()
    tensor([0.5000, 0.3000, 0.0000])
    """
    check_top_p(p)
    if p == 1:  # no rounding error may drop a token
        return logits
    ordered, ids = logits.sort(dim=-1, descending=True, stable=True)
    reached = ordered.softmax(dim=-1).cumsum(dim=-1)
    before = F.pad(reached[..., :-1], (1, 0))  # what the tokens ahead of each one hold
    too_far = before >= p
    too_far[..., 0] = False  # a p that float32 rounds to 0 keeps the likeliest too
    dropped = torch.empty_like(too_far).scatter(-1, ids, too_far)
    return logits.masked_fill(dropped, -math.inf)


def sample(logits, generator=None):
    """Draw one token a row in proportion to softmax(logits): ids (B,) from logits (B, V).

    Raises FloatingPointError as `check_logits` does.

    >>> sample(torch.tensor([[0.0, -math.inf]]))
    tensor([0])
    """
    check_logits(logits)
    return torch.multinomial(logits.softmax(dim=-1), 1, generator=generator).squeeze(-1)


def check_logits(logits):
    """Raise FloatingPointError when no next token can be chosen from logits (..., V).

    A NaN or an infinite score anywhere, or a row in which everything is ruled out.

    >>> check_logits(torch.tensor([0.0, -math.inf]))
    """
    if not logits.amax(dim=-1).isfinite().all():  # the largest of numbers and a NaN is NaN
        raise FloatingPointError(
            "the scores of the next token hold NaN or infinity, or rule out every token; has the "
            "training of this model gone wrong?"
        )


def check_temperature(value):
    """Raise ValueError when the temperature is not a finite number above 0."""
    if not 0 < value <= sys.float_info.max:
        raise ValueError(
            f"temperature must be a finite number above 0, got {value}; for the most likely "
            "token every time, use greedy decoding"
        )


def check_top_k(k, vocab_size):
    """Raise ValueError when k is not a whole number between 1 and the size of the vocabulary."""
    if not isinstance(k, int) or not 1 <= k <= vocab_size:
        raise ValueError(
            f"top_k must be a whole number between 1 and the vocabulary's {vocab_size}, got {k}"
        )


def check_top_p(p):
    """Raise ValueError when p is not above 0 and at most 1."""
    if not 0 < p <= 1:
        raise ValueError(f"top_p must be above 0 and at most 1, got {p}")

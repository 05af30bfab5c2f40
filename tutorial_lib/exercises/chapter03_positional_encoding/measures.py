"""Chapter 03: by which exponent of 10,000 each of four pairs turns."""

import torch

PAIRS = torch.arange(4)

EXPONENTS = {
    "Pair i turns by the position over 10000^(2i/d), d the width.": PAIRS / 4,
    "The exponent is i/d: it should be 2i/d, d the width.": PAIRS / 8,
    "It counts pairs from 1: the first should have i = 0 and turn by the position.": (PAIRS + 1)
    / 4,
    "The exponent is doubled twice: `arange(0, d, 2)` is 2i already.": PAIRS / 2,
    "It multiplies by 10000^(2i/d): the later a pair, the less it turns, so divide.": -PAIRS / 4,
    "All pairs turn alike: pair i should turn by the position over 10000^(2i/d).": 0 * PAIRS,
    "It divides by the width twice: the exponent should be 2i/d.": PAIRS / 32,
}


def turns_as_it_should(cos, sin, steps=1):
    """Tell whether four pairs turned by steps / 10000^(2i/d), or say which did not."""
    have, want = torch.atan2(sin, cos), steps * 10_000 ** (-PAIRS / 4)
    for i in ((have - want).abs() > 2e-3).nonzero().flatten().tolist():
        return f"At width 8 pair {i} must turn by {want[i]:.3g}; yours turns by {have[i]:.3g}."
    return True

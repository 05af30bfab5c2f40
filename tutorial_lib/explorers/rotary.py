"""Rotary positions as hands: query and key turn with their positions, the angle between stays."""

import math

import numpy as np
import torch
import traitlets

from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers.base import BrowserExplorer, javascript, stylesheet
from tutorial_lib.positions import rotate

MOST = 40  # of each slider
MAX_WIDTH = 8
QUERY = (1.0, 0.2, 0.3, 0.9, -0.7, 0.6, 0.8, -0.5)
KEY = (0.6, -0.7, 0.8, 0.5, -0.2, 1.0, 0.9, 0.3)


class RotaryHands(BrowserExplorer):
    """Each pair of numbers of a query and of a key is a hand; sliders move both along the text.

    q and k (K,), K even and at most 8; the query's hands turn with query + shift, the key's with
    key + shift, pair i by 10000^(-2i/K) a position, counter-clockwise. Beside the hands stands
    the score over all offsets. The browser computes; `result` holds its score, `score` ours.
    Raises ShapeError for unfitting shapes, ValueError for positions the sliders cannot show.

    >>> near, far = RotaryHands(query=5, key=2), RotaryHands(query=5, key=2, shift=30)
    >>> round(near.score, 3) == round(far.score, 3)
    True
    """

    title = "Rotary hands"
    _esm = javascript("rotary.js")
    _css = stylesheet("rotary.css")

    q = traitlets.List().tag(sync=True, told=True)
    k = traitlets.List().tag(sync=True, told=True)
    most = traitlets.Int(MOST).tag(sync=True, told=True)
    query = traitlets.Int(5, min=0, max=MOST).tag(sync=True)
    key = traitlets.Int(2, min=0, max=MOST).tag(sync=True)
    shift = traitlets.Int(0, min=0, max=MOST).tag(sync=True)
    result = traitlets.Dict().tag(sync=True)

    def __init__(self, q=QUERY, k=KEY, query=5, key=2, shift=0):
        q, k = (np.asarray(x, dtype=float).tolist() for x in (q, k))
        if len(q) != len(k) or len(q) % 2 or not 2 <= len(q) <= MAX_WIDTH:
            raise ShapeError(
                f"RotaryHands shows one query and one key of the same even width, at most "
                f"{MAX_WIDTH}, got {len(q)} and {len(k)}"
            )
        for name, value in (("query", query), ("key", key), ("shift", shift)):
            if not 0 <= value <= MOST:
                raise ValueError(f"{name} must be 0 to {MOST}, got {value}")
        super().__init__(q=q, k=k, query=query, key=key, shift=shift)

    @property
    def score(self):
        """The turned query times the turned key, over √K."""
        q, k = (
            rotate(torch.tensor([vector], dtype=torch.float64), start=at + self.shift)[0]
            for vector, at in ((self.q, self.query), (self.k, self.key))
        )
        return float(q @ k) / math.sqrt(len(self.q))

    def describe(self):
        """Say in words what the explorer shows now."""
        query, key = self.query + self.shift, self.key + self.shift
        return (
            f"{len(self.q) // 2} dials, each with a hand of the query at position {query} and one "
            f"of the key at position {key}, and the angle between them; the score is "
            f"{self.score:.2f}. Below, the score over all offsets, with a dot at {key - query}."
        )

"""T5's distances: which share a bucket, and the number that each head has learned for it."""

import torch

from tutorial_lib.explorers.asking import AskingExplorer
from tutorial_lib.explorers.base import javascript, stylesheet
from tutorial_lib.models import T5
from tutorial_lib.positions import t5_bucket

FARTHEST = 150  # tokens to each side that are shown


class BucketExplorer(AskingExplorer):
    """The buckets of all distances in a row, and what the heads of a T5 add for one of them.

    model: a T5, whose numbers are shown while the buckets are its own; None: the buckets alone. A
    distance below 0 is a key to the left of the query. `bucket` is the one that is chosen, `shared`
    the first and the last distance in it, `added` {head: number}. Raises ValueError for another
    model.

    >>> explorer = BucketExplorer(distance=-20)
    >>> explorer, explorer.bucket, explorer.shared
    (Buckets of distances: run this cell, 10, (-22, -16))
    """

    title = "Buckets of distances"
    _esm = javascript("asking.js", "buckets.js")
    _css = stylesheet("asking.css", "buckets.css")

    def __init__(self, model=None, distance=-3, n_buckets=32, max_distance=128, causal=False):
        if model is not None and not isinstance(model, T5):
            raise ValueError(f"only a T5 has buckets of distances, got a {type(model).__name__}")
        self.model = model
        self.bucket, self.shared, self.added = None, None, {}
        sizes = {"n_buckets": n_buckets, "max_distance": max_distance, "causal": causal}
        super().__init__("", distance=distance, **sizes)

    def describe(self):
        """Say in words what the explorer shows now."""
        first, last = self.shared
        heads = "".join(f"; head {head} adds {x:.2f}" for head, x in self.added.items())
        there = f"{_side(first)}" if first == last else f"from {_side(first)} to {_side(last)}"
        return f"Bucket {self.bucket} holds the keys {there}{heads}."

    def answer(self, text, distance, n_buckets, max_distance, causal):
        """Find the bucket of each distance, and the numbers of one."""
        sides = 1 if causal else 2
        n_buckets = min(max(int(n_buckets) // 4 * 4, 4), 64)
        max_distance = min(max(int(max_distance), n_buckets // sides // 2 + 1), 512)
        sizes = {"n_buckets": n_buckets, "max_distance": max_distance, "causal": bool(causal)}
        last = 0 if causal else FARTHEST
        distance = min(max(int(distance), -FARTHEST), last)
        distances = torch.arange(-FARTHEST, last + 1)
        buckets = t5_bucket(distances, **sizes)
        self.bucket = int(buckets[distances == distance])
        same = distances[buckets == self.bucket]
        self.shared = int(same[0]), int(same[-1])
        weight = self._learned(sizes)
        numbers = [] if weight is None else weight[:, self.bucket].tolist()
        self.added = dict(enumerate(numbers))
        return sizes | {
            "distance": distance,
            "bucket": self.bucket,
            "shared": self.shared,
            "runs": runs(buckets.tolist(), -FARTHEST),
            "added": numbers,
            "curves": [] if weight is None else weight[:, buckets].tolist(),
            "first": -FARTHEST,
            "given": self.model is not None,
        }

    def _learned(self, sizes):
        """Return the numbers (H, n_buckets) of the model where it has these buckets, or None."""
        if self.model is None:
            return None
        positions = [self.model.source_distances, self.model.target_distances][sizes["causal"]]
        return positions.weight.detach() if positions.options == sizes else None


def runs(buckets, first):
    """Return (bucket, first distance, last distance) of each stretch of one bucket."""
    found = []
    for distance, bucket in enumerate(buckets, first):
        if found and found[-1][0] == bucket:
            found[-1][2] = distance
        else:
            found.append([bucket, distance, distance])
    return found


def _side(distance):
    if distance == 0:
        return "at the query’s own place"
    return f"{abs(distance)} to the {'left' if distance < 0 else 'right'}"

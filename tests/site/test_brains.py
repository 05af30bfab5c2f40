"""The site answers as the notebook does: the same messages to a widget and to its brain."""

import itertools
import math
import random

import pytest

from tutorial_lib import explorers
from tutorial_lib.recipes import load_checkpoint

TEXTS = [
    "To be, or not to be: that is the question. The rest is silence.",
    "",
    "   ",
    "a",
    "so\u2003it\x1cis\x85so",
    "🙂 שלום 🙂🙂; <script>alert(1)</script>",
    "word " * 120,
    "a\ud800b half a pair",
]


def same(one, other):
    """Equal but for the last digits of numbers."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, bool) or isinstance(other, bool) or not isinstance(one, int | float):
        return one == other and type(one) is type(other)
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)


def test_each_way_to_damage_a_text_is_drawn_alike(both):
    numbers = random.Random(0)
    requests = [
        {
            "text": " ".join(text.split(" ")[: numbers.randrange(1, 60)]) if text.strip() else text,
            "share": numbers.choice([0, 0.15, 0.3, 0.5, 0.9, 1]),
            "length": numbers.choice([1, 1.5, 3, 10, 20]),
            "seed": numbers.choice([0, 1, 84, -3, 2**31, 2**40 + 5]),
        }
        for text in TEXTS * 5
    ]
    for python, javascript in both("corruption", explorers.CorruptionExplorer(), requests):
        assert same(python, javascript)


def test_each_distance_falls_into_the_same_bucket(both):
    requests = [
        {"distance": distance, "n_buckets": buckets, "max_distance": most, "causal": causal}
        for distance, buckets, causal in itertools.product(
            (-150, 7), (0, 4, 12, 16, 32, 48, 99), (True, False)
        )
        for most in (1, 20, 128, 600)
    ]
    widget = explorers.BucketExplorer(load_checkpoint("six-tasks"))
    for python, javascript in both("buckets", widget, requests):
        assert same(python, javascript), {k: python[k] for k in ("n_buckets", "max_distance")}


@pytest.mark.parametrize("begins", ["", "▁"])
def test_each_word_is_cut_alike(both, begins):
    numbers = random.Random(1)
    pieces = {"".join(numbers.choices("abcé🙂", k=numbers.randrange(1, 5))) for _ in range(60)}
    scores = {begins + piece: -numbers.expovariate(0.3) for piece in sorted(pieces)}
    requests = [
        {"text": text, "alpha": alpha, "chosen": chosen}
        for text in ["abcab", "cé🙂abc", "x", "a" * 40, " bca abc ", *TEXTS]
        for alpha, chosen in ((0, 0), (0.2, 3), (1, -1), (4, 100))
    ]
    widget = explorers.LatticeExplorer(scores, "abc")
    for python, javascript in both("lattice", widget, requests):
        assert same(python, javascript)

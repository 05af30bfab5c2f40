"""Explorers with a small network answer on a page as in a notebook."""

import random

import pytest

from tutorial_lib import explorers
from tutorial_lib.recipes import load_checkpoint

GAPS = [
    "And then [MASK] art a villain.",
    "",
    "[MASK]",
    "I will [MASK] go to [MASK] with thee, [MASK]!",
    "no gap at all",
    "To be, or not to be 🙂 日本: " * 15,
    "[MASK] and " * 60,
    "[CLS] a [SEP] b [PAD]",
]


def close(one, other, tolerance=1e-4):
    """Equal, numbers up to a tolerance."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(close(one[n], other[n], tolerance) for n in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(
            close(*pair, tolerance) for pair in zip(one, other, strict=True)
        )
    if isinstance(one, float) and isinstance(other, int | float):
        return abs(one - other) <= tolerance * max(1, abs(one))
    return one == other


@pytest.fixture(scope="module")
def bert():
    return load_checkpoint("shakespeare-bert").eval()


def asked_for_gaps(seed):
    """Requests as a page sends them: what is hidden lies in the text, and beyond it."""
    numbers = random.Random(seed)
    return [
        {
            "text": text,
            "hidden": numbers.sample(range(-1, 20), numbers.randrange(4)),
            "place": numbers.choice([-1, 0, 1, 2, 3, 5, 500]),
        }
        for text in GAPS
        for _ in range(4)
    ]


def test_a_gap_is_filled_alike(both, networks, bert):
    requests = [{**one, "left": i % 3 > 0} for i, one in enumerate(asked_for_gaps(0))]
    widget = explorers.FillMaskExplorer(bert, left=True)
    for python, javascript in both("fill_mask", widget, requests, networks):
        assert close(python, javascript)

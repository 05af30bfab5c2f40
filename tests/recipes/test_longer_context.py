"""Stretched rotary angles: which hands slow down, and what the stored table says."""

import math

import pytest
import torch

from tutorial_lib.errors import ShapeError
from tutorial_lib.positions import rotate, turning_angles
from tutorial_lib.recipes import load_result
from tutorial_lib.recipes.longer_context import (
    SMOKE,
    WAYS,
    StretchedAttention,
    build,
    stretch,
    stretched,
    turned,
)


def test_angles_as_trained_turn_as_the_library_does():
    x = torch.randn(2, 3, 5, 8, generator=torch.Generator().manual_seed(0))
    angles = stretched(8, "unchanged", 4, trained=64)
    torch.testing.assert_close(turned(x, torch.arange(5)[:, None] * angles), rotate(x))


def test_which_hands_slow_down():
    plain = turning_angles(1, 32, start=1)[0].float()
    slower = {way: stretched(32, way, 4, trained=64) / plain for way in WAYS}
    assert slower["unchanged"].eq(1).all()
    torch.testing.assert_close(slower["interpolated"], torch.full((16,), 0.25))
    assert slower["larger base"][[0, -1]].tolist() == pytest.approx([1, 0.25])
    assert (slower["larger base"].diff() < 0).all()
    turns = 64 * plain / (2 * math.pi)
    assert slower["YaRN"][turns >= 4].eq(1).all()
    torch.testing.assert_close(slower["YaRN"][turns <= 1], torch.full_like(turns, 0.25)[turns <= 1])
    with pytest.raises(ShapeError, match=r"the ways are unchanged, .* got 'more'"):
        stretched(32, "more", 4, trained=64)


def test_a_stretched_copy_leaves_the_model_as_it_was():
    model = build(SMOKE)
    before = model.blocks[0].attention.angles.clone()
    other = stretch(model, "interpolated", SMOKE)
    assert isinstance(other.blocks[0].attention, StretchedAttention)
    torch.testing.assert_close(other.blocks[0].attention.angles, before / 4)
    assert model.blocks[0].attention.angles.equal(before)


def test_the_stored_table_says_what_the_chapter_says():
    rows = load_result("longer-context")["rows"]

    def bits(way, *firsts):
        found = [row["bits"] for row in rows if row["way"] == way and row["first"] in firsts]
        assert len(found) == 3 * len(firsts)
        return sum(found) / len(found)

    inside, end = (16, 32, 48), (208, 224, 240)
    assert bits("unchanged", *end) > bits("unchanged", *inside) + 1
    assert bits("larger base", *end) < bits("unchanged", *end) - 0.5
    assert bits("interpolated", *inside) > bits("unchanged", *inside) + 1
    for way in WAYS:
        assert bits(f"{way}, then trained", *end) < bits(way, *end)

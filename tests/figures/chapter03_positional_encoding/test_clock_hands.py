import pytest
import torch

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures.chapter03_positional_encoding.clock_hands import (
    hand_angles,
    hands_between,
)
from tutorial_lib.positions import rotate, sinusoidal


def test_hands_turn_counter_clockwise_and_keep_the_angle_between_them():
    right = torch.tensor([1.0, 0.0])
    assert hand_angles(right, 1).item() == pytest.approx(57.2958, abs=1e-3)
    query, key = torch.randn(2, 8)
    same = hands_between(query, key, 0, 2), hands_between(query, key, 7, 9)
    torch.testing.assert_close(*same)
    assert not torch.allclose(same[0], hands_between(query, key, 0, 3))
    shown = figures.rotary_hands(query, key, n_pairs=2).axes[2].get_xlabel()
    assert shown == f"{same[0][0]:.0f}° between"
    with pytest.raises(ShapeError, match="even width"):
        figures.rotary_hands(query, key[:6])


def test_four_waves_are_drawn_above_four_digits():
    assert len(figures.sinusoids_and_digits().axes) == 8


def test_the_two_turns_are_those_of_the_library():
    sinusoid, rotary = figures.two_turns().axes
    table, twelve = sinusoidal(2, 2)[1], torch.tensor([0.0, 1.0])
    turned = rotate(torch.stack([twelve, twelve]))[1]
    for axes, wanted in ((sinusoid, table), (rotary, turned)):
        tips = [note.xy for note in axes.texts if hasattr(note, "xy")]
        assert tuple(tips[1]) == pytest.approx(tuple(wanted.tolist()))

import pytest
import torch

from tutorial_lib import figures
from tutorial_lib.positions import rotate, sinusoidal


def test_four_waves_are_drawn_above_four_digits():
    assert len(figures.sinusoids_and_digits().axes) == 8


def test_the_two_turns_are_those_of_the_library():
    sinusoid, rotary = figures.two_turns().axes
    table, twelve = sinusoidal(2, 2)[1], torch.tensor([0.0, 1.0])
    turned = rotate(torch.stack([twelve, twelve]))[1]
    for axes, wanted in ((sinusoid, table), (rotary, turned)):
        tips = [note.xy for note in axes.texts if hasattr(note, "xy")]
        assert tuple(tips[1]) == pytest.approx(tuple(wanted.tolist()))

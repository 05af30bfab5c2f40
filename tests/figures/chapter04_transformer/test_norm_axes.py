import torch

from tutorial_lib import figures


def test_it_says_how_many_numbers_share_a_mean():
    x = torch.randn(2, 3, 4)
    shown = " ".join(text.get_text() for text in figures.norm_axes(x).axes[0].texts)
    assert "6 means of 4 numbers" in shown
    assert "4 means of 6 numbers" in shown

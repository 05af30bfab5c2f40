import torch

from tutorial_lib import figures


def test_the_means_written_are_those_of_the_block():
    x = torch.randn(2, 3, 4)
    shown = " ".join(text.get_text() for text in figures.norm_axes(x).axes[0].texts)
    assert f"here {x[0, 1].mean():.2f}" in shown
    assert f"here {x[:, :, 1].mean():.2f}" in shown
    assert "6 means of 4 numbers" in shown
    assert "4 means of 6 numbers" in shown
